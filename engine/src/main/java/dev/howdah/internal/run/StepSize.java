package dev.howdah.internal.run;

/**
 * How many rows the next step of a long change is for. A step is a transaction that locks its rows, so it is to take about 80 ms, with a
 * thousand rows at most. Not safe for use by several threads.
 */
public final class StepSize {
    private static final int FIRST = 100;
    private static final int LEAST = 20;
    private static final int MOST = 1_000;

    /** How long a step shall take: others that change the same rows wait for its end. */
    private static final double NANOS = 80e6;

    private int rows = FIRST;

    /** For how many rows the next step is. */
    public int rows() {
        return rows;
    }

    /** Says how long the last step took: the next one is at most twice as large, and as small as the time asks for. */
    public void took(long nanos) {
        double fitting = rows * NANOS / Math.max(1, nanos);
        rows = (int) Math.max(LEAST, Math.min(MOST, Math.min(2.0 * rows, fitting)));
    }
}
