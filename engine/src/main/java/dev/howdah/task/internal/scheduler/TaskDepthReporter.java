package dev.howdah.task.internal.scheduler;

import dev.howdah.task.internal.dispatch.TaskMetrics;
import dev.howdah.task.internal.leader.LeaderSession;
import dev.howdah.task.internal.session.SessionPool;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Counts periodically how many tasks are due and for how long, if metrics are on. Belongs to the scheduler's thread. */
final class TaskDepthReporter {
    private static final int MOST = 100_000;
    private static final Duration PAUSE = Duration.ofSeconds(15);

    private final LeaderSession leaderSession;
    private final TaskMetrics metrics;
    private final SessionPool sessions;
    private long nextAt = System.nanoTime();

    TaskDepthReporter(LeaderSession leaderSession, SessionPool sessions, TaskMetrics metrics) {
        this.leaderSession = leaderSession;
        this.sessions = sessions;
        this.metrics = metrics;
    }

    /** Counts, if it is time for it. */
    void step(int running) throws SQLException {
        if (metrics.isOff()) return;
        metrics.running(running);
        metrics.sessions(sessions.total(), sessions.most(), sessions.isRefused());
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
