package dev.howdah.process;

import org.jspecify.annotations.Nullable;

/**
 * A part of a history.
 *
 * @param offset the id after which events begin, or before which if {@code backward}; null: from the end
 * @param limit the maximum number of events; null: all
 * @param backward whether from the last to the first
 */
public record HistoryRange(@Nullable Long offset, @Nullable Long limit, boolean backward) {
    /** The whole history, from the first event on. */
    public static final HistoryRange ALL = new HistoryRange(null, null, false);

    /** No events. */
    public static final HistoryRange NONE = new HistoryRange(null, 0L, false);

    /** @throws IllegalArgumentException if the limit is negative */
    public HistoryRange {
        if (limit != null && limit < 0)
            throw new IllegalArgumentException("a limit of " + limit + " events: 0 or more");
    }

    /** Events after that one, in order. */
    public static HistoryRange after(long offset, long limit) {
        return new HistoryRange(offset, limit, false);
    }

    /** Events before that one, the last of them first. */
    public static HistoryRange before(long offset, long limit) {
        return new HistoryRange(offset, limit, true);
    }

    /** The last events, the last one first. */
    public static HistoryRange last(long limit) {
        return new HistoryRange(null, limit, true);
    }
}
