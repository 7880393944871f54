package dev.howdah.job;

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
}
