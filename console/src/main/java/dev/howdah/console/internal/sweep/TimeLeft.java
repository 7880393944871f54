package dev.howdah.console.internal.sweep;

import dev.howdah.console.internal.view.Numbers;
import dev.howdah.console.internal.view.TimeText;
import dev.howdah.sweep.SweepProgress;
import dev.howdah.sweep.SweepState;
import java.time.Duration;
import java.time.Instant;

/** How much of a sweep is left, in words, and no more than can be known. */
final class TimeLeft {
    /** Before that no rate means anything. */
    private static final Duration FIRST = Duration.ofSeconds(30);

    /** Rates that differ by more than this part make a range. */
    private static final double STEADY = 1.2;

    private TimeLeft() {}

    /** Such as {@code 1,200 rows left, about 3 min}; empty if it does not run, or the number of its rows is not known. */
    static String of(SweepProgress sweep, Instant now) {
        if (sweep.state() != SweepState.RUNNING || sweep.left() < 0) return "";
        long left = sweep.left();
        String rows =
                (sweep.isTotalExact() ? "" : "about ") + Numbers.count(left) + (left == 1 ? " row" : " rows") + " left";
        String time = time(sweep, left, Duration.between(sweep.started(), now));
        return time.isEmpty() ? rows : rows + ", " + time;
    }

    /** The same for a list, by the rate of late: such as {@code 1,200, 3 min}. */
    static String brief(SweepProgress sweep, Instant now) {
        if (sweep.state() != SweepState.RUNNING || sweep.left() < 0) return "";
        String rows = Numbers.count(sweep.left());
        return isRateKnown(sweep, Duration.between(sweep.started(), now))
                ? rows + ", " + text(sweep.left(), sweep.rowsPerSecond())
                : rows;
    }

    private static boolean isRateKnown(SweepProgress sweep, Duration passed) {
        boolean held = sweep.workers().isEmpty() || sweep.workers().stream().anyMatch(each -> each.held() != null);
        return sweep.left() > 0 && !held && passed.compareTo(FIRST) >= 0 && sweep.rowsPerSecond() > 0;
    }

    private static String time(SweepProgress sweep, long left, Duration passed) {
        if (!isRateKnown(sweep, passed)) return "";
        double late = sweep.rowsPerSecond();
        double mean = sweep.done() / (passed.toMillis() / 1000.0);
        double least = Math.min(late, mean);
        double most = Math.max(late, mean);
        if (least <= 0 || most <= least * STEADY) return "about " + text(left, late) + " at the rate of late";
        return text(left, most) + " to " + text(left, least) + ": " + Numbers.rate(late) + " of late, "
                + Numbers.rate(mean) + " since it began";
    }

    private static String text(long rows, double perSecond) {
        return TimeText.duration(Duration.ofSeconds((long) Math.ceil(rows / perSecond)));
    }
}
