package dev.howdah.task;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One row of the table {@code task}, as it was when it was read.
 *
 * @param id its id
 * @param parent the task that added it, by running or by repeating
 * @param plan when it may start; {@link Instant#MAX} for {@code infinity} and {@link Instant#MIN} for {@code -infinity}
 * @param start when it started
 * @param stop when it ended
 * @param state its state
 * @param group the group whose tasks take turns
 * @param remote where it runs, if not in the database of the table
 * @param max how many others of its group may run beside it; negative for a pause after it, in milliseconds
 * @param active how long after {@code plan} it may still start, as PostgreSQL writes intervals
 * @param repeat how long after {@code plan} it is planned again, as PostgreSQL writes intervals
 * @param cron the schedule of its next runs
 * @param zone the time zone of {@code cron}; null for that of new sessions of the owner
 * @param attempts the maximum number of runs, this one included
 * @param backoff how long after an error the next attempt is planned, as PostgreSQL writes intervals
 * @param after the tasks that had to end well before it could start, as PostgreSQL writes arrays
 * @param retry the id of the task that retries it
 * @param once whether its effects and its end are one transaction
 * @param channel of a NOTIFY that tells of its end
 * @param owner the role whose privileges it has; null if all tasks have the scheduler's
 * @param timeout how long one of its statements may take, as PostgreSQL writes intervals
 * @param pid the server process that runs it or ran it
 * @param data a text of the user
 * @param input the SQL to run
 * @param output its results
 * @param error its error
 * @param others all further columns of the row by their names, as JSON writes their values: those that say how its output is
 *     written and its session is used, and those that the user has added; empty in a list
 */
public record Task(
        long id,
        @Nullable Long parent,
        Instant plan,
        @Nullable Instant start,
        @Nullable Instant stop,
        TaskState state,
        String group,
        @Nullable String remote,
        int max,
        String active,
        String repeat,
        @Nullable String cron,
        @Nullable String zone,
        int attempts,
        String backoff,
        @Nullable String after,
        @Nullable Long retry,
        boolean once,
        @Nullable String channel,
        @Nullable String owner,
        String timeout,
        @Nullable Integer pid,
        @Nullable String data,
        String input,
        @Nullable String output,
        @Nullable String error,
        Map<String, @Nullable Object> others) {}
