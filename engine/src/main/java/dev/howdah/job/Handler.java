package dev.howdah.job;

/**
 * Does the work of one kind of job. Called by many threads at once; the same job may come again when it has failed, when
 * its node has died, and in rare cases when it has succeeded but its node died before that was written down.
 */
@FunctionalInterface
public interface Handler<T> {
    /**
     * Works on one job. Returning is success.
     *
     * @throws FatalException if another attempt makes no sense: the job has failed
     * @throws Exception anything else: the attempt has failed, and the retry policy says what happens next
     */
    void handle(T payload, Job job) throws Exception;
}
