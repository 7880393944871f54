package dev.howdah.job.internal.execute;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** The connection in whose transaction a handler works, so that another thread can end that transaction. Safe for use by many threads. */
final class ConnectionInUse {
    private @Nullable Connection connection;
    private boolean reads;

    /**
     * From now on the handler works with that connection.
     *
     * @param mayRead whether its role reads the tables
     */
    synchronized void begin(Connection used, boolean mayRead) {
        connection = used;
        reads = mayRead;
    }

    /** That connection for reading in its transaction; null: there is none that can be read with. */
    synchronized @Nullable Connection readable() {
        Connection used = connection;
        if (used == null || !reads) return null;
        try {
            return used.unwrap(BaseConnection.class).getTransactionState() == TransactionState.FAILED ? null : used;
        } catch (SQLException | RuntimeException e) {
            return null;
        }
    }

    /** From now on it does not; waits for a {@link #abort} that has begun. */
    synchronized void end() {
        connection = null;
    }

    /** Ends the transaction, whatever its thread does: the running statement is cancelled, and the connection closed. */
    synchronized void abort() {
        Connection used = connection;
        if (used == null) return;
        try {
            // The server notices a closed connection only after the statement.
            used.unwrap(PGConnection.class).cancelQuery();
        } catch (SQLException | RuntimeException e) {
            // There may be none.
        }
        try {
            used.abort(Runnable::run);
        } catch (SQLException | RuntimeException e) {
            // It has ended meanwhile.
        }
    }
}
