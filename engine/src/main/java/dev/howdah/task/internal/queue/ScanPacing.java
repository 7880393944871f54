package dev.howdah.task.internal.queue;

import java.time.Duration;

/**
 * The share of time that scans of different reach may take, measured by how long the last ones took. All times are those of {@link
 * System#nanoTime}.
 */
final class ScanPacing {
    /** Slower than this three times in a row: dead rows lie in front, which an old snapshot keeps. */
    private static final long SLOW_START_NANOS = Duration.ofMillis(8).toNanos();

    private static final long MAX_PAUSE_NANOS = Duration.ofSeconds(10).toNanos();

    /** Where scans from the start are slow, they take at most one part in so many of the time. */
    private static final int START_SHARE = 100;

    /** Reading a long queue to its end takes at most one part in so many of the time. */
    private static final int WHOLE_SHARE = 20;

    /** The same where the end was not reached. */
    private static final int VAIN_SHARE = WHOLE_SHARE * 10;

    private long startAt;
    private long startNanos;
    private long lastStartNanos;
    private long lastButOneNanos;
    private long lastNanos;
    private long newNanos;
    private long wholeAt;
    private long wholePause;

    ScanPacing(long now) {
        startAt = now;
        wholeAt = now - MAX_PAUSE_NANOS;
    }

    /** A scan has ended. */
    void scanned(long nanos) {
        lastNanos = nanos;
    }

    /** A scan that began at the start of the queue has ended now. */
    void scannedFromStart(long now, long nanos) {
        scanned(nanos);
        startAt = now;
        startNanos = Math.min(nanos, Math.min(lastStartNanos, lastButOneNanos));
        lastButOneNanos = lastStartNanos;
        lastStartNanos = nanos;
    }

    /** A scan of what is new has ended. */
    void scannedNew(long nanos) {
        newNanos = nanos;
    }

    /** A long queue is read on to its end from now on. */
    void readOnBegins(long now) {
        wholeAt = now;
    }

    /** @param end whether the end was reached */
    void readOnEnds(long now, boolean end) {
        wholePause = (now - wholeAt) * (end ? WHOLE_SHARE : VAIN_SHARE);
    }

    /** Returns whether scans from the start are slow and the last one has just been done. */
    boolean skipsStart(long now) {
        return startNanos > SLOW_START_NANOS && now - startAt < startPause();
    }

    /** How long scans may go on without one from the start; negative: no longer. */
    Duration untilStart(long now) {
        return Duration.ofNanos(startPause() - (now - startAt));
    }

    private long startPause() {
        return Math.min(startNanos * START_SHARE, MAX_PAUSE_NANOS);
    }

    /** Returns whether the scan from the start that has just ended may read on to the end of the queue. */
    boolean mayReadOn() {
        return startAt - wholeAt > wholePause;
    }

    /** How long the next scan will take, as far as the last ones tell. */
    long expectedNanos(boolean onlyNew) {
        return onlyNew ? newNanos : lastNanos;
    }
}
