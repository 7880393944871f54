/**
 * The program: {@code howdah up}, {@code howdah sql}, {@code howdah task}. {@link dev.howdah.daemon.Main} builds the
 * command line; {@code Setting} is everything that can be configured.
 */
@NullMarked
package dev.howdah.daemon;

import org.jspecify.annotations.NullMarked;
