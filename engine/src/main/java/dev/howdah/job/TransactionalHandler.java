package dev.howdah.job;

import java.sql.Connection;

/**
 * Handles jobs in the database of the jobs, in one transaction with the outcome of the job: its effects there happen exactly once.
 */
@FunctionalInterface
public interface TransactionalHandler<T> {
    /**
     * Handles one job. When it returns the transaction commits, and with it the outcome; when it throws, the transaction is rolled back.
     *
     * @param connection in a transaction; not to be committed, rolled back or closed
     * @throws Exception as from {@link Handler#handle}
     */
    void handle(T payload, Job job, Connection connection) throws Exception;
}
