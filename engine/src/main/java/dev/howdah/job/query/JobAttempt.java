package dev.howdah.job.query;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An attempt of a job, as the history has it.
 *
 * @param number from 1; from 1 again after {@link dev.howdah.job.JobAdmin#retry}, and in each stage of a pipeline
 * @param kind of the job then: each stage of a pipeline has its own
 * @param node that ran it
 * @param begun when it began; when it was claimed, if it runs or the node crashed
 * @param ended null: it runs
 * @param error with its stack trace; null: there is none
 */
public record JobAttempt(
        int number,
        String kind,
        Result result,
        int node,
        Instant begun,
        @Nullable Instant ended,
        @Nullable String error) {
    /** The end of an attempt. */
    public enum Result {
        /** It has not ended. */
        RUNNING,
        DONE,
        /** The job went on to the next stage of its pipeline. */
        NEXT_STAGE,
        /** It failed, and another attempt follows. */
        RETRIED,
        /** The handler asked for a later attempt. */
        SNOOZED,
        /** The handler waits; a run that ends so is no attempt. */
        SUSPENDED,
        /** It failed, and no other follows. */
        FAILED,
        CANCELLED,
        /** The node crashed, or was declared dead. */
        NODE_CRASHED
    }
}
