package dev.howdah.task;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many tasks there are by state, without reading the whole table: planned ones are counted up to {@value #MOST_PLANNED}, running ones
 * exactly, and those that have ended among the newest {@value #NEWEST} tasks only.
 *
 * @param byState a state without a task is missing
 * @param isWhole whether all tasks are among those of which the ended ones are counted
 */
public record TaskCounts(Map<TaskState, Long> byState, boolean isWhole) {
    /** Up to which number planned tasks are counted; a count above it says only that there are more. */
    public static final int MOST_PLANNED = 10_000;

    /** The number of the newest tasks among which those that have ended are counted. */
    public static final int NEWEST = 20_000;

    /** Copies the counts. */
    public TaskCounts {
        byState = Map.copyOf(byState);
    }

    /** The number of tasks in that state, at least. */
    public long of(TaskState state) {
        return byState.getOrDefault(state, 0L);
    }

    /** Returns whether there are no more in that state. */
    public boolean isExact(TaskState state) {
        return state.ended() ? isWhole : of(state) <= MOST_PLANNED || state != TaskState.PLAN;
    }

    /**
     * A group of tasks, with those of one {@code remote}, that has tasks which run or are due. What is due is counted among the first
     * {@value #MOST_DUE} due tasks of the table.
     *
     * @param group its name
     * @param remote where its tasks run; null: in this database
     * @param running how many run
     * @param due how many are due and have not begun
     * @param oldest when the first of these was due; null: none is
     * @param max the largest {@code max} of these tasks: one more than that run at the same time at most, or, if it is negative, one after the other
     */
    public record Group(
            String group,
            @Nullable String remote,
            long running,
            long due,
            @Nullable Instant oldest,
            int max) {
        /** Among how many due tasks they are counted. */
        public static final int MOST_DUE = 10_000;
    }

    /**
     * Tasks over time, of the newest {@value #NEWEST} tasks whose rows are there: tasks without output are deleted when they are done, unless they say
     * otherwise.
     *
     * @param steps those in which none began or ended are missing
     * @param isWhole whether all tasks were looked at
     */
    public record Course(List<Step> steps, boolean isWhole) {
        /** Copies the steps. */
        public Course {
            steps = List.copyOf(steps);
        }
    }

    /**
     * What began and ended in a step of time from {@code time} on.
     *
     * @param stopped that were cancelled
     * @param half half of those that began had been due for so long at most; null: none began
     * @param most 95 % of them
     */
    public record Step(
            Instant time,
            long started,
            long done,
            long failed,
            long stopped,
            @Nullable Duration half,
            @Nullable Duration most) {}
}
