package dev.howdah.job.history;

import dev.howdah.job.internal.store.JobNames;
import dev.howdah.job.query.JobState;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The retention of the jobs of a queue that have ended with one outcome. Immutable: each method returns a copy.
 *
 * @param queue null: all queues that have no rule of their own for that outcome
 * @param outcome {@link JobState#DONE}, {@link JobState#FAILED} or {@link JobState#CANCELLED}
 * @param keep 0 to 100,000 days, from the end of the job
 * @param archive the name of a table, or of a function that takes {@code jsonb}, that gets the jobs that are removed; null: none
 * @param removed the number of jobs that the rule has removed so far; not to be set
 * @param error why the rule removes nothing at present; null: nothing is wrong; not to be set
 */
public record RetentionRule(
        @Nullable String queue,
        JobState outcome,
        Duration keep,
        @Nullable String archive,
        long removed,
        @Nullable String error) {
    private static final Duration LONGEST = Duration.ofDays(100_000);

    /** @throws IllegalArgumentException if the name of the queue is empty or too long, the outcome is none, or the time is out of bounds */
    public RetentionRule {
        if (queue != null) JobNames.check("queue", queue);
        Objects.requireNonNull(outcome, "a retention needs an outcome, not null");
        if (outcome != JobState.DONE && outcome != JobState.FAILED && outcome != JobState.CANCELLED)
            throw new IllegalArgumentException(
                    "a retention of jobs that are " + outcome + ": it has to be DONE, FAILED or CANCELLED");
        if (keep.isNegative() || keep.compareTo(LONGEST) > 0)
            throw new IllegalArgumentException(
                    "a retention of " + keep + ": it has to be zero to " + LONGEST.toDays() + " days");
    }

    /** A rule for one queue. */
    public static RetentionRule of(String queue, JobState outcome, Duration keep) {
        Objects.requireNonNull(queue, "a retention needs a queue; for all others there is ofOthers");
        return new RetentionRule(queue, outcome, keep, null, 0, null);
    }

    /** A rule for all queues that have no rule of their own for that outcome. */
    public static RetentionRule ofOthers(JobState outcome, Duration keep) {
        return new RetentionRule(null, outcome, keep, null, 0, null);
    }

    /**
     * The jobs go to that table, or to that function, in the transaction that removes them. Columns of the table are those of
     * {@code howdah.jobs}, any number of them; the function gets a {@code jsonb} array of objects with these columns.
     */
    public RetentionRule archive(String name) {
        return new RetentionRule(queue, outcome, keep, name, removed, error);
    }
}
