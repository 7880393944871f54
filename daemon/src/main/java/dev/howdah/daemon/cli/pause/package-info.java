/** The commands that pause and resume everything: {@code howdah pause --all} and {@code howdah resume --all}. */
@NullMarked
package dev.howdah.daemon.cli.pause;

import org.jspecify.annotations.NullMarked;
