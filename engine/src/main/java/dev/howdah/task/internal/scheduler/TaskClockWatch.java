package dev.howdah.task.internal.scheduler;

import dev.howdah.task.internal.leader.LeaderSession;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that the clock of the server was set back, after which repeating tasks would stand still until it gets to their plans again:
 * less time has gone by there than here. At the begin of a term a task says so that has begun in the future. Belongs to the scheduler's
 * thread.
 */
final class TaskClockWatch {
    private static final Logger log = LoggerFactory.getLogger(TaskClockWatch.class);
    private static final Duration PAUSE = Duration.ofMinutes(1);
    private static final long SLACK_MICROS = 60_000_000;

    private final LeaderSession leaderSession;
    private boolean known;
    private long askedAt;
    private long micros;

    TaskClockWatch(LeaderSession leaderSession) {
        this.leaderSession = leaderSession;
    }

    /** Looks, if it is time for it; says whether tasks have other plans now. */
    boolean step() throws SQLException {
        long now = System.nanoTime();
        if (known && now - askedAt < PAUSE.toNanos()) return false;
        List<Boolean> setBack = new ArrayList<>();
        leaderSession.each(
                "task_clock",
                row -> {
                    long passed = row.getLong("micros") - micros;
                    setBack.add(row.getBoolean("is_ahead") || known && passed < (now - askedAt) / 1_000 - SLACK_MICROS);
                    micros = row.getLong("micros");
                },
                !known);
        known = true;
        askedAt = now;
        if (!setBack.contains(true)) return false;
        int moved = leaderSession
                .query("task_after_clock", row -> row.getLong("id"))
                .size();
        log.warn("the clock of the server was ahead, and was set back: {} repeating tasks go on from now", moved);
        return moved > 0;
    }
}
