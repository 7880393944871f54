package dev.howdah.job;

import java.sql.Connection;

/** A {@link TransactionalHandler} that returns the outcome of the job. */
@FunctionalInterface
public interface TransactionalOutcomeHandler<T> {
    /**
     * Handles one job and returns its outcome. With {@link Outcome#done} and {@link Outcome#next} the transaction
     * commits, and with it the outcome; after any other outcome or an exception the transaction is rolled back.
     *
     * @param connection in a transaction; not to be committed, rolled back or closed
     */
    Outcome handle(T payload, Job job, Connection connection) throws Exception;
}
