package dev.howdah.job.internal.attempt;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What follows for the order keys of the jobs of a batch when their ends are written: which job of each key has its turn then. */
public final class TurnEnds {
    /** The next job of the key that waits has its turn. */
    private static final long NEXT = 0;
    /** None has: a node is to look. What comes next may have been in the batch itself. */
    private static final long FREE = -1;

    private final Map<Long, TreeMap<Long, End>> runs = new TreeMap<>();

    private enum End {
        DONE,
        /** It has ended in another way. */
        OVER,
        /** It runs, or comes back. */
        GOES_ON
    }

    /** @param result null: it still runs */
    public TurnEnds add(ClaimedJob job, @Nullable AttemptResult result) {
        runs.computeIfAbsent(job.head(), head -> new TreeMap<>()).put(job.id(), end(result));
        return this;
    }

    private static End end(@Nullable AttemptResult result) {
        if (result == null) return End.GOES_ON;
        return switch (result.state()) {
            case DONE -> End.DONE;
            case FAILED, CANCELLED -> End.OVER;
            default -> End.GOES_ON;
        };
    }

    /**
     * What {@code order_pass_on} takes.
     *
     * @param letters as they are written; null: all jobs are done
     */
    @Nullable
    public Object[] values(int node, long batch, long token, @Nullable String letters) {
        List<Long> turns = new ArrayList<>();
        List<Long> holders = new ArrayList<>();
        List<Long> behind = new ArrayList<>();
        for (TreeMap<Long, End> run : runs.values()) {
            long holder = NEXT;
            for (Map.Entry<Long, End> each : run.entrySet())
                if (holder != NEXT) behind.add(each.getKey());
                else if (each.getValue() != End.DONE) holder = each.getValue() == End.OVER ? FREE : each.getKey();
            if (holder == run.firstKey()) continue;
            turns.add(run.firstKey());
            holders.add(holder);
        }
        return new @Nullable Object[] {
            node,
            batch,
            turns.toArray(Long[]::new),
            token,
            holders.toArray(Long[]::new),
            behind.toArray(Long[]::new),
            letters
        };
    }
}
