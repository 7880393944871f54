package dev.howdah.job;

import java.sql.Connection;

/** As {@link TransactionalHandler}, but says itself what becomes of the job. */
@FunctionalInterface
public interface TransactionalOutcomeHandler<T> {
    /**
     * Works on one job and says how that ended. With {@link Outcome#done} and {@link Outcome#next} the transaction commits, and with it
     * that the job is done, or the step to its next stage; whatever else it says, or throws, all is rolled back first.
     *
     * @param connection in a transaction; not to be committed, rolled back or closed
     */
    Outcome handle(T payload, Job job, Connection connection) throws Exception;
}
