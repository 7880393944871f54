package dev.howdah.job.internal.batch;

import java.util.concurrent.TimeUnit;

/**
 * How long the jobs of a claim under a rate are given to begin: three times as long as recent claims took. The jobs begin right after the answer
 * to the claim, or go back. A longer time is no error, but leaves less of a rate with a short period. For one thread at a time.
 */
final class ClaimTime {
    private static final int TIMES = 3;
    /** Before the first claim, which finds nothing prepared. */
    private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private long allowed = FIRST_NANOS;

    long allowedMicros() {
        return TimeUnit.NANOSECONDS.toMicros(allowed);
    }

    /** A claim was answered after that time. One that took longer than the others is forgotten after a few claims. */
    void took(long nanos) {
        allowed = Math.max(TIMES * nanos, allowed / 2);
    }
}
