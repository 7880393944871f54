package dev.howdah.task.internal.dispatch;

import dev.howdah.internal.metrics.Instruments;
import dev.howdah.spi.Metrics;
import dev.howdah.task.internal.model.ClaimedTask;
import dev.howdah.task.internal.model.SessionResult;
import dev.howdah.task.internal.session.TaskTracing;
import dev.howdah.task.internal.store.TableName;
import java.util.function.Supplier;

/** The metrics and spans of the tasks of one table. Belongs to the scheduler's thread. */
public final class TaskMetrics {
    private final Instruments.Family<Metrics.Counter> ended;
    private final Metrics.Timer took;
    private final TaskTracing tracing;
    private final boolean isOff;
    private final Metrics.Gauge leads;
    private final Metrics.Gauge paused;
    private final Metrics.Gauge running;
    private final Metrics.Gauge waiting;
    private final Metrics.Gauge lag;
    private final Metrics.Gauge sessions;
    private final Metrics.Gauge sessionLimit;
    private final Metrics.Gauge refused;

    public TaskMetrics(Metrics metrics, String database, TableName table) {
        Instruments instruments =
                Instruments.of(metrics).with("database", database).with("table", table.toString());
        this.took =
                instruments.timers("howdah_task_seconds", "How long tasks ran").get();
        this.ended =
                instruments.counters("howdah_tasks_ended_total", "Tasks that ran here, by how that ended", "outcome");
        ended.get(SessionResult.LOST);
        this.tracing = new TaskTracing(database, table.toString());
        this.isOff = instruments.isOff();
        this.leads = instruments
                .gauges("howdah_task_leader", "1 while this program runs the tasks of the table")
                .get();
        this.paused = instruments
                .gauges("howdah_paused", "1 while everything in the database is paused, as far as the scheduler knows")
                .get();
        this.running = instruments
                .gauges("howdah_tasks_running", "Tasks that run in this program")
                .get();
        this.waiting = instruments
                .gauges("howdah_tasks_waiting", "Tasks that are due and wait, as the leader counts them")
                .get();
        this.lag = instruments
                .gauges("howdah_tasks_lag_seconds", "For how long the first of them has been due")
                .get();
        this.sessions = instruments
                .gauges("howdah_task_sessions", "Sessions that this program keeps for tasks of the table")
                .get();
        this.sessionLimit = instruments
                .gauges("howdah_task_sessions_limit", "How many there may be at most")
                .get();
        this.refused = instruments
                .gauges("howdah_task_sessions_refused", "1 while the server accepts no further one")
                .get();
        paused(false);
        leaves();
    }

    /** Whether everything in the database is paused. */
    public void paused(boolean yes) {
        paused.set(yes ? 1 : 0);
    }

    /** Returns whether all values are discarded. */
    public boolean isOff() {
        return isOff;
    }

    /** This program leads from now on. */
    public void leads() {
        leads.set(1);
    }

    /** So many tasks run now. */
    public void running(int count) {
        running.set(count);
    }

    /** So many sessions are open for tasks, of so many; and whether the server accepts no more. */
    public void sessions(int open, int most, boolean isRefused) {
        sessions.set(open);
        sessionLimit.set(most);
        refused.set(isRefused ? 1 : 0);
    }

    /** So many tasks are due, the first of them for that long. */
    public void waiting(long count, double seconds) {
        waiting.set(count);
        lag.set(seconds);
    }

    /** This program does not lead any more: another one counts. */
    public void leaves() {
        leads.set(0);
        running.set(0);
        sessions(0, 0, false);
        waiting.set(Double.NaN);
        lag.set(Double.NaN);
    }

    /** Returns the same work, which is a span when it is done, in whichever thread. */
    Supplier<SessionResult> traced(ClaimedTask task, Supplier<SessionResult> work) {
        return () -> tracing.run(task, work);
    }

    /** Nothing is to be known of this table here any more; from any thread. */
    public void over() {
        leaves();
        leads.set(Double.NaN);
        paused.set(Double.NaN);
        running.set(Double.NaN);
        sessions.set(Double.NaN);
        sessionLimit.set(Double.NaN);
        refused.set(Double.NaN);
    }

    /** A task, or its session, has come to its end. */
    void ended(SessionResult end, long nanos) {
        ended.get(end.outcomeName()).add(1);
        took.record(nanos);
    }
}
