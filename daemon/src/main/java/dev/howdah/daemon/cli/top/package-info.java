/**
 * The command {@code howdah top}. {@code TopReader} reads what is shown, in a thread of its own; {@code TopScreen} knows what is shown and
 * takes keys; {@code TopPainter} draws it; {@code TopTerminal} is the terminal.
 */
@NullMarked
package dev.howdah.daemon.cli.top;

import org.jspecify.annotations.NullMarked;
