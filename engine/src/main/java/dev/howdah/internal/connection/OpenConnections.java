package dev.howdah.internal.connection;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;

/**
 * The connections of a data source that are in use. A statement that waits for a server that is frozen never ends by itself:
 * TCP's probes are answered by the kernel. So connections are aborted from here, whichever thread waits for them. Safe for use
 * by many threads.
 */
final class OpenConnections {
    private final @Nullable OpenConnections parent;
    /** When each was opened, by {@link System#nanoTime}. pgjdbc's connections are equal to themselves only. */
    private final Map<BaseConnection, Long> open = new WeakHashMap<>();

    private boolean closed;

    /** @param parent knows these connections as well */
    OpenConnections(@Nullable OpenConnections parent) {
        this.parent = parent;
    }

    /** @throws SQLException if all have been aborted for good */
    void add(BaseConnection connection) throws SQLException {
        synchronized (this) {
            if (closed) throw new SQLException("the node that asked for this connection has ended", "08003");
            open.put(connection, System.nanoTime());
        }
        if (parent != null) parent.add(connection);
    }

    /** A pool has it back. */
    void remove(BaseConnection connection) {
        synchronized (this) {
            open.remove(connection);
        }
        if (parent != null) parent.remove(connection);
    }

    /**
     * Aborts those that lead to another server.
     *
     * @param current leads to the right one
     * @param before when the former server is known to have answered, by {@link System#nanoTime}: those that were opened earlier
     *     lead there, even where a proxy or a virtual address gives both servers one name
     * @return how many
     */
    int abortOthers(BaseConnection current, long before) {
        String host = host(current);
        List<BaseConnection> others = new ArrayList<>();
        synchronized (this) {
            open.forEach((each, opened) -> {
                if (each != current && (opened - before < 0 || !host(each).equals(host))) others.add(each);
            });
            others.forEach(open::remove);
        }
        return abort(others);
    }

    /** Aborts all, and takes no others. */
    void close() {
        List<BaseConnection> all;
        synchronized (this) {
            closed = true;
            all = List.copyOf(open.keySet());
            open.clear();
        }
        abort(all);
    }

    private static String host(BaseConnection connection) {
        return connection.getQueryExecutor().getHostSpec().toString();
    }

    private static int abort(List<BaseConnection> connections) {
        int aborted = 0;
        for (BaseConnection each : connections) {
            try {
                if (each.isClosed()) continue;
                each.abort(Runnable::run);
                aborted++;
            } catch (SQLException | RuntimeException e) {
                // It has ended meanwhile.
            }
        }
        return aborted;
    }
}
