package dev.howdah.internal.connection;

import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.util.HostSpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server to which a data source leads. After a failover the sessions at the former primary may wait for ever: it may be frozen
 * rather than dead. The session of a node that has a deadline for each answer finds the new primary, and then all connections to
 * the former one are aborted. Safe for use by many threads.
 */
public final class ServerWatch {
    private static final Logger log = LoggerFactory.getLogger(ServerWatch.class);
    private static final Sql INSTANCE =
            SqlFile.of(DedicatedSession.class, "dedicated-session.sql").statement("server_instance");

    private final OpenConnections all;
    private final List<SpareSessions> spare = new CopyOnWriteArrayList<>();
    private @Nullable String instance;
    private volatile long answered = System.nanoTime();
    private volatile @Nullable HostSpec host;

    ServerWatch(OpenConnections all) {
        this.all = all;
    }

    /** These sessions are closed, too, when the server is another one. */
    void add(SpareSessions sessions) {
        spare.add(sessions);
    }

    /**
     * A session with a deadline for each answer has been opened. If it is of another server, connections to the former are
     * aborted.
     *
     * @return the timeline of the server's log; a promotion begins another one, which may lack commits of before. Null: the
     *     server is a standby
     */
    public @Nullable String opened(DedicatedSession session) throws SQLException {
        String found;
        String timeline;
        try (ResultSet row = session.query(INSTANCE)) {
            row.next();
            found = row.getString(1);
            timeline = row.getString(2);
        }
        synchronized (this) {
            boolean other = instance != null && !instance.equals(found);
            instance = found;
            host = hostOf(session);
            if (other) leave(session);
        }
        answered = System.nanoTime();
        return timeline;
    }

    /**
     * The host of that session; null if there was none yet. All other connections have to be of the same server: a former primary
     * that is thawed takes connections as the new one does, and stands first in the URL.
     */
    @Nullable
    HostSpec host() {
        return host;
    }

    /** Connections that are opened from now on lead to that host, if it gives any. */
    public void follow(HostSpec found) {
        host = found;
    }

    /** The host that a session leads to. */
    public static HostSpec hostOf(DedicatedSession session) throws SQLException {
        return hostOf(session.connection());
    }

    /** The host that a connection leads to. */
    public static HostSpec hostOf(Connection connection) throws SQLException {
        return connection.unwrap(BaseConnection.class).getQueryExecutor().getHostSpec();
    }

    /** The session has had an answer. */
    public void answered() {
        answered = System.nanoTime();
    }

    private void leave(DedicatedSession session) throws SQLException {
        spare.forEach(SpareSessions::closeAll);
        int aborted = all.abortOthers(session.connection().unwrap(BaseConnection.class), answered);
        if (aborted > 0)
            log.info("the database is at another server, or was started again; {} connections are ended", aborted);
    }
}
