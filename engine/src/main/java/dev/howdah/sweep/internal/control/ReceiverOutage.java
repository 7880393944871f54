package dev.howdah.sweep.internal.control;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state of the receiver of rows: available or not. While it is not, workers wait; after each pause, longer than the one before, one worker tries one
 * row. Its user synchronizes.
 */
final class ReceiverOutage {
    private static final Logger log = LoggerFactory.getLogger(ReceiverOutage.class);
    /** A century: beyond 292 years numbers of nanoseconds overflow. */
    private static final long MOST_NANOS = TimeUnit.DAYS.toNanos(36_500);

    private static final long FIRST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** The process was frozen, or without a database: that says nothing of the receiver. */
    private static final long LONGEST_LOOK_NANOS = TimeUnit.SECONDS.toNanos(10);

    private @Nullable String reason;
    private @Nullable Thread tries;
    private long sinceNanos;
    private long lookedNanos;
    private long lastedNanos;
    private long pauseNanos;
    private long untilNanos;

    /** Why workers wait; null: they do not. */
    @Nullable
    String reason() {
        return reason;
    }

    /** A row could not be delivered. */
    void begin(String why, @Nullable Duration atLeast) {
        long now = System.nanoTime();
        boolean isNew = reason == null;
        long least = atLeast == null ? 0 : Math.min(TimeUnit.NANOSECONDS.convert(atLeast), MOST_NANOS);
        if (isNew) {
            since(now);
            untilNanos = now;
            pauseNanos = FIRST_NANOS;
            log.warn("the receiver of rows is unavailable, rows wait for it: {}", why);
        } else if (tries == Thread.currentThread()) {
            pauseNanos = Math.min(pauseNanos * 2, LONGEST_NANOS);
        }
        // What other workers have sent at the same time does not make the pause longer.
        if (isNew || tries == Thread.currentThread()) least = Math.max(least, pauseNanos);
        if (now + least - untilNanos > 0) untilNanos = now + least;
        reason = text(why);
        leave();
    }

    /** The receiver has asked another process for a pause. */
    void rest(ReceiverPause pause) {
        long now = System.nanoTime();
        if (reason == null) {
            since(now);
            untilNanos = now;
            pauseNanos = FIRST_NANOS;
            reason = text(pause.why());
        }
        long until = now + Math.min(TimeUnit.NANOSECONDS.convert(pause.length()), MOST_NANOS);
        if (until - untilNanos > 0) untilNanos = until;
    }

    private void since(long now) {
        sinceNanos = now;
        lookedNanos = now;
        lastedNanos = 0;
    }

    /**
     * For how long it has lasted; zero where there is none.
     *
     * @param counts whether the time since the last call counts, of which no more than a moment does
     */
    Duration lasted(boolean counts) {
        if (reason == null) return Duration.ZERO;
        long now = System.nanoTime();
        if (counts) lastedNanos += Math.min(now - lookedNanos, LONGEST_LOOK_NANOS);
        lookedNanos = now;
        return Duration.ofNanos(lastedNanos);
    }

    private static String text(String why) {
        return "the receiver is unavailable: " + why;
    }

    /** A row was delivered, or was refused for a reason of its own: the receiver is there. Not before it has asked to be tried again. */
    void end() {
        if (reason == null || System.nanoTime() - untilNanos < 0) return;
        log.info("the receiver of rows is back after {} s", (System.nanoTime() - sinceNanos) / 1_000_000_000);
        reason = null;
        tries = null;
    }

    /** Returns whether this thread may begin a row; if so in an outage, no other may until it has told what became of it. */
    boolean mayBegin() {
        if (reason == null || tries == Thread.currentThread()) return true;
        if (tries != null || System.nanoTime() - untilNanos < 0) return false;
        tries = Thread.currentThread();
        return true;
    }

    /** This thread tries no further row. */
    void leave() {
        if (tries == Thread.currentThread()) tries = null;
    }

    /** In how many milliseconds a row may be tried, at least 1; 0: when another thread has told what became of its row. */
    long waitMillis() {
        if (reason == null || tries != null) return 0;
        return Math.max(TimeUnit.NANOSECONDS.toMillis(untilNanos - System.nanoTime()), 0) + 1;
    }
}
