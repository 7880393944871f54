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

    private final ScheduleEnqueuer ticker;
    private final OrderKeyPromoter turns;
    private final StatisticsRollup summary;
    private final @Nullable QueueDepthReporter depths;
    private final MaintenanceRunner clerk;

    public JobMaintenance(ConnectionSource source, InsertRowFactory tickets, JobMetrics meter) {
        this.ticker = new ScheduleEnqueuer(tickets);
        this.turns = new OrderKeyPromoter();
        this.summary = new StatisticsRollup();
        this.depths = meter.isOff() ? null : new QueueDepthReporter(meter);
        this.clerk = depths == null
                ? new MaintenanceRunner(source, ticker, turns, summary)
                : new MaintenanceRunner(source, ticker, turns, summary, depths);
    }

    public void start() {
        clerk.start();
        clerk.callIn(summary, FIRST_SUMMARY_MILLIS);
        if (depths != null) clerk.call(depths);
    }

    /** Whether this notification is for them. */
    public boolean heard(String channel) {
        if (channel.equals(SCHEDULE_CHANGED)) clerk.call(ticker);
        else if (channel.equals(ORDER)) clerk.call(turns);
        else return false;
        return true;
    }

    /** What the statement {@code watch} says, from this column on. */
    public void watched(ResultSet row, int column) throws SQLException {
        long schedule = row.getLong(column);
        if (!row.wasNull()) clerk.callIn(ticker, schedule);
        if (row.getBoolean(column + 1)) clerk.call(turns);
    }

    @Override
    public void close() {
        clerk.close();
    }
}
