package dev.howdah.process;

import org.jspecify.annotations.Nullable;

/**
 * A part of a history.
 *
 * @param offset events after that one, or before it if {@code backward}; null: from the end
 * @param limit how many at most; null: all
 * @param backward whether from the last to the first
 */
public record Range(@Nullable Long offset, @Nullable Long limit, boolean backward) {
    /** All of it, from the first event on. */
    public static final Range ALL = new Range(null, null, false);

    /** Nothing of it. */
    public static final Range NONE = new Range(null, 0L, false);

    /** @throws IllegalArgumentException if the limit is negative */
    public Range {
        if (limit != null && limit < 0)
            throw new IllegalArgumentException("a limit of " + limit + " events: 0 or more");
    }

    /** So many events after that one, in their order. */
    public static Range after(long offset, long limit) {
        return new Range(offset, limit, false);
    }

    /** So many events before that one, the last of them first. */
    public static Range before(long offset, long limit) {
        return new Range(offset, limit, true);
    }

    /** The last events, the last one first. */
    public static Range last(long limit) {
        return new Range(null, limit, true);
    }
}
