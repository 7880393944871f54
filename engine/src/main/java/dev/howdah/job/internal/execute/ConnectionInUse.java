package dev.howdah.job.internal.execute;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/** The connection in whose transaction a handler works, so that another thread can end that transaction. Safe for use by many threads. */
final class ConnectionInUse {
    private @Nullable Connection connection;

    /** From now on the handler works with that connection. */
    synchronized void begin(Connection used) {
        connection = used;
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
