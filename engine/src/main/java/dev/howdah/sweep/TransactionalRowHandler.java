package dev.howdah.sweep;

import java.sql.Connection;

/** What is done to a row in the transaction that marks it. Called by several threads at the same time. */
@FunctionalInterface
public interface TransactionalRowHandler {
    /**
     * Does it, exactly once as far as it is done by way of that connection.
     *
     * @param connection in a transaction that ends after this has returned: it cannot be committed, rolled back or closed
     */
    void handle(SweepRow row, Connection connection) throws Exception;
}
