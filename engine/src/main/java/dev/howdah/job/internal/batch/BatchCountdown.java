package dev.howdah.job.internal.batch;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The jobs of a batch that have not ended, and whether the batch is held open. The call after which no job is left and the batch is not held
 * reports its end; there is one such call. Safe for use by many threads.
 */
final class BatchCountdown {
    /** Added to the number of jobs while the batch is held: both change together. */
    private static final int HELD = 1 << 30;

    private final AtomicInteger state;

    BatchCountdown(int jobs) {
        this.state = new AtomicInteger(jobs);
    }

    /** So many more jobs have ended; returns whether this is the end of the batch. */
    boolean ended(int jobs) {
        return jobs > 0 && state.addAndGet(-jobs) == 0;
    }

    /** Holds the batch open; returns false if it has ended or is held already. */
    boolean hold() {
        return isHoldable(state.getAndUpdate(now -> isHoldable(now) ? now + HELD : now));
    }

    private static boolean isHoldable(int state) {
        return state > 0 && state < HELD;
    }

    /** Ends the hold; returns whether this is the end of the batch. */
    boolean release() {
        return state.addAndGet(-HELD) == 0;
    }

    /** The number of jobs that have not ended. */
    int left() {
        return state.get() & (HELD - 1);
    }

    boolean hasEnded() {
        return state.get() == 0;
    }
}
