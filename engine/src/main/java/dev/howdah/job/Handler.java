package dev.howdah.job;

import org.jspecify.annotations.Nullable;

/**
 * Handles the jobs of one kind. Called by many threads at once. A job may come again after a failed attempt, after a
 * crash of its node, and in rare cases after a success, if the node crashed before the outcome was written.
 */
@FunctionalInterface
public interface Handler<T> {
    /**
     * Handles one job. A normal return means success.
     *
     * @throws FatalException if the job has failed for good
     * @throws Exception if the attempt has failed; the retry policy decides about the next one
     */
    void handle(T payload, Job job) throws Exception;

    /**
     * Something to do around each call of a handler: set a context, measure, or act on a failure. Has to be safe for use by many threads.
     *
     * <pre>{@code
     * Jobs.on(dataSource).intercept((payload, job, next) -> {
     *     try {
     *         return next.proceed();
     *     } catch (Exception e) {
     *         if (job.isLastAttempt()) alert(job, e);
     *         throw e;
     *     }
     * })
     * }</pre>
     */
    @FunctionalInterface
    interface Interceptor {
        /**
         * Called in the thread of the handler, in the transaction of the job if the handler has one.
         *
         * @param payload null for a kind of {@code Void}
         * @return mostly what {@code next} has returned; without calling it the handler does not run
         * @throws Exception as from {@link Handler#handle}
         */
        Outcome handle(@Nullable Object payload, Job job, Next next) throws Exception;
    }

    /** The rest of the way to the handler. */
    @FunctionalInterface
    interface Next {
        /** Calls the next interceptor, or the handler; to be called once at most. */
        Outcome proceed() throws Exception;
    }
}
