package dev.howdah.job.internal.maintain;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.job.internal.execute.JobNotes;
import dev.howdah.job.internal.history.RetentionRunner;
import dev.howdah.job.internal.insert.InsertRowFactory;
import dev.howdah.job.internal.schedule.ScheduleEnqueuer;
import dev.howdah.job.internal.store.JobMetrics;
import dev.howdah.job.internal.store.JobSession;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node does for all nodes beside working jobs, and what makes it do so: a notification, or the statement that its
 * presence runs every few seconds. Safe for use by many threads.
 */
public final class JobMaintenance implements AutoCloseable {
    /** A schedule was added, changed or removed. */
    public static final String SCHEDULE_CHANGED = "howdah_job_schedule";

    /** A job with a key was added, or has failed. */
    public static final String ORDER = "howdah_job_order";

    /** A job of a workflow has ended, or a workflow was changed. */
    public static final String WORKFLOW = "howdah_job_workflow";

    /** A signal was sent. */
    public static final String SIGNAL = "howdah_job_signal";

    private static final Logger log = LoggerFactory.getLogger(JobMaintenance.class);
    private static final long FIRST_SUMMARY_MILLIS = 10_000;

    /** What handlers say is written together, four times a second at most. */
    private static final long NOTES_MILLIS = 250;

    private final ConnectionSource source;
    private final NotesWriter notes;

    private final MaintenanceRunner.MaintenanceTask enqueuer;
    private final OrderKeyPromoter promoter;
    private final WorkflowSettler workflows;
    private final StatisticsRollup summary;
    private final BacklogSampler backlog = new BacklogSampler();
    private final @Nullable QueueDepthReporter depths;
    private final LogSegments logs = new LogSegments();
    private final ClockCorrection clock;
    private final MaintenanceRunner runner;
    private final RetentionRunner retention;
    private final SignalPairing signals = new SignalPairing();
    /** A thread and a session of its own: a signal does not wait for statistics. */
    private final MaintenanceRunner signalRunner;

    public JobMaintenance(ConnectionSource source, InsertRowFactory rowFactory, JobMetrics meter, JobNotes notes) {
        this.source = source;
        this.notes = new NotesWriter(notes);
        this.enqueuer = new ScheduleEnqueuer(rowFactory)::run;
        this.promoter = new OrderKeyPromoter();
        this.workflows = new WorkflowSettler();
        this.summary = new StatisticsRollup(meter);
        this.retention = new RetentionRunner(source);
        this.depths = meter.isOff() ? null : new QueueDepthReporter(meter);
        this.clock = new ClockCorrection(this::findNextTimes);
        this.runner = depths == null
                ? new MaintenanceRunner(
                        source, enqueuer, promoter, workflows, summary, backlog, this.notes, logs, clock)
                : new MaintenanceRunner(
                        source, enqueuer, promoter, workflows, summary, backlog, this.notes, logs, clock, depths);
        this.signalRunner = new MaintenanceRunner(source, signals);
        notes.wakeBy(() -> runner.callIn(this.notes, NOTES_MILLIS));
    }

    private void findNextTimes() {
        runner.call(enqueuer);
    }

    public void start() {
        runner.start();
        signalRunner.start();
        runner.call(clock);
        runner.callIn(summary, FIRST_SUMMARY_MILLIS);
        runner.callIn(backlog, FIRST_SUMMARY_MILLIS);
        if (depths != null) runner.call(depths);
    }

    /** Returns whether this notification is for them. */
    public boolean heard(String channel) {
        if (channel.equals(SCHEDULE_CHANGED)) runner.call(enqueuer);
        else if (channel.equals(ORDER)) runner.call(promoter);
        else if (channel.equals(WORKFLOW)) runner.call(workflows);
        else if (channel.equals(SIGNAL)) signalRunner.call(signals);
        else return false;
        return true;
    }

    /** What the statement {@code job_watch} says. */
    public void watched(ResultSet row) throws SQLException {
        long schedule = row.getLong("schedule_in");
        if (!row.wasNull()) runner.callIn(enqueuer, schedule);
        if (row.getBoolean("ordered")) runner.call(promoter);
        if (row.getBoolean("workflows")) runner.call(workflows);
        if (row.getBoolean("signals")) signalRunner.call(signals);
        if (row.getBoolean("retention")) retention.call();
        if (row.getBoolean("log_queues") && logs.isIdle()) runner.call(logs);
    }

    /** Writes what handlers have said in the end; after {@link #close}. */
    public void writeNotes() {
        if (notes.isIdle()) return;
        try (JobSession session = JobSession.open(source)) {
            notes.run(session);
        } catch (SQLException e) {
            log.warn("what handlers said of their jobs in the end is lost: {}", e.getMessage());
        }
    }

    @Override
    public void close() {
        runner.close();
        signalRunner.close();
        retention.close();
    }
}
