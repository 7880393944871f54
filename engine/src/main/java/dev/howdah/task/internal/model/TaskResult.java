package dev.howdah.task.internal.model;

import dev.howdah.task.TaskState;
import org.jspecify.annotations.Nullable;

/**
 * The end of a task.
 *
 * @param stopMicros when, in microseconds since 1970 by the clock of the task's own database server; null if that is not
 *     known: then it ends when it is written down
 * @param pid the process id of the session in which it ran; null if it never began
 */
public record TaskResult(
        long id,
        TaskState state,
        @Nullable Long stopMicros,
        @Nullable String output,
        @Nullable String error,
        @Nullable Integer pid) {
    /** Of a task that has no session, or not yet in this class: {@link #in}. */
    public TaskResult(
            long id, TaskState state, @Nullable Long stopMicros, @Nullable String output, @Nullable String error) {
        this(id, state, stopMicros, output, error, null);
    }

    /** The same with the session in which the task ran. */
    public TaskResult in(@Nullable Integer session) {
        return new TaskResult(id, state, stopMicros, output, error, session);
    }

    /** Returns whether its row has nothing to tell. */
    public boolean isEmpty() {
        return output == null && error == null;
    }
}
