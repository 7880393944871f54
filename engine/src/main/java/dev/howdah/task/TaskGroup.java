package dev.howdah.task;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A group of tasks, with those of one {@code remote}, that has tasks which run or are due. What is due is counted among the first
 * {@value #MOST_DUE} due tasks of the table.
 *
 * @param group its name
 * @param remote where its tasks run; null: in this database
 * @param running how many run
 * @param due how many are due and have not begun
 * @param oldest when the first of these was due; null: none is
 * @param max the largest {@code max} of its tasks: one more than that run at the same time at most, or, if it is negative, one after the other
 */
public record TaskGroup(
        String group,
        @Nullable String remote,
        long running,
        long due,
        @Nullable Instant oldest,
        int max) {
    /** Among how many due tasks they are counted. */
    public static final int MOST_DUE = 10_000;
}
