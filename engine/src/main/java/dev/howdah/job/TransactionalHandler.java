package dev.howdah.job;

import java.sql.Connection;

/**
 * Does its work in the database of the jobs, in one transaction with the job's own end: what it does there is done exactly
 * once.
 */
@FunctionalInterface
public interface TransactionalHandler<T> {
    /**
     * Works on one job. When it returns the transaction commits, and with it that the job is done; when it throws, all is
     * rolled back.
     *
     * @param connection in a transaction; not to be committed, rolled back or closed
     * @throws Exception as from {@link Handler#handle}
     */
    void handle(T payload, Job job, Connection connection) throws Exception;
}
