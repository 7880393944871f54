package dev.howdah.console.internal.view;

import dev.howdah.job.query.JobCounts;
import dev.howdah.job.query.JobState;
import org.jspecify.annotations.Nullable;

/** Among which jobs those in a state are counted. */
public final class JobCountWords {
    private JobCountWords() {}

    /** Among which; null: all are counted. */
    public static @Nullable String of(JobState state) {
        String newest = Numbers.count(JobCounts.NEWEST);
        return switch (state) {
            case WAITING, PLANNED, RETRYING -> "of the newest " + newest + " that wait, without entries of log queues";
            case FAILED, CANCELLED -> "of the newest " + newest + " that failed or were cancelled";
            case FOLLOWING -> "counted up to " + newest;
            case RUNNING -> null;
            case DONE -> "in the last hour";
        };
    }
}
