package dev.howdah.job.workflow;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A workflow as it was a moment ago. Jobs that run when all have ended are not counted.
 *
 * @param name null: it has none, since it was added by SQL
 * @param ended when all jobs had ended; null: some have not
 * @param total the number of its jobs
 * @param done the jobs that are done
 * @param failed the jobs that have failed
 * @param cancelled the jobs that were cancelled
 * @param waiting the jobs that wait or run
 * @param callbacks the jobs that run when all have ended, and wait for a node; one stays so as long as no node handles its kind
 */
public record WorkflowSummary(
        long id,
        @Nullable String name,
        State state,
        Instant created,
        @Nullable Instant ended,
        long total,
        long done,
        long failed,
        long cancelled,
        long waiting,
        int callbacks) {
    /** The state of a workflow. */
    public enum State {
        /** Jobs may be added to it. */
        OPEN,
        /** Some of its jobs have not ended. */
        RUNNING,
        /** It was cancelled, and some of its jobs have not ended. */
        CANCELLING,
        /** All of its jobs have ended. */
        ENDED
    }
}
