package dev.howdah.task;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Values for a scheduler in place of the settings {@code pg_task.sleep}, {@code pg_task.reset} and {@code pg_task.run}
 * of its session; null leaves it to them.
 *
 * @param sleep between two looks, times {@code pg_task.idle}, is how long a sleeping scheduler waits for the doorbell
 *     before it looks for itself
 * @param reset how often tasks in WORK that no session runs are put back
 * @param run most tasks that run at once
 */
public record TaskTuning(
        @Nullable Duration sleep,
        @Nullable Duration reset,
        @Nullable Integer run) {
    /** Everything as the settings say. */
    public static final TaskTuning NONE = new TaskTuning(null, null, null);

    /** @throws IllegalArgumentException if the sleep or the run is negative, or the reset is not above zero */
    public TaskTuning {
        if (sleep != null && sleep.isNegative())
            throw new IllegalArgumentException("sleep has to be 0 or more, not " + sleep);
        if (reset != null && (reset.isNegative() || reset.isZero()))
            throw new IllegalArgumentException("reset has to be above 0, not " + reset);
        if (run != null && run < 0) throw new IllegalArgumentException("run has to be 0 or more, not " + run);
    }
}
