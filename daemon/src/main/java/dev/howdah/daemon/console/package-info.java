/** The terminal: tables, JSON, secrets, signals, errors of a command. */
@NullMarked
package dev.howdah.daemon.console;

import org.jspecify.annotations.NullMarked;
