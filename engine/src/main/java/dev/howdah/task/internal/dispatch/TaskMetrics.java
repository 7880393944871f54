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

    public TaskMetrics(Metrics metrics, String database, TableName table) {
        Instruments instruments =
                Instruments.of(metrics).with("database", database).with("table", table.toString());
        this.took =
                instruments.timers("howdah_task_seconds", "How long tasks ran").get();
        this.ended =
                instruments.counters("howdah_tasks_ended_total", "Tasks that ran here, by how that ended", "outcome");
        ended.get(SessionResult.LOST);
        this.tracing = new TaskTracing(database, table.toString());
    }

    /** Returns the same work, which is a span when it is done, in whichever thread. */
    Supplier<SessionResult> traced(ClaimedTask task, Supplier<SessionResult> work) {
        return () -> tracing.run(task, work);
    }

    /** A task, or its session, has come to its end. */
    void ended(SessionResult end, long nanos) {
        ended.get(end.outcomeName()).add(1);
        took.record(nanos);
    }
}
