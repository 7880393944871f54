package dev.howdah.job.internal.store;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * A session that jobs are worked with. It searches no schema but that of PostgreSQL itself: in any other one a role could have put an
 * operator that fits better, which would then be run with the rights of the node.
 */
public final class JobSession extends DedicatedSession {
    private static final Sql SEARCH_PATH = JobSql.NODE.statement("node_search_path");

    private JobSession(Connection connection) throws SQLException {
        super(connection);
    }

    public static JobSession open(ConnectionSource source) throws SQLException {
        JobSession opened = new JobSession(source.getConnection());
        try {
            opened.update(SEARCH_PATH);
            return opened;
        } catch (SQLException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }
}
