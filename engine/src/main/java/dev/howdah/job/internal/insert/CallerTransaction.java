package dev.howdah.job.internal.insert;

import dev.howdah.internal.error.ErrorText;
import dev.howdah.job.JobsException;
import dev.howdah.spi.TransactionBridge;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The transaction of the calling thread, which a framework has begun. Safe for use by many threads.
 *
 * @param bridge to the framework; null: there is none, and no thread is in a transaction
 */
public record CallerTransaction(@Nullable TransactionBridge bridge) {
    /** Returns whether the calling thread is in one. */
    public boolean isActive() {
        return bridge != null && bridge.isActive();
    }

    /** What is written in autocommit mode belongs to no transaction, and would stay when the caller's is rolled back. */
    private static Connection checked(Connection connection, TransactionBridge bridge) throws SQLException {
        if (connection.getAutoCommit())
            throw new SQLException(
                    bridge.getClass().getName() + " gave a connection in autocommit mode, which is in no transaction:"
                            + " its isActive() may return true only while the thread is in a transaction of that"
                            + " connection",
                    "25P01");
        return connection;
    }

    /** Calls {@code work} with its connection. */
    public <T> T join(Function<Connection, T> work) {
        if (bridge == null) throw new IllegalStateException("no transaction");
        try {
            return bridge.join(connection -> work.apply(checked(connection, bridge)));
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new JobsException("the transaction of the caller cannot be joined: " + ErrorText.message(e), e);
        }
    }
}
