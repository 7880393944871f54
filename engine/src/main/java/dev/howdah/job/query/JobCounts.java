package dev.howdah.job.query;

import java.util.Map;
import java.util.Set;

/**
 * How many jobs there are by state, each state counted up to {@value #COUNTED}, those that wait without entries of log queues; of those that are done, the ones of the last hour that are in the
 * statistics, which is up to a minute later.
 *
 * @param counts a state without a job may be missing
 * @param incomplete states of which there are more, or may be more, than were counted
 */
public record JobCounts(Map<JobState, Long> counts, Set<JobState> incomplete) {
    /** Up to which number the jobs of a state are counted. */
    public static final int COUNTED = 10_000;

    /** Copies both. */
    public JobCounts {
        counts = Map.copyOf(counts);
        incomplete = Set.copyOf(incomplete);
    }

    /** How many are in that state, at least. */
    public long of(JobState state) {
        return counts.getOrDefault(state, 0L);
    }

    /** Returns whether there are no more in that state. */
    public boolean isExact(JobState state) {
        return !incomplete.contains(state);
    }
}
