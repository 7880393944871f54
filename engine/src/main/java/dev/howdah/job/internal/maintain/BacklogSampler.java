package dev.howdah.job.internal.maintain;

import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Writes down at each minute how many jobs wait and run, so that it can be seen later; one node does it for all. */
public final class BacklogSampler implements MaintenanceRunner.MaintenanceTask {
    private static final Sql SAMPLE = JobSql.STAT.statement("stat_sample");
    private static final int MOST = 200_000;
    private static final int LINES = 500;

    @Override
    public long run(JobSession session) throws SQLException {
        try (ResultSet row = session.query(SAMPLE, MOST, LINES)) {
            return row.next() ? row.getLong(1) : MaintenanceRunner.WHEN_CALLED;
        }
    }
}
