package dev.howdah.benchmarks.judge;

import java.util.Arrays;

/** Percentiles of the last thirty seconds in bounded memory, exact to a thousandth. Safe for use by many threads. */
final class RecentLatencies {
    private static final int SECONDS = 30;
    private static final double STEP = Math.log(1.001);
    /** Up to an hour. */
    private static final int BUCKETS = (int) (Math.log(3.6e9) / STEP) + 2;

    private final int[][] counts = new int[SECONDS][BUCKETS];
    private final long[] second = new long[SECONDS];

    synchronized void record(double micros, long nowNanos) {
        int[] slot = slot(nowNanos / 1_000_000_000L);
        slot[(int) Math.min(BUCKETS - 1, Math.log(Math.max(1, micros)) / STEP)]++;
    }

    private int[] slot(long now) {
        int at = (int) Math.floorMod(now, (long) SECONDS);
        if (second[at] != now) {
            Arrays.fill(counts[at], 0);
            second[at] = now;
        }
        return counts[at];
    }

    /** In milliseconds; 0 where nothing was recorded. */
    synchronized double[] percentiles(long nowNanos, double... parts) {
        long now = nowNanos / 1_000_000_000L;
        long[] sums = new long[BUCKETS];
        long all = 0;
        for (int at = 0; at < SECONDS; at++) {
            if (now - second[at] >= SECONDS) continue;
            for (int i = 0; i < BUCKETS; i++) {
                sums[i] += counts[at][i];
                all += counts[at][i];
            }
        }
        double[] found = new double[parts.length];
        for (int p = 0; p < parts.length && all > 0; p++) {
            long rank = Math.max(1, (long) Math.ceil(parts[p] * all));
            int i = 0;
            for (long seen = sums[0]; seen < rank; seen += sums[i]) i++;
            found[p] = Math.exp((i + 0.5) * STEP) / 1e3;
        }
        return found;
    }
}
