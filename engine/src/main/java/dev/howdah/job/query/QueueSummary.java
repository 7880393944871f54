package dev.howdah.job.query;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A queue at a glance. Jobs are counted up to {@link #COUNTED}: a larger number says only that there are more.
 *
 * @param name of the queue
 * @param due the number of jobs that could begin
 * @param later the number of jobs whose time has not come
 * @param oldest since when the first of the jobs that could begin waits; null: none could
 * @param running the number of jobs that nodes have claimed, exact
 * @param failed the number of jobs that have failed with their last attempt
 * @param done the number of jobs done in the last hour, as of the last count of the statistics
 * @param retried the number of attempts of the last hour that are followed by another one
 * @param failedLately the number of jobs that failed in the last hour
 * @param paused since when the queue is paused; null: it is not
 * @param pausedBy the role that paused it; null: it is not paused
 * @param pausedKinds kinds that are paused by themselves
 */
public record QueueSummary(
        String name,
        long due,
        long later,
        @Nullable Instant oldest,
        long running,
        long failed,
        long done,
        long retried,
        long failedLately,
        @Nullable Instant paused,
        @Nullable String pausedBy,
        List<String> pausedKinds) {
    /** Up to which number jobs are counted. */
    public static final int COUNTED = 10_000;

    /** Copies the list. */
    public QueueSummary {
        pausedKinds = List.copyOf(pausedKinds);
    }
}
