package dev.howdah.task.internal.scheduler;

import dev.howdah.task.internal.dispatch.TaskMetrics;
import dev.howdah.task.internal.leader.LeaderSession;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Counts periodically how many tasks are due and for how long, if metrics are on. Belongs to the scheduler's thread. */
final class TaskDepthReporter {
    private static final int MOST = 100_000;
    private static final Duration PAUSE = Duration.ofSeconds(15);

    private final LeaderSession leaderSession;
    private final TaskMetrics metrics;
    private long nextAt = System.nanoTime();

    TaskDepthReporter(LeaderSession leaderSession, TaskMetrics metrics) {
        this.leaderSession = leaderSession;
        this.metrics = metrics;
    }

    /** Counts, if it is time for it. */
    void step(int running) throws SQLException {
        if (metrics.isOff()) return;
        metrics.running(running);
        if (System.nanoTime() - nextAt < 0) return;
        leaderSession.each("task_depth", row -> metrics.waiting(row.getLong("due"), row.getDouble("lag")), MOST);
        nextAt = System.nanoTime() + PAUSE.toNanos();
    }

    /** Returns how long until it is time again; null: never. */
    @Nullable
    Duration next() {
        return metrics.isOff() ? null : Duration.ofNanos(Math.max(nextAt - System.nanoTime(), 0));
    }
}
