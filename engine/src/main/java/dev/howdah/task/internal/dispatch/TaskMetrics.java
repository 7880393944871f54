package dev.howdah.task.internal.dispatch;

import dev.howdah.internal.metrics.GuardedMetrics;
import dev.howdah.spi.Metrics;
import dev.howdah.task.TaskState;
import dev.howdah.task.internal.model.SessionResult;
import dev.howdah.task.internal.model.TaskResult;
import dev.howdah.task.internal.store.TableName;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** Tells {@link Metrics} of the tasks of one table. Asked for by the scheduler's thread alone. */
public final class TaskMetrics {
    private final Metrics metrics;
    private final Map<String, String> labels;
    private final Map<TaskState, Metrics.Counter> ended = new EnumMap<>(TaskState.class);
    private final Metrics.Counter lost;
    private final Metrics.Timer took;

    public TaskMetrics(Metrics metrics, String database, TableName table) {
        this.metrics = GuardedMetrics.of(metrics);
        this.labels = Map.of("database", database, "table", table.toString());
        this.took = this.metrics.timer("howdah_task_seconds", "How long tasks ran", labels);
        this.lost = counter("lost");
    }

    private Metrics.Counter counter(String outcome) {
        return metrics.counter(
                "howdah_tasks_ended_total",
                "Tasks that ran here, by how that ended",
                Map.of("database", database(), "table", table(), "outcome", outcome));
    }

    private String database() {
        return String.valueOf(labels.get("database"));
    }

    private String table() {
        return String.valueOf(labels.get("table"));
    }

    /** A task, or its session, has come to its end. */
    void ended(SessionResult end, long nanos) {
        TaskResult outcome = end.outcome();
        TaskState state = end.written() != null ? TaskState.DONE : outcome == null ? null : outcome.state();
        if (state == null) lost.add(1);
        else
            ended.computeIfAbsent(state, each -> counter(each.name().toLowerCase(Locale.ROOT)))
                    .add(1);
        took.record(nanos);
    }
}
