package dev.howdah.process.command;

import org.jspecify.annotations.Nullable;

/**
 * A command as it is stored in the arguments of a task: {@code {"command": "pay", "args": 7}}.
 *
 * @param command the name of the command; null: these arguments are no command
 */
public record CommandCall<A>(
        @Nullable String command, @Nullable A args) {}
