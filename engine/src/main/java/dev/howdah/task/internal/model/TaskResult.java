package dev.howdah.task.internal.model;

import dev.howdah.task.TaskState;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The end of a task.
 *
 * @param stopMicros when, in microseconds since 1970 by the clock of the task's own database server; null if that is not
 *     known: then it ends when it is written down
 * @param pid the process id of the session in which it ran; null if it never began, and where there was no session
 * @param sqlState the code of the error, of PostgreSQL or of what was reached
 * @param notices what was raised below an error; null if nothing was
 * @param retryAfter how long to wait at least for the next attempt, where there is one; {@link #NEVER} if it would fail again
 */
public record TaskResult(
        long id,
        TaskState state,
        @Nullable Long stopMicros,
        @Nullable String output,
        @Nullable String error,
        @Nullable Integer pid,
        Duration retryAfter,
        @Nullable String sqlState,
        @Nullable String notices) {
    /** No further attempt, whatever the row says. */
    public static final Duration NEVER = Duration.ofSeconds(-1);

    /** Of a task that has no session, or not yet in this class: {@link #in}. */
    public TaskResult(
            long id, TaskState state, @Nullable Long stopMicros, @Nullable String output, @Nullable String error) {
        this(id, state, stopMicros, output, error, null, Duration.ZERO, null, null);
    }

    /** The same with the session in which the task ran. */
    public TaskResult in(@Nullable Integer session) {
        return new TaskResult(id, state, stopMicros, output, error, session, retryAfter, sqlState, notices);
    }

    /** The same with the code of the error and the notices of the server. */
    public TaskResult with(@Nullable String code, @Nullable String raised) {
        return new TaskResult(id, state, stopMicros, output, error, pid, retryAfter, code, raised);
    }

    /** The same that ends as failed, with another error. */
    public TaskResult failed(String reason) {
        String kept = output == null ? "" : output;
        return new TaskResult(id, TaskState.FAIL, stopMicros, kept, reason, pid, retryAfter, sqlState, notices);
    }

    /** Returns whether its row has nothing to tell. */
    public boolean isEmpty() {
        return output == null && error == null && notices == null;
    }
}
