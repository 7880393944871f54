package dev.howdah.process.internal.worker;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.DedicatedSession;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The session of one writer, opened when it is needed. Used by the writer's thread. */
final class WriterSession implements AutoCloseable {
    private final ConnectionSource source;
    private @Nullable DedicatedSession session;

    WriterSession(ConnectionSource source) {
        this.source = source;
    }

    DedicatedSession open() throws SQLException {
        DedicatedSession open = session;
        if (open == null) session = open = new DedicatedSession(source.getConnection());
        return open;
    }

    @Override
    public void close() {
        DedicatedSession open = session;
        session = null;
        if (open != null) open.close();
    }
}
