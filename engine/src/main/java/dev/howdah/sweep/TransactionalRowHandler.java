package dev.howdah.sweep;

import java.sql.Connection;

/** Processes a row in the transaction that marks it. Called by several threads at the same time. */
@FunctionalInterface
public interface TransactionalRowHandler {
    /**
     * Processes the row. Effects on the connection happen exactly once.
     *
     * @param connection in a transaction that ends after this has returned: it cannot be committed, rolled back or closed
     */
    void handle(SweepRow row, Connection connection) throws Exception;
}
