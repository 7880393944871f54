/** Tasks that are programs of the daemon's machine: {@code exec:}. */
@NullMarked
package dev.howdah.reach.internal.exec;

import org.jspecify.annotations.NullMarked;
