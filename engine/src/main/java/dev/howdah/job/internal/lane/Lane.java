package dev.howdah.job.internal.lane;

import org.jspecify.annotations.Nullable;

/**
 * A line in which jobs wait.
 *
 * @param kind null: all kinds of the queue that have no lane of their own
 * @param log whether jobs that are added to the queue go into a log
 * @param reader whether jobs come from a log, beside those that wait in the lane
 */
public record Lane(int id, String queue, @Nullable String kind, boolean log, boolean reader) {
    /** Without a log. */
    public Lane(int id, String queue, @Nullable String kind) {
        this(id, queue, kind, false, false);
    }
}
