package dev.howdah.task.internal.scheduler;

import dev.howdah.internal.run.Mailbox;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.task.internal.dispatch.FinishedTaskCleaner;
import dev.howdah.task.internal.leader.DatabaseSessions;
import dev.howdah.task.internal.leader.LeaderSession;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The wait of a scheduler that has nothing to do. It naps, looking again every few milliseconds, so that
 * writers under load never have to ring; after a while it takes the lock of the doorbell, looks once more, and sleeps until
 * a ring, the end of a task, or the next plan. Belongs to the scheduler's thread.
 */
final class SchedulerIdleWait {
    private static final Logger log = LoggerFactory.getLogger(SchedulerIdleWait.class);

    private static final long NAP_NANOS = Duration.ofMillis(20).toNanos();
    private static final long FIRST_GAP_NANOS = Duration.ofMillis(2).toNanos();
    private static final long LONGEST_GAP_NANOS = Duration.ofMillis(100).toNanos();

    /** How often a sleeper looks whether its session is still there. */
    static final Duration PULSE = Duration.ofSeconds(1);

    /** Completes the table. */
    interface Completion {
        void run() throws SQLException;
    }

    private final LeaderSession leaderSession;
    private final long oid;
    private final Completion completion;
    private final DatabaseSessions.Listening doorbell;
    private final Mailbox mailbox;
    private final FinishedTaskCleaner retention;
    private boolean asleep;
    private long activeAt = System.nanoTime();
    private long gap = FIRST_GAP_NANOS;

    SchedulerIdleWait(
            LeaderSession leaderSession,
            long oid,
            Completion completion,
            DatabaseSessions.Listening doorbell,
            Mailbox mailbox,
            FinishedTaskCleaner retention) {
        this.leaderSession = leaderSession;
        this.oid = oid;
        this.completion = completion;
        this.doorbell = doorbell;
        this.mailbox = mailbox;
        this.retention = retention;
    }

    /** There was something to do or to hear: more may follow soon. */
    void active() {
        activeAt = System.nanoTime();
    }

    /** As {@link #active}, and it was found by looking. */
    void busy() {
        active();
        gap = FIRST_GAP_NANOS;
    }

    /** Returns whether it has the lock of the doorbell, so that writers ring. */
    boolean isAsleep() {
        return asleep;
    }

    /** The lock of the doorbell has been let go of. */
    void awoken() {
        asleep = false;
    }

    /**
     * Lets go of the lock while there is something to do: writers need not ring for a while.
     *
     * @param wrote whether this round has written what may change when the next task is due: then the next sleep begins with a look,
     *     however long the round has taken
     */
    void stayAwake(boolean wrote) throws SQLException {
        if (!asleep || !wrote && System.nanoTime() - activeAt >= NAP_NANOS) return;
        asleep = false;
        leaderSession.run("task_wake", oid);
    }

    /**
     * Waits for something to do.
     *
     * @param nanosToLook how long until the next look, at least
     * @param restless whether there is more to look for: then no longer than that
     * @param alarm how long a sleep may last
     * @param on whether to go on sleeping
     * @return whether to look anew
     */
    boolean rest(long nanosToLook, boolean restless, Supplier<Duration> alarm, BooleanSupplier on)
            throws SQLException, InterruptedException {
        long nap = asleep ? 0 : activeAt + NAP_NANOS - System.nanoTime();
        if (restless) {
            mailbox.await(Duration.ofNanos(nanosToLook));
        } else if (nap > 0) {
            // Writers do not ring during a nap: it must not last longer because looking is slow.
            mailbox.await(Duration.ofNanos(Math.min(nanosToLook, nap)));
        } else if (asleep) {
            return sleep(alarm.get(), on);
        } else if (doorbell.now() && leaderSession.one("task_fall_asleep", row -> row.getBoolean("asleep"), oid)) {
            asleep = true;
            mendDefaults();
            return true; // what was written before the lock was taken did not ring
        } else {
            mailbox.await(Duration.ofNanos(gap));
            gap = Math.min(gap * 2, LONGEST_GAP_NANOS);
        }
        return false;
    }

    private boolean sleep(Duration time, BooleanSupplier on) throws SQLException, InterruptedException {
        long until = System.nanoTime() + time.toNanos();
        while (on.getAsBoolean()) {
            long left = until - System.nanoTime();
            if (left <= 0) return true;
            long pulse = Math.min(PULSE.toNanos(), retention.nanosToStep());
            if (mailbox.await(Duration.ofNanos(Math.min(left, pulse)))) return false;
            retention.step();
            if (leaderSession.isLost()) throw new SQLException("the scheduler's session was ended", "08006");
        }
        return false;
    }

    /** Replaces defaults that have been set in the extension's way since, unless another session has locked the table. */
    private void mendDefaults() throws SQLException {
        if (!leaderSession.one("table_foreign_defaults", row -> row.getBoolean("found"), oid)) return;
        log.info("a default was set in the form that needs the extension, completing the table");
        try {
            completion.run();
        } catch (SQLException e) {
            if (!SqlErrors.isLockNotAvailable(e)) throw e;
            log.info("the table is locked, next try later");
        }
    }
}
