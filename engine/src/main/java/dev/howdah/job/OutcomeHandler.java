package dev.howdah.job;

/** A {@link Handler} that returns the outcome of the job. */
@FunctionalInterface
public interface OutcomeHandler<T> {
    /** Handles one job and returns its outcome. Exceptions are as from {@link Handler}. */
    Outcome handle(T payload, Job job) throws Exception;
}
