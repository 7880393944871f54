package dev.howdah.job.internal.maintain;

import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.store.JobMetrics;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** Measures periodically how many jobs wait and for how long, how many are suspended, and how many signals are unread, if metrics are on. */
final class QueueDepthReporter implements MaintenanceRunner.MaintenanceTask {
    private static final Sql DEPTH = JobSql.STAT.statement("stat_depth");
    private static final Sql SUSPENDED = JobSql.STAT.statement("stat_suspended");
    private static final Sql UNREAD = JobSql.STAT.statement("stat_unread");
    private static final int MOST_SUSPENDED = 10_000;
    private static final int MOST = 100_000;
    private static final long PAUSE_MILLIS = 15_000;

    private final JobMetrics meter;

    QueueDepthReporter(JobMetrics meter) {
        this.meter = meter;
    }

    @Override
    public boolean isAlways() {
        return true;
    }

    /** What was last known of an outage would be read as what is. */
    @Override
    public void failed() {
        meter.unknown();
    }

    @Override
    public long run(JobSession session) throws SQLException {
        Map<String, JobMetrics.Depth> depths = new HashMap<>();
        try (ResultSet row = session.query(DEPTH, MOST)) {
            while (row.next()) depths.put(row.getString(1), new JobMetrics.Depth(row.getLong(2), row.getDouble(3)));
        }
        meter.waiting(depths);
        Map<JobMetrics.Suspended, Long> suspended = new HashMap<>();
        try (ResultSet row = session.query(SUSPENDED, MOST_SUSPENDED)) {
            while (row.next())
                suspended.put(
                        new JobMetrics.Suspended(row.getString(1), row.getString(2), row.getString(3)), row.getLong(4));
        }
        meter.suspended(suspended);
        try (ResultSet row = session.query(UNREAD, MOST_SUSPENDED)) {
            row.next();
            meter.unread(row.getLong(1), row.getLong(2));
        }
        return PAUSE_MILLIS;
    }
}
