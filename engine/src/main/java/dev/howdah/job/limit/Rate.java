package dev.howdah.job.limit;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The maximum number of jobs that begin within a period, in any window of that length. Immutable.
 *
 * @param jobs 1 to 1,000,000; a job counts with its weight, 1 for most
 * @param period 10 milliseconds to 366 days
 * @param burst how many begin at once at most, the others at even distances; null: all may
 */
public record Rate(int jobs, Duration period, @Nullable Integer burst) {
    private static final Duration SHORTEST = Duration.ofMillis(10);
    private static final Duration LONGEST = Duration.ofDays(366);

    /** @throws IllegalArgumentException if a value is out of bounds, or the burst is more than the jobs */
    public Rate {
        if (jobs < 1 || jobs > 1_000_000)
            throw new IllegalArgumentException("a rate of " + jobs + ": it has to be from 1 to 1000000");
        if (period.compareTo(SHORTEST) < 0 || period.compareTo(LONGEST) > 0)
            throw new IllegalArgumentException(
                    "a period of " + period + ": it has to be from " + SHORTEST + " to " + LONGEST);
        if (burst != null && (burst < 1 || burst > jobs))
            throw new IllegalArgumentException(
                    "a burst of " + burst + ": it has to be from 1 to the rate, which is " + jobs);
    }

    /** That number of jobs in a period; all of them may begin at once. */
    public static Rate of(int jobs, Duration period) {
        return new Rate(jobs, period, null);
    }

    /** The same, of which so many begin at once at most, the others at even distances. */
    public Rate burst(int most) {
        return new Rate(jobs, period, most);
    }
}
