package dev.howdah.task.internal.model;

import dev.howdah.task.TaskState;
import org.jspecify.annotations.Nullable;

/**
 * How a task ended.
 *
 * @param stopMicros when, in microseconds since 1970 by the clock of the task's own database server; null if that is not
 *     known: then it ends when it is written down
 */
public record TaskResult(
        long id,
        TaskState state,
        @Nullable Long stopMicros,
        @Nullable String output,
        @Nullable String error) {

    /** Whether its row has nothing to tell. */
    public boolean isEmpty() {
        return output == null && error == null;
    }
}
