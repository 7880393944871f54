package dev.howdah.job.internal.maintain;

import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks once a minute whether the clock of the server was ahead and was set back, for else its schedules stand still until it gets there again. */
final class ClockCorrection implements MaintenanceRunner.MaintenanceTask {
    private static final Logger log = LoggerFactory.getLogger(ClockCorrection.class);
    private static final Sql AFTER_CLOCK = JobSql.SCHEDULE.statement("schedule_after_clock");
    private static final long PAUSE_MILLIS = 60_000;

    private final Runnable enqueues;

    /** @param enqueues has the next times of schedules found */
    ClockCorrection(Runnable enqueues) {
        this.enqueues = enqueues;
    }

    @Override
    public long run(JobSession session) throws SQLException {
        List<String> names = new ArrayList<>();
        try (ResultSet row = session.query(AFTER_CLOCK)) {
            while (row.next()) names.add(row.getString(1));
        }
        if (!names.isEmpty()) {
            log.warn("the clock of the server was ahead, and was set back: the schedules {} go on from now", names);
            enqueues.run();
        }
        return PAUSE_MILLIS;
    }
}
