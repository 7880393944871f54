package dev.howdah.daemon.database;

import dev.howdah.Database;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.HostSpec;

/** A database as a data source with one session, which each connection uses again. For one thread. */
public final class KeptSession extends SessionSource implements AutoCloseable {
    private @Nullable Connection session;
    private boolean isLent;

    public KeptSession(Database database) {
        super(database);
    }

    /** The session, or a new one if that is in use or lost. */
    @Override
    public Connection getConnection() throws SQLException {
        if (isLent) return super.getConnection();
        Connection kept = session;
        if (kept == null || kept.isClosed()) kept = super.getConnection();
        session = kept;
        isLent = true;
        return lent(kept);
    }

    @Override
    public Connection getConnection(HostSpec first) throws SQLException {
        return getConnection();
    }

    private Connection lent(Connection kept) {
        boolean[] isReturned = {false};
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        if (!isReturned[0]) giveBack(kept);
                        isReturned[0] = true;
                        return null;
                    }
                    if (method.getName().equals("isClosed") && isReturned[0]) return true;
                    try {
                        return method.invoke(kept, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void giveBack(Connection kept) throws SQLException {
        isLent = false;
        if (!kept.isClosed() && !kept.getAutoCommit()) {
            kept.rollback();
            kept.setAutoCommit(true);
        }
    }

    /** Ends the session. */
    @Override
    public void close() {
        try {
            if (session != null) session.close();
        } catch (SQLException e) {
            // It has ended.
        }
    }
}
