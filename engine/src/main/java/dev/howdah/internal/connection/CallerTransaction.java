package dev.howdah.internal.connection;

import dev.howdah.internal.error.ErrorText;
import dev.howdah.spi.TransactionBridge;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * The transaction of the calling thread, which a framework has begun. A connection of which the bridge is wrong is refused before anything is
 * written. Safe for use by many threads.
 *
 * @param bridge to the framework; null: there is none, and no thread is in a transaction
 */
public record CallerTransaction(@Nullable TransactionBridge bridge) {
    /** Returns whether the calling thread is in one. */
    public boolean isActive() {
        return bridge != null && bridge.isActive();
    }

    /**
     * Calls {@code work} with its connection.
     *
     * @throws SQLException if it cannot be joined
     */
    public <T> T join(Function<Connection, T> work) throws SQLException {
        if (bridge == null) throw new IllegalStateException("no transaction");
        try {
            return bridge.join(connection -> work.apply(usable(connection, bridge)));
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new SQLException("the transaction of the caller cannot be joined: " + reasons(e), state(e), e);
        }
    }

    /** Calls {@code work} when that transaction has committed; at once where there is none. */
    public void afterCommit(Runnable work) {
        if (bridge != null && bridge.isActive()) bridge.afterCommit(work);
        else work.run();
    }

    /**
     * The connection of a transaction in which something is to be written.
     *
     * @throws SQLException if what is written there would not be part of a transaction, or would be refused and fail the caller's
     */
    public static Connection usable(Connection connection, TransactionBridge bridge) throws SQLException {
        // What is written in autocommit mode belongs to no transaction, and would stay when the caller's is rolled
        // back.
        if (connection.getAutoCommit())
            throw new SQLException(
                    bridge.getClass().getName() + " gave a connection in autocommit mode, which is in no transaction:"
                            + " its isActive() may return true only while the thread is in a transaction of that"
                            + " connection",
                    "25P01");
        if (connection.isReadOnly())
            throw new SQLException(
                    "it is read only, and something is to be written: do it in a transaction that may write", "25006");
        if (connection.isWrapperFor(BaseConnection.class)
                && connection.unwrap(BaseConnection.class).getTransactionState() == TransactionState.FAILED)
            throw new SQLException(
                    "a statement of it has failed before, so that it can only be rolled back: roll back to a savepoint"
                            + " before that statement, or begin another transaction",
                    "25P02");
        return connection;
    }

    /** Frameworks put the reason below what they say of it. */
    private static String reasons(Exception e) {
        Throwable last = e;
        while (last.getCause() != null && last.getCause() != last) last = last.getCause();
        String first = ErrorText.message(e);
        return last == e || first.contains(ErrorText.message(last)) ? first : first + ": " + ErrorText.message(last);
    }

    private static @Nullable String state(Exception e) {
        return e instanceof SQLException known ? known.getSQLState() : null;
    }
}
