package dev.howdah.internal.connection;

import dev.howdah.internal.conninfo.HostDeadlines;
import dev.howdah.internal.conninfo.ListenSource;
import dev.howdah.internal.sql.SchemaName;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.postgresql.jdbc.PgConnection;
import org.postgresql.jdbc.PreferQueryMode;
import org.postgresql.util.HostSpec;
import org.postgresql.util.PSQLException;

/**
 * The connections of a user's data source, for all features. A connection comes in autocommit mode, may write, and is in no
 * transaction; closing it gives it back with the settings that it came with. What a connection has to be for that is checked
 * each time, without a round trip.
 *
 * <p>A data source may bind connections to the transaction of a thread, as Spring's {@code TransactionAwareDataSourceProxy}
 * and pools of application servers do. Unless the data source is known not to, a connection is asked for, used and given back in
 * one {@linkplain HomeThread thread of the library's own}, which is in no transaction. Safe for use by many threads.
 */
public final class ConnectionSource {
    /** Gives any thread a connection that no other one has, as pgjdbc does. A name, since it may not be on the class path. */
    private static final String SAME_FOR_ALL_THREADS = "com.zaxxer.hikari.HikariDataSource";

    /** The isolation that the transactions of a session have unless they say otherwise: asked once, and not at each use. */
    private static final Map<BaseConnection, Integer> ISOLATIONS = Collections.synchronizedMap(new WeakHashMap<>());

    /** What pools call the number of connections that they have at most. */
    private static final List<String> SIZES =
            List.of("getMaximumPoolSize", "getMaxTotal", "getMaxPoolSize", "getMaxActive");

    private final DataSource source;
    private final boolean sameForAllThreads;
    private final SpareSessions spare;
    private final ServerWatch server;
    private final OpenConnections open;

    /** Whether connections lead to the server that the session of the node has found. */
    private final boolean follows;

    /** In which the library's statements on its connections are. */
    private final SchemaName schema;

    private volatile String demand = "";

    private ConnectionSource(
            DataSource source,
            SpareSessions spare,
            ServerWatch server,
            OpenConnections open,
            boolean follows,
            SchemaName schema) {
        this.schema = schema;
        this.source = source;
        this.follows = follows;
        this.sameForAllThreads = HostDeadlines.isPlain(source)
                || source instanceof CallerThreadSource
                || SAME_FOR_ALL_THREADS.equals(source.getClass().getName());
        this.spare = spare;
        this.server = server;
        this.open = open;
    }

    public static ConnectionSource of(DataSource source) {
        OpenConnections all = new OpenConnections(null);
        return of(source, new ServerWatch(all), all, SchemaName.howdah());
    }

    private static ConnectionSource of(DataSource source, ServerWatch server, OpenConnections open, SchemaName schema) {
        SpareSessions spare = new SpareSessions();
        server.add(spare);
        return new ConnectionSource(source, spare, server, open, true, schema);
    }

    /** Another data source of the same database: its connections lead to the same server as those of this one. */
    public ConnectionSource beside(DataSource other) {
        return of(other, server, new OpenConnections(open), schema);
    }

    /** The same database, for a node: its connections can be aborted together, by {@link #abortAll}. */
    public ConnectionSource forNode() {
        ConnectionSource own = new ConnectionSource(source, spare, server, new OpenConnections(open), follows, schema);
        own.demand = demand;
        return own;
    }

    /**
     * Aborts the connections that were got from this object, whatever they wait for, and gives no others. Connections of the
     * object that it was {@link #forNode made} of are not concerned.
     */
    public void abortAll() {
        open.close();
    }

    /** Returns whether both have the same data source object, and are of one schema. */
    public boolean isSame(ConnectionSource other) {
        return source == other.source && schema == other.schema;
    }

    /** The same connections, on which the library's statements are in another schema. */
    public ConnectionSource in(SchemaName other) {
        if (schema == other) return this;
        // Sessions that are kept for a next transaction are those of one schema.
        SpareSessions apart = new SpareSessions();
        server.add(apart);
        ConnectionSource own = new ConnectionSource(source, apart, server, open, follows, other);
        own.demand = demand;
        return own;
    }

    /** In which the library's statements are. */
    public SchemaName schema() {
        return schema;
    }

    /** A connection of a caller's, for statements of the library. */
    public Connection inSchema(Connection callers) {
        return SchemaConnection.of(callers, schema);
    }

    /** Which server the connections lead to; aborts those that lead to a former one. */
    public ServerWatch server() {
        return server;
    }

    /**
     * Says how many connections are needed. That is part of the message when there is none to be had.
     *
     * @param least refused if the data source is a pool that says that it has fewer
     * @param words how many are needed and for what, and what to do about it
     */
    public void require(int least, String words) throws SQLException {
        demand = words;
        int size = poolSize();
        if (size >= 0 && size < least)
            throw new SQLException(
                    "the pool has at most " + size + " connections and at least " + least + " are needed: " + words,
                    "53300");
    }

    /** The number of connections that a pool has at most; -1 where that cannot be asked. */
    public int poolSize() {
        for (String name : SIZES) {
            try {
                if (source.getClass().getMethod(name).invoke(source) instanceof Integer size) return size;
            } catch (ReflectiveOperationException | RuntimeException e) {
                // It is called otherwise, or is no pool.
            }
        }
        return -1;
    }

    /**
     * A connection for one transaction, as {@link #getConnection}; the caller closes it. Where there is no pool its session is
     * kept for the next transaction, reset to what it was when it was opened.
     */
    public TransactionSession transactionSession() throws SQLException {
        TransactionSession kept = spare.take();
        if (kept != null) return kept;
        Connection connection = connection(false);
        return new TransactionSession(connection, isOfNoPool(connection) ? spare : null);
    }

    /** As {@link #transactionSession}, for what cannot be begun again: a kept session that is lost is not given. */
    public TransactionSession liveSession() throws SQLException {
        TransactionSession session = transactionSession();
        if (!session.isReused() || session.isLive()) return session;
        session.end();
        spare.closeAll();
        return transactionSession();
    }

    /** As {@link #liveSession}, for statements of the library alone, each of which is a transaction that is READ COMMITTED. */
    public TransactionSession statementSession() throws SQLException {
        TransactionSession session = liveSession();
        try {
            session.keepForStatements(isolation(session.connection().unwrap(BaseConnection.class)));
        } catch (SQLException | RuntimeException e) {
            session.end();
            throw e;
        }
        return session;
    }

    /** Closes sessions that have waited long for a next transaction. */
    public void closeIdleSessions() {
        spare.closeIdle();
    }

    /** Closes all sessions that wait for a next transaction: after a loss of one the others may be lost, too. */
    public void closeSpareSessions() {
        spare.closeAll();
    }

    /** As {@link #closeSpareSessions}, and keeps none from now on. */
    public void keepNoSessions() {
        spare.close();
    }

    /** The same database for a session that listens; its connections may bypass a pool. */
    public ConnectionSource forListening() throws SQLException {
        DataSource listening = ListenSource.of(source);
        return listening == source ? this : listening(listening, follows);
    }

    /** As {@link #forListening}, for the session that finds the server: it begins with the first host. */
    public ConnectionSource forPresence() throws SQLException {
        return listening(ListenSource.of(source), false);
    }

    private ConnectionSource listening(DataSource listening, boolean following) {
        ConnectionSource own = new ConnectionSource(listening, spare, server, open, following, schema);
        own.demand = demand;
        return own;
    }

    /**
     * A connection in autocommit mode that may write, for statements of the library: its transactions are READ COMMITTED, whatever those of
     * the pool, the role or the database are, since others change the same rows. When it is closed, a transaction that is still
     * open is rolled back.
     *
     * @throws SQLException as the data source does, or if its connections cannot be used
     */
    public Connection getConnection() throws SQLException {
        return connection(true);
    }

    /**
     * As {@link #getConnection}, for callers that hold another connection.
     *
     * @param most how long a pool is waited for: where all its connections are held by such callers none comes
     * @throws SQLTransientConnectionException if none came in time
     */
    public Connection getConnection(Duration most) throws SQLException {
        return HostDeadlines.isPlain(source) ? getConnection() : SchemaConnection.of(openAtHome(true, most), schema);
    }

    /** @param ours whether statements of the library alone run on it */
    private Connection connection(boolean ours) throws SQLException {
        return SchemaConnection.of(sameForAllThreads ? open(ours) : openAtHome(ours, null), schema);
    }

    private Connection openAtHome(boolean ours, @Nullable Duration most) throws SQLException {
        HomeThread home = HomeThread.start();
        CompletableFuture<Connection> opening = home.submit(() -> open(ours));
        Connection opened = null;
        try {
            opened = most == null ? opening.get() : opening.get(most.toNanos(), TimeUnit.NANOSECONDS);
            // One of no pool is in no transaction, whatever thread has it.
            return isOfNoPool(opened) ? opened : HomeConnection.of(opened, home);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted while waiting for a connection", "57014", e);
        } catch (TimeoutException e) {
            throw new SQLTransientConnectionException("no connection came within " + most, "08001", e);
        } catch (ExecutionException e) {
            Throwable cause = HomeThread.failure(e);
            if (cause instanceof SQLException failure) throw failure;
            if (cause instanceof Error error) throw error;
            throw new SQLException("the data source gave no connection: " + cause, "08001", cause);
        } finally {
            // What comes after all goes back.
            if (opened == null)
                opening.thenAccept(late -> home.submit(() -> {
                            giveBack(late);
                            return null;
                        }))
                        .whenComplete((done, e) -> home.end());
            else if (isOfNoPool(opened)) home.end();
        }
    }

    private Connection open(boolean ours) throws SQLException {
        Connection connection = take();
        try {
            BaseConnection driver = driverConnection(connection);
            endIdleTransaction(connection, driver);
            boolean automatic = connection.getAutoCommit();
            boolean readOnly = connection.isReadOnly();
            if (!automatic) connection.setAutoCommit(true);
            if (readOnly) connection.setReadOnly(false);
            int isolation = ours ? isolation(driver) : Connection.TRANSACTION_READ_COMMITTED;
            boolean follows = isolation == Connection.TRANSACTION_READ_COMMITTED;
            if (!follows) connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            open.add(driver);
            // A connection of pgjdbc itself is of no pool: it ends when it is closed.
            if (isOfNoPool(connection)) return connection;
            return RestoringConnection.of(
                    connection, driver, automatic, readOnly, follows ? null : isolation, this::evict, open::remove);
        } catch (SQLException | RuntimeException e) {
            giveBack(connection);
            throw e;
        }
    }

    /**
     * That session, with transactions that are READ COMMITTED, as those of {@link #getConnection}.
     *
     * @param session of our own: it is closed if it cannot be used
     */
    public static Connection readCommitted(Connection session) throws SQLException {
        try {
            if (isolation(session.unwrap(BaseConnection.class)) != Connection.TRANSACTION_READ_COMMITTED)
                session.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            return session;
        } catch (SQLException | RuntimeException e) {
            giveBack(session);
            throw e;
        }
    }

    /** READ COMMITTED also where it cannot be changed: a pooler that lends sessions for a transaction would lend the change to others. */
    private static int isolation(BaseConnection driver) throws SQLException {
        Integer known = ISOLATIONS.get(driver);
        if (known != null) return known;
        int level = driver.getTransactionIsolation();
        if (level != Connection.TRANSACTION_READ_COMMITTED && !isOwnSession(driver))
            level = Connection.TRANSACTION_READ_COMMITTED;
        ISOLATIONS.put(driver, level);
        return level;
    }

    /** Poolers give clients a number of their own at the start. */
    private static boolean isOwnSession(BaseConnection driver) throws SQLException {
        try (Statement statement = driver.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_catalog.pg_backend_pid()")) {
            row.next();
            return row.getInt(1) == driver.getBackendPID();
        }
    }

    private Connection take() throws SQLException {
        HostSpec first = follows ? server.host() : null;
        try {
            if (first != null && source instanceof MultiHostSource hosts) return hosts.getConnection(first);
            return HostDeadlines.connect(source, first);
        } catch (SQLException e) {
            // What the server or the driver says needs no word of pools.
            if (demand.isEmpty() || e instanceof PSQLException || e.getCause() instanceof PSQLException) throw e;
            throw new SQLTransientConnectionException(e.getMessage() + "; " + demand, e.getSQLState(), e);
        }
    }

    /**
     * Tells HikariCP that a connection is not to be used again. It logs a warning for a connection that is ended beneath it,
     * unless it was told so before.
     */
    private boolean evict(Connection connection) {
        try {
            source.getClass().getMethod("evictConnection", Connection.class).invoke(source, connection);
            return true;
        } catch (ReflectiveOperationException | RuntimeException e) {
            return false; // it is another pool
        }
    }

    /** Returns true for a connection that ends when it is closed. */
    static boolean isOfNoPool(Connection connection) {
        return SchemaConnection.below(connection) instanceof PgConnection;
    }

    private BaseConnection driverConnection(Connection connection) throws SQLException {
        if (!connection.isWrapperFor(BaseConnection.class))
            throw new SQLException(
                    "connections of " + source.getClass().getName()
                            + " are not of PostgreSQL's JDBC driver (pgjdbc) but "
                            + connection.getClass().getName()
                            + ": the data source has to use that driver and let its connections be unwrapped",
                    "0A000");
        BaseConnection driver = connection.unwrap(BaseConnection.class);
        if (driver.getPreferQueryMode() == PreferQueryMode.SIMPLE)
            throw new SQLException(
                    "connections of " + source.getClass().getName()
                            + " have preferQueryMode=simple, which sends parameters without their types: leave"
                            + " preferQueryMode out; for a pooler such as PgBouncer set prepareThreshold=0 instead",
                    "0A000");
        return driver;
    }

    /**
     * Pools that test or prepare a connection while autocommit is off hand it out in the transaction of that statement. It is
     * committed, since the statement may have been a SET.
     */
    private void endIdleTransaction(Connection connection, BaseConnection driver) throws SQLException {
        if (driver.getTransactionState() == TransactionState.IDLE) return;
        if (driver.getTransactionState() == TransactionState.OPEN && !hasWritten(connection)) {
            connection.commit();
            if (driver.getTransactionState() == TransactionState.IDLE) return;
        }
        throw new SQLException(
                source.getClass().getName() + " gave a connection in the middle of a transaction. Howdah works in"
                        + " transactions of its own: give it the data source beneath, and use the methods that take a"
                        + " Connection for what belongs to a transaction of yours",
                "25001");
    }

    private static boolean hasWritten(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_catalog.txid_current_if_assigned() IS NOT NULL")) {
            row.next();
            return row.getBoolean(1);
        }
    }

    private static void giveBack(Connection connection) {
        try {
            connection.close();
        } catch (SQLException | RuntimeException e) {
            // It has not been used, and the failure before is the one to tell.
        }
    }
}
