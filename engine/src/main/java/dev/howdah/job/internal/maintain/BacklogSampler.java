package dev.howdah.job.internal.maintain;

import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Writes down at each minute how many jobs wait and run, and with which errors jobs have failed, so that it can be seen later; one node does it for all. */
public final class BacklogSampler implements MaintenanceRunner.MaintenanceTask {
    private static final Sql SAMPLE = JobSql.STAT.statement("stat_sample");
    private static final Sql ERRORS = JobSql.STAT.statement("stat_add_errors");
    private static final int FAILED = 2_000;
    private static final long SOON_MILLIS = 100;
    private static final int MOST = 200_000;
    private static final int LINES = 500;

    @Override
    public long run(JobSession session) throws SQLException {
        long millis = number(session, SAMPLE, MOST, LINES);
        // Of very many that fail the rest is added up soon, and other maintenance comes in between.
        return number(session, ERRORS, FAILED) < FAILED ? millis : SOON_MILLIS;
    }

    private static long number(JobSession session, Sql sql, Object... values) throws SQLException {
        try (ResultSet row = session.query(sql, values)) {
            row.next();
            return row.getLong(1);
        }
    }
}
