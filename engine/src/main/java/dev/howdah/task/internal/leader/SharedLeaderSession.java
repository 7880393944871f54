package dev.howdah.task.internal.leader;

import dev.howdah.Database;
import dev.howdah.Database.HostPort;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.internal.sql.Transactions;
import dev.howdah.task.TaskTableException;
import dev.howdah.task.internal.store.TableName;
import dev.howdah.task.internal.store.TaskSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.core.BaseConnection;
import org.postgresql.util.HostSpec;

/**
 * A session of the leader of one table, or of several in one database: it holds their schedulers' locks. The
 * schedulers take turns, a message or a transaction at a time. What waits for a lock gives way after a moment and comes
 * back later, so that a table that another session has locked does not keep the others waiting. Safe for use by many threads.
 */
public final class SharedLeaderSession {
    /** Takes notice of a row. */
    public interface Visitor {
        void visit(ResultSet row) throws SQLException;
    }

    /** Work that is committed as a whole, or not at all; done again from its beginning when it met a lock. */
    public interface Work {
        void run() throws SQLException;
    }

    private static final List<@Nullable Visitor> NOBODY = List.of();
    private static final long FIRST_PAUSE_MILLIS = 10;
    private static final long LAST_PAUSE_MILLIS = 400;

    private final Connection connection;

    /** Fair: a scheduler that is busy all the time does not push in front of one that is not. */
    private final ReentrantLock turn = new ReentrantLock(true);

    private final AtomicInteger users = new AtomicInteger();

    private final AtomicBoolean pulsing = new AtomicBoolean();
    private final int pid;
    private final HostPort server;
    private final ResponseWatchdog watch;
    private final LeaderWatch incumbents;
    private final PlanRenewal plans;
    private volatile long busySince;

    private SharedLeaderSession(Connection connection, Database database, Duration lease) throws SQLException {
        this.connection = connection;
        this.plans = new PlanRenewal(connection);
        this.pid = connection.unwrap(PGConnection.class).getBackendPID();
        this.server = serverOf(connection);
        this.incumbents = new LeaderWatch(this, lease);
        this.watch = new ResponseWatchdog(database.withServer(server), pid, lease, () -> busySince, this::abort);
    }

    public static SharedLeaderSession open(Database database, String applicationName, Duration lease)
            throws SQLException {
        Connection connection = connect(database, applicationName, lease);
        try {
            checkServer(connection, database);
            return new SharedLeaderSession(connection, database, lease);
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    /** Behind a pooler the process of a session has another number than its login has told, and no session of a task would be found again. */
    private static void checkServer(Connection connection, Database database) throws SQLException {
        int told = connection.unwrap(PGConnection.class).getBackendPID();
        try (PreparedStatement statement =
                        TaskSql.SCHEDULER.statement("session_pid").prepare(connection);
                ResultSet row = statement.executeQuery()) {
            row.next();
            if (row.getInt("pid") != told)
                throw new TaskTableException(database.describe() + " is reached through a pooler such as PgBouncer,"
                        + " whose connections are no sessions of the server, also with pool_mode = session; tasks need"
                        + " those: give the address of the server itself, or of a balancer");
        }
    }

    /** The one of several servers that a connection has found. */
    private static HostPort serverOf(Connection connection) throws SQLException {
        HostSpec host =
                connection.unwrap(BaseConnection.class).getQueryExecutor().getHostSpec();
        return new HostPort(host.getHost(), host.getPort());
    }

    /** A connection of which nothing in the configuration of the server spoils what is asked. */
    public static Connection connect(Database database, String applicationName, Duration lease) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("ApplicationName", applicationName);
        properties.setProperty("prepareThreshold", "3");
        Connection connection = database.connect(properties);
        try {
            connection.setNetworkTimeout(Runnable::run, (int) lease.toMillis());
            for (String each : List.of("session_note_path", "session_restore_path"))
                try (PreparedStatement prepare =
                        TaskSql.SCHEDULER.statement(each).prepare(connection)) {
                    prepare.execute();
                }
            try (PreparedStatement prepare = TaskSql.SCHEDULER
                    .statement("task_prepare_session")
                    .prepare(connection, Long.toString(lease.toMillis()))) {
                prepare.execute();
            }
            connection.setNetworkTimeout(Runnable::run, 0);
            return connection;
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    /**
     * Sends statements in one message and, outside of {@link #atomically}, one transaction.
     *
     * @param visitors one for each statement, called for each row; null where none is of interest
     * @param wanted whether to go on trying where another session holds a lock
     */
    void send(Sql statements, List<@Nullable Visitor> visitors, @Nullable Object[] values, BooleanSupplier wanted)
            throws SQLException {
        if (turn.isHeldByCurrentThread()) sendNow(statements, visitors, values); // within a transaction
        else taking(() -> sendNow(statements, visitors, values), wanted);
    }

    void atomically(Work work, BooleanSupplier wanted) throws SQLException {
        taking(() -> Transactions.run(connection, work::run), wanted);
    }

    /** Does the work when it is our turn; and again, after others had theirs, for as long as it meets a lock. */
    private void taking(Work work, BooleanSupplier wanted) throws SQLException {
        for (long pause = FIRST_PAUSE_MILLIS; ; pause = Math.min(pause * 2, LAST_PAUSE_MILLIS)) {
            turn.lock();
            busySince = System.nanoTime() | 1; // never 0
            try {
                plans.renew();
                work.run();
                return;
            } catch (SQLException e) {
                if (!SqlErrors.isLockNotAvailable(e) || !wanted.getAsBoolean()) throw e;
            } finally {
                busySince = 0;
                turn.unlock();
            }
            pause(pause);
        }
    }

    private static void pause(long millis) throws SQLException {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted while waiting for a lock", "57014", e);
        }
    }

    private void sendNow(Sql statements, List<@Nullable Visitor> visitors, @Nullable Object[] values)
            throws SQLException {
        try (PreparedStatement statement = statements.prepare(connection, values)) {
            boolean hasRows = statement.execute();
            for (Visitor visitor : visitors) {
                if (hasRows) read(statement.getResultSet(), visitor);
                hasRows = statement.getMoreResults();
            }
        }
    }

    private static void read(ResultSet rows, @Nullable Visitor visitor) throws SQLException {
        try (rows) {
            while (visitor != null && rows.next()) visitor.visit(rows);
        }
    }

    /** Returns whether to give a {@link #pulse}; false while one is being given. */
    boolean beginPulse() {
        return pulsing.compareAndSet(false, true);
    }

    /** Shows that its client is alive. */
    void pulse() throws SQLException {
        try {
            taking(() -> sendNow(TaskSql.SCHEDULER.statement("task_pulse"), NOBODY, new Object[0]), () -> false);
        } finally {
            pulsing.set(false);
        }
    }

    /** The session's process in the server. */
    int pid() {
        return pid;
    }

    /** One more uses it; false if it has ended. */
    public synchronized boolean join() {
        if (isClosed()) return false;
        users.incrementAndGet();
        return true;
    }

    /** From now on plans are good for this table, too, whatever its size. */
    void use(TableName table) {
        plans.watch(table.quoted());
    }

    /** One less uses it; it ends with the last. */
    synchronized void leave() {
        if (users.decrementAndGet() == 0) close();
    }

    boolean isShared() {
        return users.get() > 1;
    }

    /** Returns whether the session has ended, as far as the driver has heard; sends no statement. */
    boolean isLost() {
        try {
            // Reads what the server may have sent, such as the reason for which it ended the session.
            if (!connection.isClosed()) connection.unwrap(PGConnection.class).getNotifications();
            return connection.isClosed();
        } catch (SQLException e) {
            return true;
        }
    }

    /** Returns whether an error means that the session is gone, rather than that a statement failed. */
    boolean isLoss(SQLException e) {
        return (e.getSQLState() != null && SqlErrors.isConnectionLost(e)) || SqlErrors.isReadOnly(e) || isClosed();
    }

    boolean isClosed() {
        try {
            return connection.isClosed();
        } catch (SQLException e) {
            return true;
        }
    }

    /** The holders of the locks for which its users stand by. */
    LeaderWatch incumbents() {
        return incumbents;
    }

    /** The one of several servers where it is. */
    HostPort server() {
        return server;
    }

    /** Ends the session at once. */
    void abort() {
        watch.close();
        ResponseWatchdog.abort(connection);
    }

    private void close() {
        watch.close();
        try {
            connection.close();
        } catch (SQLException e) {
            abort();
        }
    }
}
