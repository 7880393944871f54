package dev.howdah.daemon.work;

import dev.howdah.Database;
import dev.howdah.daemon.database.SessionSource;
import dev.howdah.internal.connection.ServerWatch;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.HostSpec;

/**
 * The sessions of jobs of kind sql: used one after the other, each discarded of all that a job has left in it before the
 * next one has it. Safe for use by many threads.
 */
public final class SqlSessions extends SessionSource implements AutoCloseable {
    /** A session that was used this moment is not checked. */
    private static final long TRUSTED_NANOS = 500_000_000;

    private static final int VALID_SECONDS = 5;

    private final Database database;
    private final int most;
    private final Deque<Idle> idle = new ArrayDeque<>();
    private boolean closed;

    private record Idle(Connection session, long since) {}

    /** @param most how many are kept */
    public SqlSessions(Database database, int most) {
        super(database);
        this.database = database;
        this.most = most;
    }

    @Override
    public Connection getConnection() throws SQLException {
        return getConnection(database, null);
    }

    @Override
    public Connection getConnection(HostSpec first) throws SQLException {
        return getConnection(database.beginningWith(new Database.HostPort(first.getHost(), first.getPort())), first);
    }

    private Connection getConnection(Database from, @Nullable HostSpec host) throws SQLException {
        Connection session = take(host);
        if (session == null) {
            Properties properties = new Properties();
            // What one job prepares by name must not reach another job; DISCARD ALL takes it away behind the driver's
            // back.
            properties.setProperty("prepareThreshold", "0");
            session = from.connect(properties);
        }
        return lent(session);
    }

    private static boolean isOf(@Nullable HostSpec host, Connection session) throws SQLException {
        if (host == null) return true;
        HostSpec own = ServerWatch.hostOf(session);
        return own.getHost().equals(host.getHost()) && own.getPort() == host.getPort();
    }

    /** @param host sessions of other hosts are closed; null: of any host */
    private @Nullable Connection take(@Nullable HostSpec host) throws SQLException {
        while (true) {
            Idle found = next();
            if (found == null) return null;
            if (!isOf(host, found.session())) {
                found.session().close();
                continue;
            }
            if (System.nanoTime() - found.since() < TRUSTED_NANOS
                    || found.session().isValid(VALID_SECONDS)) return found.session();
            found.session().close();
        }
    }

    private synchronized @Nullable Idle next() {
        return idle.pollFirst();
    }

    private Connection lent(Connection session) {
        return (Connection) Proxy.newProxyInstance(
                SqlSessions.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, values) -> {
                    if (method.getName().equals("close")) {
                        giveBack(session);
                        return null;
                    }
                    try {
                        return method.invoke(session, values);
                    } catch (InvocationTargetException e) {
                        throw e.getCause() == null ? e : e.getCause();
                    }
                });
    }

    private void giveBack(Connection session) throws SQLException {
        try (Statement statement = session.createStatement()) {
            if (!session.getAutoCommit()) session.setAutoCommit(true);
            statement.execute("DISCARD ALL");
            if (keep(session)) return;
        } catch (SQLException e) {
            // It is of no more use.
        }
        session.close();
    }

    private synchronized boolean keep(Connection session) {
        if (closed || idle.size() >= most) return false;
        idle.addFirst(new Idle(session, System.nanoTime()));
        return true;
    }

    /** Ends the idle ones; the others end when they are given back. */
    @Override
    public void close() {
        Deque<Idle> last;
        synchronized (this) {
            closed = true;
            last = new ArrayDeque<>(idle);
            idle.clear();
        }
        for (Idle each : last) {
            try {
                each.session().close();
            } catch (SQLException e) {
                // It is gone already.
            }
        }
    }
}
