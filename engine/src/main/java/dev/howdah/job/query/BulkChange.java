package dev.howdah.job.query;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A change of all jobs that meet a query. Immutable. See {@link dev.howdah.job.JobAdmin#change}.
 *
 * @param action what is done with the jobs
 * @param query of the jobs, on all its pages
 * @param queue to which they are moved; null for the other actions
 */
public record BulkChange(
        Action action, JobQuery query, @Nullable String queue) {
    /** @throws IllegalArgumentException if there is a queue and the action is another one than MOVE, or the other way round, or if the query names a node */
    public BulkChange {
        Objects.requireNonNull(action, "a change needs an action, not null");
        Objects.requireNonNull(query, "a change needs a query, not null");
        if (query.node() != null)
            throw new IllegalArgumentException("a change of all jobs of node " + query.node()
                    + ": a query for changes names no node; change jobs by their ids");
        if ((queue != null) != (action == Action.MOVE))
            throw new IllegalArgumentException(
                    action + " to queue " + queue + ": a queue is for MOVE, which needs one");
    }

    /** What is done with a job. */
    public enum Action {
        /** A job that has failed or was cancelled is retried, with all its attempts. */
        RETRY,
        /** A job that is planned or waits for a retry is due now. */
        RUN_NOW,
        /** A job that waits is cancelled. */
        CANCEL,
        /** A job that waits goes to another queue, unless it has a key or an order key. */
        MOVE,
        /** A job that has failed or was cancelled is deleted. */
        DELETE
    }

    /** Told of each step of a change. */
    @FunctionalInterface
    public interface Progress {
        /**
         * Called after each transaction, in the thread of the caller.
         *
         * @param changed the number of jobs that were changed since the beginning
         * @param left the number of jobs that met the query and could not be changed
         * @return false to stop; what is done stays
         */
        boolean step(long changed, long left);
    }
}
