package dev.howdah.task;

import org.jspecify.annotations.Nullable;

/**
 * The result of {@link TaskTable#check}, of a task that can be added: what PostgreSQL says of its SQL.
 *
 * @param error the message; null: none, or the SQL was not checked
 * @param position of the error in the input, in characters from 1 on; 0: none, or not known
 * @param unchecked why the SQL was not checked; null: it was
 */
public record TaskCheck(
        @Nullable String error, int position, @Nullable String unchecked) {}
