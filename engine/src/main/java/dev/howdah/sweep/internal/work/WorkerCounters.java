package dev.howdah.sweep.internal.work;

import java.util.concurrent.atomic.AtomicLong;

/** What a worker has done since the last report. Safe for use by many threads. */
public final class WorkerCounters {
    /** A rate is that of the last five seconds or so. */
    private static final double MEMORY_SECONDS = 5;

    private final AtomicLong done = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong all = new AtomicLong();
    private double rate = -1;

    void done(long rows) {
        done.addAndGet(rows);
        all.addAndGet(rows);
    }

    /** What was taken could not be written down. */
    public void giveBack(long doneRows, long failedRows) {
        done.addAndGet(doneRows);
        failed.addAndGet(failedRows);
    }

    /** How many rows were done from the beginning. */
    public long all() {
        return all.get();
    }

    void failed(long rows) {
        failed.addAndGet(rows);
    }

    public long takeDone() {
        return done.getAndSet(0);
    }

    public long takeFailed() {
        return failed.getAndSet(0);
    }

    /** Rows a second of late, with those that were done in the last seconds. */
    public synchronized double rate(long rows, double seconds) {
        double now = rows / seconds;
        double weight = rate < 0 ? 1 : Math.min(seconds / MEMORY_SECONDS, 1);
        rate = Math.max(rate, 0) * (1 - weight) + now * weight;
        return rate < 0.001 ? 0 : Math.rint(rate * 1000) / 1000;
    }
}
