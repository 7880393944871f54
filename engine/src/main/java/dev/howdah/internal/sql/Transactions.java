package dev.howdah.internal.sql;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Transactions of a connection that is in autocommit mode before and after. */
public final class Transactions {
    private Transactions() {}

    /** The statements of a transaction. */
    public interface Work<T extends @Nullable Object> {
        T run() throws SQLException;
    }

    /** The statements of a transaction without a result. */
    public interface Action {
        void run() throws SQLException;
    }

    /** As {@link #in(Connection, Work)}. */
    public static void run(Connection connection, Action action) throws SQLException {
        in(connection, () -> {
            action.run();
            return true;
        });
    }

    /**
     * Runs the work in a transaction, which is committed when it returns and rolled back when it throws.
     *
     * @throws SQLException that of the work, or of the commit; a failure of the rollback is suppressed in it
     */
    public static <T extends @Nullable Object> T in(Connection connection, Work<T> work) throws SQLException {
        connection.setAutoCommit(false);
        T result;
        try {
            result = work.run();
            connection.commit();
        } catch (SQLException | RuntimeException | Error e) {
            rollBack(connection, e);
            throw e;
        }
        connection.setAutoCommit(true);
        return result;
    }

    private static void rollBack(Connection connection, Throwable failure) {
        try {
            if (connection.isClosed()) return;
            connection.rollback();
            connection.setAutoCommit(true);
        } catch (SQLException | RuntimeException e) {
            failure.addSuppressed(e);
        }
    }
}
