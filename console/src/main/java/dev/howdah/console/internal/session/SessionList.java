package dev.howdah.console.internal.session;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.health.DatabaseSession;
import dev.howdah.operations.read.ReadException;
import java.sql.SQLException;
import java.util.List;

/** The sessions of the server. Safe for use by many threads. */
public final class SessionList {
    private final ConsoleData data;

    public SessionList(ConsoleData data) {
        this.data = data;
    }

    /** The first sessions, so many at most. */
    public List<DatabaseSession> first(int most) {
        try {
            return data.health().sessions(most);
        } catch (SQLException e) {
            throw new ReadException(e);
        }
    }
}
