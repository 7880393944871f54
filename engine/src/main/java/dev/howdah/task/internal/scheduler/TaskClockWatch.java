package dev.howdah.task.internal.scheduler;

import dev.howdah.task.internal.leader.LeaderSession;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that the clock of the server was set back, after which repeating tasks would stand still until it gets to their plans again:
 * it is less ahead of the clock here than it was at the last look, or than when a next run was planned since. At the begin of a term a
 * task says so that has begun in the future. Belongs to the scheduler's thread.
 *
 * <p>First times of new tasks with a cron are remembered, since in the table they look like plans that a user has written.
 */
final class TaskClockWatch {
    private static final Logger log = LoggerFactory.getLogger(TaskClockWatch.class);
    private static final Duration PAUSE = Duration.ofMinutes(1);
    private static final long SLACK_MICROS = 60_000_000;
    private static final int MOST_ALIGNED = 10_000;

    private final LeaderSession leaderSession;
    private final long pauseNanos;
    private boolean known;
    private long askedAt;
    /** How far the server's clock was ahead of the one here at most, in microseconds. */
    private long aheadMicros = Long.MIN_VALUE / 2;
    /** The plans that tasks with a cron were given here, in microseconds of the epoch, by their ids. */
    private final Map<Long, Long> aligned = new LinkedHashMap<>();

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

    /**
     * A task with a cron waits for a point of its schedule, which was found here.
     *
     * @param micros what it was planned for, which the server's clock had reached
     * @param point when it will run; both in microseconds of the epoch
     */
    void aligned(long id, long micros, long point) {
        planned(micros);
        aligned.put(id, point);
        if (aligned.size() > MOST_ALIGNED)
            aligned.remove(aligned.keySet().iterator().next());
    }

    /** Looks, if it is time for it; says whether tasks have other plans now. */
    boolean step() throws SQLException {
        long now = System.nanoTime();
        if (known && now - askedAt < pauseNanos) return false;
        List<Boolean> setBack = new ArrayList<>();
        leaderSession.each(
                "task_clock",
                row -> {
                    long micros = row.getLong("micros");
                    long ahead = micros - now / 1_000;
                    setBack.add(row.getBoolean("is_ahead") || ahead < aheadMicros - SLACK_MICROS);
                    aheadMicros = ahead;
                    aligned.values().removeIf(point -> point < micros);
                },
                !known);
        known = true;
        askedAt = now;
        if (!setBack.contains(true)) return false;
        int moved = leaderSession
                .query(
                        "task_after_clock",
                        row -> row.getLong("id"),
                        aligned.keySet().toArray(Long[]::new),
                        aligned.values().toArray(Long[]::new))
                .size();
        aligned.clear();
        log.warn("the clock of the server was ahead, and was set back: {} repeating tasks go on from now", moved);
        return moved > 0;
    }
}
