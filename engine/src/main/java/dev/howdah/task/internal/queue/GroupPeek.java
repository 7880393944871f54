package dev.howdah.task.internal.queue;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Asks the table for the next tasks of groups whose order is not known: more at once where the statement reads much to find little. Belongs to
 * the scheduler's thread.
 */
public final class GroupPeek {
    /** Reads the next tasks of groups. */
    interface Source {
        /** The next tasks of each group, in their order, from where the group is known to begin; at most {@code limit} of each. */
        List<DueTask> peek(List<GroupQueue> groups, int limit) throws SQLException;
    }

    /**
     * The answer.
     *
     * @param limit a group with fewer tasks than this has no more
     * @param far whether much was read to find them: the next peek had better not begin at the start again
     */
    public record Answer(List<DueTask> tasks, int limit, boolean far) {}

    static final int LIMIT = 200;
    static final int MAX_LIMIT = 10_000;

    private static final long SLOW_NANOS = Duration.ofMillis(5).toNanos();

    private final Source source;
    private final LongSupplier nanoTime;
    private int limit = LIMIT;

    public GroupPeek(DueTaskQueries queries) {
        this(queries, System::nanoTime);
    }

    GroupPeek(Source source, LongSupplier nanoTime) {
        this.source = source;
        this.nanoTime = nanoTime;
    }

    public Answer peek(List<GroupQueue> groups) throws SQLException {
        int asked = limit;
        long begun = nanoTime.getAsLong();
        List<DueTask> tasks = source.peek(groups, asked);
        // A scan over tasks of the future or dead rows to find little: the next one fetches more.
        boolean far = nanoTime.getAsLong() - begun > SLOW_NANOS && groups.size() == 1;
        limit = far ? Math.min(asked * 2, MAX_LIMIT) : LIMIT;
        return new Answer(tasks, asked, far);
    }
}
