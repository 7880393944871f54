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
 * it is less ahead of the clock here than it was at the last look, or than when a next run was planned since. At the begin of a term a
 * task says so that has begun in the future. Belongs to the scheduler's thread.
 */
final class TaskClockWatch {
    private static final Logger log = LoggerFactory.getLogger(TaskClockWatch.class);
    private static final Duration PAUSE = Duration.ofMinutes(1);
    private static final long SLACK_MICROS = 60_000_000;

    private final LeaderSession leaderSession;
    private final long pauseNanos;
    private boolean known;
    private long askedAt;
    /** How far the server's clock was ahead of the one here at most, in microseconds. */
    private long aheadMicros = Long.MIN_VALUE / 2;

    TaskClockWatch(LeaderSession leaderSession) {
        this(leaderSession, PAUSE);
    }

    /** @param pause between two looks */
    TaskClockWatch(LeaderSession leaderSession, Duration pause) {
        this.leaderSession = leaderSession;
        this.pauseNanos = pause.toNanos();
    }

    /** A next run was planned when the server's clock said so, in microseconds of the epoch. */
    void planned(long micros) {
        aheadMicros = Math.max(aheadMicros, micros - System.nanoTime() / 1_000);
    }

    /** Looks, if it is time for it; says whether tasks have other plans now. */
    boolean step() throws SQLException {
        long now = System.nanoTime();
        if (known && now - askedAt < pauseNanos) return false;
        List<Boolean> setBack = new ArrayList<>();
        leaderSession.each(
                "task_clock",
                row -> {
                    long ahead = row.getLong("micros") - now / 1_000;
                    setBack.add(row.getBoolean("is_ahead") || ahead < aheadMicros - SLACK_MICROS);
                    aheadMicros = ahead;
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
