package dev.howdah.job.internal.maintain;

import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Begins a new segment of a log queue when the last one is large, and drops those that all readers have read. Both need a lock for
 * a moment: where others have it, it is tried another time, and then later and later. Of the maintenance thread alone.
 */
final class LogSegments implements MaintenanceRunner.MaintenanceTask {
    private static final Logger log = LoggerFactory.getLogger(LogSegments.class);
    private static final Sql LIST = JobSql.LOG.statement("log_list");
    private static final Sql ROTATE = JobSql.LOG.statement("log_rotate");
    private static final Sql COUNT = JobSql.LOG.statement("log_count");
    private static final Sql DROP = JobSql.LOG.statement("log_drop");
    private static final Sql TIDY = JobSql.LOG.statement("log_tidy");
    /** Of this size a segment is large. */
    private static final long BYTES = 128 << 20;

    private static final long EVERY_MILLIS = 5_000;
    private static final long LONGEST_MILLIS = 300_000;

    private long again = EVERY_MILLIS;
    private volatile boolean idle = true;

    /** Whether it does not come again by itself: there was no log queue. */
    boolean isIdle() {
        return idle;
    }

    @Override
    public long run(JobSession session) throws SQLException {
        List<Integer> lanes = new ArrayList<>();
        try (ResultSet row = session.query(LIST)) {
            while (row.next()) lanes.add(row.getInt(1));
        }
        idle = lanes.isEmpty();
        if (idle) return MaintenanceRunner.WHEN_CALLED;
        boolean locked = false;
        for (int lane : lanes) locked |= !tend(session, lane);
        session.update(TIDY);
        again = locked ? Math.min(again * 2, LONGEST_MILLIS) : EVERY_MILLIS;
        return again;
    }

    /** Returns false if others hold a lock that it needs. */
    private static boolean tend(JobSession session, int lane) throws SQLException {
        try {
            isTrue(session, ROTATE, lane, BYTES);
            while (isTrue(session, COUNT, lane))
                ;
            while (isTrue(session, DROP, lane)) log.debug("a segment of the log queue in lane {} was dropped", lane);
            return true;
        } catch (SQLException e) {
            if (!SqlErrors.isLockNotAvailable(e)) throw e;
            log.debug("the log queue in lane {} is in use: {}", lane, e.getMessage());
            return false;
        }
    }

    private static boolean isTrue(JobSession session, Sql sql, Object... values) throws SQLException {
        try (ResultSet row = session.query(sql, values)) {
            return row.next() && row.getBoolean(1);
        }
    }
}
