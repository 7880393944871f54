package dev.howdah.internal.connection;

import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connection for one transaction of its own. For one thread at a time. */
public final class TransactionSession implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(TransactionSession.class);

    private static final SqlFile SQL = SqlFile.of(TransactionSession.class, "transaction-session.sql");
    private static final Sql SETTINGS = SQL.statement("connection_settings");
    private static final Sql RESET = SQL.statement("connection_reset").then(SETTINGS);
    private static final Sql DISCARD = SQL.statement("connection_discard").then(SETTINGS);
    private static final Sql DEALLOCATE = SQL.statement("connection_deallocate");

    /** As pools do, which would otherwise need a round trip more for each statement. */
    private static final long TRUSTED_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final int ANSWER_SECONDS = 5;

    private final Connection connection;
    private final @Nullable String applicationName;
    private final String user;
    private final @Nullable SpareSessions spare;
    private final long opened = System.nanoTime();
    private long returned;
    private boolean reused;
    /** Whether code of a user's has it. */
    private boolean lent = true;
    /** That of its transactions before statements of the library had it; null: the same. */
    private @Nullable Integer isolation;
    /** What the statement that ended its transaction has reset; null: it is to be reset. */
    private @Nullable Left left;

    /**
     * What {@code RESET ALL} has not reset.
     *
     * @param more another role, a temporary schema, a channel or an open cursor
     * @param prepared statements that were prepared by text
     */
    private record Left(boolean more, boolean prepared) {}

    /** @param spare where it waits for the next transaction; null: it is closed after the first */
    TransactionSession(Connection connection, @Nullable SpareSessions spare) throws SQLException {
        this.connection = connection;
        this.applicationName = connection.unwrap(PGConnection.class).getParameterStatus("application_name");
        this.user = connection.getMetaData().getUserName();
        this.spare = spare;
    }

    public Connection connection() {
        return connection;
    }

    /**
     * A statement that ends the transaction of a session.
     *
     * @param alone as it is, for a connection of a pool, which has settings of its own
     * @param withReset followed by what resets a session that is kept: to reset it later would take another round trip
     */
    public record End(Sql alone, Sql withReset) {
        public static End of(Sql alone) {
            return new End(alone, alone.then(RESET));
        }
    }

    /** @param values of the statement */
    public void end(End end, @Nullable Object... values) throws SQLException {
        if (spare == null) {
            try (PreparedStatement statement = end.alone().prepare(connection, values)) {
                statement.execute();
            }
            return;
        }
        @Nullable Object[] all = Arrays.copyOf(values, values.length + 2);
        all[values.length] = applicationName;
        all[values.length + 1] = user;
        left = execute(end.withReset(), all);
    }

    /** Returns true if it had another transaction before. */
    public boolean isReused() {
        return reused;
    }

    void reuse() {
        reused = true;
        lent = true;
        left = null;
    }

    /**
     * Says that only statements of the library use it this time: it is kept as they leave it, without a round trip.
     *
     * @param level the isolation of its transactions: another than READ COMMITTED comes back when it is closed
     */
    void keepForStatements(int level) throws SQLException {
        lent = false;
        if (level == Connection.TRANSACTION_READ_COMMITTED) return;
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        isolation = level;
    }

    /** Returns false if the session is lost; one that was in use a moment ago is not asked. */
    boolean isLive() {
        if (System.nanoTime() - returned < TRUSTED_NANOS) return true;
        try {
            return connection.isValid(ANSWER_SECONDS);
        } catch (SQLException | RuntimeException e) {
            return false;
        }
    }

    /** By {@link System#nanoTime}. */
    long opened() {
        return opened;
    }

    /** By {@link System#nanoTime}. */
    long returned() {
        return returned;
    }

    /**
     * Rolls back what is not committed, and gives the connection back or keeps the session for the next transaction. Failures
     * are not told: they change nothing about a transaction that has ended.
     */
    @Override
    public void close() {
        boolean asBefore = hasItsIsolation();
        if (spare == null || !asBefore || !isReset()) {
            end();
            return;
        }
        returned = System.nanoTime();
        if (!spare.put(this)) end();
    }

    /** Closes the connection. */
    void end() {
        try {
            connection.close();
        } catch (SQLException | RuntimeException e) {
            log.debug("a connection could not be closed: {}", e.getMessage());
        }
    }

    private boolean hasItsIsolation() {
        if (isolation == null) return true;
        try {
            connection.setTransactionIsolation(isolation);
            isolation = null;
            return true;
        } catch (SQLException | RuntimeException e) {
            log.debug("a session is not used again: {}", e.getMessage());
            return false;
        }
    }

    private boolean isReset() {
        try {
            if (!lent) return isUnchanged();
            reset();
            return true;
        } catch (SQLException | RuntimeException e) {
            log.debug("a session is not used again: {}", e.getMessage());
            return false;
        }
    }

    /** Between two transactions, and not lost. */
    private boolean isUnchanged() throws SQLException {
        return !connection.isClosed()
                && connection.getAutoCommit()
                && connection.unwrap(BaseConnection.class).getTransactionState() == TransactionState.IDLE;
    }

    /** A handler may have changed settings, listened, taken locks of the session, made temporary tables or prepared statements. */
    private void reset() throws SQLException {
        BaseConnection driver = connection.unwrap(BaseConnection.class);
        if (!connection.getAutoCommit()) {
            connection.rollback();
            connection.setAutoCommit(true);
        }
        if (driver.getTransactionState() != TransactionState.IDLE)
            throw new SQLException("a transaction was begun in the session by text, and is still open", "25001");
        if (connection.isReadOnly()) connection.setReadOnly(false);
        Left still = left == null ? execute(RESET, applicationName, user) : left;
        if (still.more())
            still = new Left(true, execute(DISCARD, applicationName, user).prepared() || still.prepared());
        if (still.prepared()) deallocate();
        // Those that came while it listened.
        driver.getNotifications();
        connection.clearWarnings();
    }

    private void deallocate() throws SQLException {
        try (PreparedStatement statement = DEALLOCATE.prepare(connection)) {
            statement.execute();
        }
    }

    /** The last of the statements is {@code connection_settings}. */
    private Left execute(Sql sql, @Nullable Object... values) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, values)) {
            boolean rows = statement.execute();
            Left answer = null;
            while (rows || statement.getUpdateCount() >= 0) {
                if (rows) answer = answer(statement);
                rows = statement.getMoreResults();
            }
            if (answer == null) throw new SQLException("the session did not say what is left to reset", "08P01");
            return answer;
        }
    }

    /** Null: the row is that of another statement. */
    private static @Nullable Left answer(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.getResultSet()) {
            if (row.getMetaData().getColumnCount() < 5 || !row.next()) return null;
            return new Left(row.getBoolean(4), row.getBoolean(5));
        }
    }
}
