package dev.howdah.job.internal.batch;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where a claim begins to look in each priority, so that it does not walk over the rows that claims before it have deleted.
 *
 * @param lows where the due jobs of some priorities begin, as far as was seen; others are looked at from the beginning
 * @param slackMillis so much earlier it begins, for transactions that took their time before others but commit after them; 0: exactly there
 * @param tellsNext whether the look is to say when the next job of the lane is due
 */
public record ScanBounds(Map<Integer, Low> lows, int slackMillis, boolean tellsNext) {
    /** From the beginning. */
    public static final ScanBounds NONE = new ScanBounds(Map.of(), 0, false);

    /**
     * The first of the due jobs of a priority.
     *
     * @param runAt as PostgreSQL writes it
     */
    public record Low(String runAt, long id) {}

    /** Instead of a priority: until when it is known that jobs came to groups of the lane. */
    static final int GROUPS = 1_000;

    /** When that was, as PostgreSQL writes it; null: it is not known. */
    @Nullable
    String groups() {
        Low known = lows.get(GROUPS);
        return known == null ? null : known.runAt();
    }

    /** The priorities of which something is known; the order is that of the other two. */
    Integer[] priorities() {
        return lows.keySet().toArray(Integer[]::new);
    }

    String[] runAts() {
        return lows.values().stream().map(Low::runAt).toArray(String[]::new);
    }

    Long[] ids() {
        return lows.values().stream().map(Low::id).toArray(Long[]::new);
    }
}
