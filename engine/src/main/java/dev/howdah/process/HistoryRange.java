package dev.howdah.process;

import org.jspecify.annotations.Nullable;

/**
 * A part of a history.
 *
 * @param offset events after that one, or before it if {@code backward}; null: from the end
 * @param limit how many at most; null: all
 * @param backward whether from the last to the first
 */
public record HistoryRange(@Nullable Long offset, @Nullable Long limit, boolean backward) {
    /** All of it, from the first event on. */
    public static final HistoryRange ALL = new HistoryRange(null, null, false);

    /** Nothing of it. */
    public static final HistoryRange NONE = new HistoryRange(null, 0L, false);

    /** @throws IllegalArgumentException if the limit is negative */
    public HistoryRange {
        if (limit != null && limit < 0)
            throw new IllegalArgumentException("a limit of " + limit + " events: 0 or more");
    }

    /** So many events after that one, in their order. */
    public static HistoryRange after(long offset, long limit) {
        return new HistoryRange(offset, limit, false);
    }

    /** So many events before that one, the last of them first. */
    public static HistoryRange before(long offset, long limit) {
        return new HistoryRange(offset, limit, true);
    }

    /** The last events, the last one first. */
    public static HistoryRange last(long limit) {
        return new HistoryRange(null, limit, true);
    }
}
