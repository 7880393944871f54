/** The command {@code howdah console}. */
@NullMarked
package dev.howdah.daemon.cli.console;

import org.jspecify.annotations.NullMarked;
