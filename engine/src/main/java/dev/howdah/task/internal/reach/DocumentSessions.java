package dev.howdah.task.internal.reach;

import dev.howdah.task.internal.store.TaskSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** At most two sessions for templates and documents, opened by the first tasks that need them. Safe for use by many threads. */
public final class DocumentSessions implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(DocumentSessions.class);
    private static final int MOST = 2;

    /** Opens a session with the rights of the scheduler's role. */
    public interface Opener {
        Connection open() throws SQLException;
    }

    /** Uses a session. */
    interface Use<T> {
        Optional<T> run(Connection connection) throws SQLException;
    }

    private final Opener opener;
    private final Semaphore room = new Semaphore(MOST, true);
    private final Deque<Connection> spare = new ArrayDeque<>();
    private boolean closed;

    public DocumentSessions(Opener opener) {
        this.opener = opener;
    }

    <T> Optional<T> run(Use<T> use) throws SQLException {
        room.acquireUninterruptibly();
        try {
            Connection connection = take();
            boolean kept = false;
            try {
                Optional<T> result = use.run(connection);
                kept = put(connection);
                return result;
            } finally {
                if (!kept) connection.close();
            }
        } finally {
            room.release();
        }
    }

    /** Removes documents whose time is over, a few in each transaction. */
    void removeExpired() throws SQLException {
        run(connection -> {
            try (PreparedStatement some =
                    TaskSql.DOCUMENTS.statement("document_delete_expired").prepare(connection)) {
                while (some.executeUpdate() > 0 && !isClosed()) log.debug("some expired documents were removed");
            }
            return Optional.empty();
        });
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private Connection take() throws SQLException {
        Connection kept;
        synchronized (this) {
            kept = spare.poll();
        }
        if (kept != null) {
            if (kept.isValid(5)) return kept;
            kept.close();
        }
        return opener.open();
    }

    private synchronized boolean put(Connection connection) {
        if (closed) return false;
        spare.push(connection);
        return true;
    }

    @Override
    public synchronized void close() {
        closed = true;
        for (Connection each : spare)
            try {
                each.close();
            } catch (SQLException e) {
                // It is gone.
            }
        spare.clear();
    }
}
