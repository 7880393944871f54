package dev.howdah.job.internal.maintain;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.job.internal.insert.InsertRowFactory;
import dev.howdah.job.internal.store.JobMetrics;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * What a node does for all nodes beside working jobs, and what makes it do so: a notification, or the statement that its
 * presence runs every two seconds. Safe for use by many threads.
 */
public final class JobMaintenance implements AutoCloseable {
    /** A schedule was added, changed or removed. */
    public static final String SCHEDULE_CHANGED = "howdah_job_schedule";

    /** A job with a key was added, or has failed. */
    public static final String ORDER = "howdah_job_order";

    private static final long FIRST_SUMMARY_MILLIS = 10_000;

    private final ScheduleEnqueuer enqueuer;
    private final OrderKeyPromoter promoter;
    private final StatisticsRollup summary;
    private final @Nullable QueueDepthReporter depths;
    private final MaintenanceRunner runner;

    public JobMaintenance(ConnectionSource source, InsertRowFactory rowFactory, JobMetrics meter) {
        this.enqueuer = new ScheduleEnqueuer(rowFactory);
        this.promoter = new OrderKeyPromoter();
        this.summary = new StatisticsRollup();
        this.depths = meter.isOff() ? null : new QueueDepthReporter(meter);
        this.runner = depths == null
                ? new MaintenanceRunner(source, enqueuer, promoter, summary)
                : new MaintenanceRunner(source, enqueuer, promoter, summary, depths);
    }

    public void start() {
        runner.start();
        runner.callIn(summary, FIRST_SUMMARY_MILLIS);
        if (depths != null) runner.call(depths);
    }

    /** Whether this notification is for them. */
    public boolean heard(String channel) {
        if (channel.equals(SCHEDULE_CHANGED)) runner.call(enqueuer);
        else if (channel.equals(ORDER)) runner.call(promoter);
        else return false;
        return true;
    }

    /** What the statement {@code watch} says, from this column on. */
    public void watched(ResultSet row, int column) throws SQLException {
        long schedule = row.getLong(column);
        if (!row.wasNull()) runner.callIn(enqueuer, schedule);
        if (row.getBoolean(column + 1)) runner.call(promoter);
    }

    @Override
    public void close() {
        runner.close();
    }
}
