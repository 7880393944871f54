package dev.howdah.operations.chart;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How many waited for how long, as the database counts them: number n waited for 2 ^ (n / 2) - 1 milliseconds or a little more. */
final class WaitCounts {
    private final List<Long> counts;
    private final long all;

    WaitCounts(List<Long> counts) {
        this.counts = counts;
        this.all = counts.stream().mapToLong(Long::longValue).sum();
    }

    /** So long at most waited that share of them; null: there are none. */
    @Nullable
    Duration within(double share) {
        double left = share * all;
        for (int i = 0; i < counts.size(); i++) {
            long here = counts.get(i);
            if (here > 0 && left <= here)
                return Duration.ofNanos(Math.round(1e6 * (least(i) + (least(i + 1) - least(i)) * left / here)));
            left -= here;
        }
        return null;
    }

    private static double least(int number) {
        return Math.pow(2, number / 2.0) - 1;
    }
}
