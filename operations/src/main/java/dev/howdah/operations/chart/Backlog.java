package dev.howdah.operations.chart;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How many jobs there were at a time.
 *
 * @param due that could begin
 * @param later whose time had not come
 * @param oldest since when the first of them was due; null: none was
 * @param isAll false: there were more, which were not counted
 */
public record Backlog(
        long due, long later, long running, @Nullable Instant oldest, boolean isAll) {
    /** All that had not ended. */
    public long jobs() {
        return due + later + running;
    }
}
