package dev.howdah.sweep.internal.work;

import dev.howdah.internal.metrics.Instruments;
import dev.howdah.spi.Metrics;

/** The metrics of one sweep in this process. Safe for use by many threads. */
public final class SweepMetrics {
    private final Metrics.Counter done;
    private final Metrics.Counter retried;
    private final Metrics.Counter failed;
    private final Metrics.Timer seconds;
    private final Metrics.Gauge left;
    private final Metrics.Gauge held;
    private boolean hasEnded;

    public SweepMetrics(Metrics metrics, String sweep) {
        Instruments instruments = Instruments.of(metrics).with("sweep", sweep);
        Instruments.Family<Metrics.Counter> rows = instruments.counters(
                "howdah_sweep_rows_total", "Attempts of rows that ended in this program, by outcome", "outcome");
        this.done = rows.get("done");
        this.retried = rows.get("retried");
        this.failed = rows.get("failed");
        this.seconds = instruments
                .timers("howdah_sweep_batch_seconds", "How long batches took, from their locks to the end of the work")
                .get();
        this.left = instruments
                .gauges("howdah_sweep_rows_left", "Rows of the sweep that are not done, all programs together")
                .get();
        this.held = instruments
                .gauges(
                        "howdah_sweep_held",
                        "1 while this program begins no row of the sweep: it is paused, or waits for its receiver, its"
                                + " hours or the database")
                .get();
    }

    /**
     * How the sweep stands.
     *
     * @param rows that are left; NaN: not known
     * @param isHeld whether this program begins no row
     */
    public synchronized void report(double rows, boolean isHeld) {
        // What was asked before the end may be answered after it.
        if (hasEnded) return;
        left.set(rows);
        held.set(isHeld ? 1 : 0);
    }

    /** This program has left the sweep: it knows nothing more of it. */
    public synchronized void end() {
        hasEnded = true;
        left.set(Double.NaN);
        held.set(Double.NaN);
    }

    /** Rows were marked, and that is committed. */
    void done(long rows) {
        done.add(rows);
    }

    /** A failed attempt of a row is written. */
    void failed(boolean isLast) {
        (isLast ? failed : retried).add(1);
    }

    /** A batch is worked through. */
    void took(long nanos) {
        seconds.record(nanos);
    }
}
