package dev.howdah.job;

/** As {@link Handler}, but says itself what becomes of the job. */
@FunctionalInterface
public interface OutcomeHandler<T> {
    /** Works on one job and says how that ended; failures may be thrown as well, as from {@link Handler}. */
    Outcome handle(T payload, Job job) throws Exception;
}
