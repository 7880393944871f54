package dev.howdah.job;

import dev.howdah.internal.sql.KeptSession;
import dev.howdah.internal.sql.SqlFile;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** A session that jobs are worked with. */
final class JobSession extends KeptSession {
    static final SqlFile JOB = SqlFile.of(JobSession.class, "job.sql");
    static final SqlFile NODE = SqlFile.of(JobSession.class, "node.sql");

    private JobSession(Connection connection) throws SQLException {
        super(connection);
    }

    static JobSession open(DataSource source) throws SQLException {
        return new JobSession(source.getConnection());
    }
}
