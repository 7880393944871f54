package dev.howdah.console.internal.session;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ReadException;
import dev.howdah.health.DatabaseHealth;
import dev.howdah.health.DatabaseSession;
import dev.howdah.health.SessionEnd;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The sessions of the server. Safe for use by many threads. */
public final class SessionList {
    private final ConsoleData data;

    public SessionList(ConsoleData data) {
        this.data = data;
    }

    private interface Work<T extends @Nullable Object> {
        T with(DatabaseHealth health) throws SQLException;
    }

    private <T extends @Nullable Object> T by(Work<T> work) {
        try {
            return work.with(data.health());
        } catch (SQLException e) {
            throw new ReadException(e);
        }
    }

    /** The first sessions, so many at most. */
    public List<DatabaseSession> first(int most) {
        return by(health -> health.sessions(most));
    }

    /** The session with that pid that began then; null: it is gone. */
    @Nullable
    DatabaseSession find(int pid, Instant started) {
        return by(health -> health.session(pid))
                .filter(each -> each.started() == null || each.started().equals(started))
                .orElse(null);
    }

    /** Asks the server to end one; false: it is gone. */
    public boolean end(int pid, Instant started, SessionEnd how) {
        return by(health -> health.end(pid, started, how));
    }
}
