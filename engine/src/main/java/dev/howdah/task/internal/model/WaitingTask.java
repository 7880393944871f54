package dev.howdah.task.internal.model;

import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * A waiting task as the scheduler remembers it: a hint, checked again when it is claimed. Candidates sort as they take
 * their turns: the largest {@code max} first (negative ones count as 0), then the smallest id.
 *
 * @param live seconds
 * @param owner whose rights it has; null for the scheduler's role
 * @param firstLine of its input, if that may be a {@linkplain dev.howdah.spi.reach.FirstLine whole request}; else null
 */
public record WaitingTask(
        long id,
        int hash,
        int max,
        int count,
        double live,
        @Nullable String owner,
        @Nullable String firstLine) implements Comparable<WaitingTask> {
    private static final Comparator<WaitingTask> TURN =
            Comparator.comparingInt(WaitingTask::beside).reversed().thenComparingLong(WaitingTask::id);

    /** One with the rights of the scheduler's role. */
    public WaitingTask(long id, int hash, int max, int count, double live) {
        this(id, hash, max, count, live, null, null);
    }

    /** How many tasks of its lane may already run beside it. */
    public int beside() {
        return Math.max(max, 0);
    }

    /** Returns whether a session that has run {@code done} tasks in {@code age} seconds may go on with this one. */
    public boolean mayContinue(int done, double age) {
        if (count > 0 && live > 0) return done < count && age < live;
        return done < count || age < live;
    }

    @Override
    public int compareTo(WaitingTask other) {
        return TURN.compare(this, other);
    }
}
