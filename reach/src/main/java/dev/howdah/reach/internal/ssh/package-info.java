/** Tasks at other hosts: commands and shells, {@code ssh://}, and files, {@code sftp://}. */
@NullMarked
package dev.howdah.reach.internal.ssh;

import org.jspecify.annotations.NullMarked;
