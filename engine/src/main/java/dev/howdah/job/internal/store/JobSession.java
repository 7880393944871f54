package dev.howdah.job.internal.store;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.DedicatedSession;
import java.sql.Connection;
import java.sql.SQLException;

/** A session that jobs are worked with, which searches no schema but that of PostgreSQL itself. */
public final class JobSession extends DedicatedSession {
    private JobSession(Connection connection) throws SQLException {
        super(connection);
    }

    public static JobSession open(ConnectionSource source) throws SQLException {
        JobSession opened = new JobSession(source.getConnection());
        try {
            opened.searchOwnSchemaOnly();
            return opened;
        } catch (SQLException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }
}
