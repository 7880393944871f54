package dev.howdah.sweep.internal.work;

import java.util.concurrent.atomic.AtomicLong;

/** The counts of a worker from its beginning. Safe for use by many threads. */
public final class WorkerCounters {
    /** A rate is that of the last five seconds or so. */
    private static final double MEMORY_SECONDS = 5;

    private final AtomicLong done = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private double rate = -1;

    void done(long rows) {
        done.addAndGet(rows);
    }

    void failed(long rows) {
        failed.addAndGet(rows);
    }

    /** How many rows were done from the beginning. */
    public long all() {
        return done.get();
    }

    /** How many rows have failed from the beginning. */
    public long allFailed() {
        return failed.get();
    }

    /** Rows a second of late, with those that were done in the last seconds. */
    public synchronized double rate(long rows, double seconds) {
        double now = rows / seconds;
        double weight = rate < 0 ? 1 : Math.min(seconds / MEMORY_SECONDS, 1);
        rate = Math.max(rate, 0) * (1 - weight) + now * weight;
        return rate < 0.001 ? 0 : Math.rint(rate * 1000) / 1000;
    }
}
