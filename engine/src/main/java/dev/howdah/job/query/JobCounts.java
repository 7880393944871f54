package dev.howdah.job.query;

import java.util.Map;

/**
 * How many jobs there are by state. Jobs that are waiting, planned or retrying are counted among the newest {@value #NEWEST} of all three, without
 * entries of log queues; failed and cancelled ones among the newest {@value #NEWEST} of both; those that follow others up to that number; running ones
 * all; of those that are done, the ones of the last hour that are in the statistics, which is up to a minute later.
 */
public record JobCounts(Map<JobState, Long> counts) {
    /** Among how many of the newest jobs they are counted. */
    public static final int NEWEST = 10_000;

    /** Copies the map. */
    public JobCounts {
        counts = Map.copyOf(counts);
    }

    /** How many are in that state. */
    public long of(JobState state) {
        return counts.getOrDefault(state, 0L);
    }
}
