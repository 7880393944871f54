package dev.howdah.task.internal.dispatch;

import dev.howdah.internal.metrics.Instruments;
import dev.howdah.spi.Metrics;
import dev.howdah.task.TaskState;
import dev.howdah.task.internal.model.SessionResult;
import dev.howdah.task.internal.model.TaskResult;
import dev.howdah.task.internal.store.TableName;
import java.util.Locale;

/** The metrics of the tasks of one table. Belongs to the scheduler's thread. */
public final class TaskMetrics {
    private static final String LOST = "lost";

    private final Instruments.Family<Metrics.Counter> ended;
    private final Metrics.Timer took;

    public TaskMetrics(Metrics metrics, String database, TableName table) {
        Instruments instruments =
                Instruments.of(metrics).with("database", database).with("table", table.toString());
        this.took =
                instruments.timers("howdah_task_seconds", "How long tasks ran").get();
        this.ended =
                instruments.counters("howdah_tasks_ended_total", "Tasks that ran here, by how that ended", "outcome");
        ended.get(LOST);
    }

    /** A task, or its session, has come to its end. */
    void ended(SessionResult end, long nanos) {
        TaskResult outcome = end.outcome();
        TaskState state = end.written() != null ? TaskState.DONE : outcome == null ? null : outcome.state();
        ended.get(state == null ? LOST : state.name().toLowerCase(Locale.ROOT)).add(1);
        took.record(nanos);
    }
}
