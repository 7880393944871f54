package dev.howdah.task;

import java.util.Map;

/**
 * How many tasks there are by state, without reading the whole table: planned ones are counted up to {@value #MOST_PLANNED}, running ones
 * exactly, and those that have ended among the newest {@value #NEWEST} tasks only.
 *
 * @param byState a state without a task is missing
 */
public record TaskCounts(Map<TaskState, Long> byState) {
    /** Up to which number planned tasks are counted; a count above it says only that there are more. */
    public static final int MOST_PLANNED = 10_000;

    /** The number of the newest tasks among which those that have ended are counted. */
    public static final int NEWEST = 20_000;

    /** Copies the counts. */
    public TaskCounts {
        byState = Map.copyOf(byState);
    }

    /** The number of tasks in that state. */
    public long of(TaskState state) {
        return byState.getOrDefault(state, 0L);
    }
}
