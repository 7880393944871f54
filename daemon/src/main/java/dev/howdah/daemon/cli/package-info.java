/** Options and command groups that several commands share. */
@NullMarked
package dev.howdah.daemon.cli;

import org.jspecify.annotations.NullMarked;
