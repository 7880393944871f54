package dev.howdah.console.internal.view;

import dev.howdah.operations.read.ThroughputPoint;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Ended jobs over time as stacked bars: numbers for an SVG of {@value #WIDTH} by {@value #HEIGHT}.
 *
 * @param most the height of the axis, in jobs of one step
 * @param step of time, of one bar
 * @param ran how long the done ones ran, on average and at the longest; empty: none is done
 * @param ticks times of the axis at equal distances, from its beginning to its end
 * @param isOfDays whether the axis is so long that its ticks are days
 */
public record BarChart(
        List<Bar> bars,
        long most,
        long done,
        long retried,
        long failed,
        String step,
        String ran,
        List<Instant> ticks,
        boolean isOfDays) {
    private static final int SPACES = 4;

    public static final int WIDTH = 960;
    public static final int HEIGHT = 120;

    /** A bar: its place, and the heights of its parts from below. */
    public record Bar(int x, int width, int done, int retried, int failed, ThroughputPoint point) {
        public int doneY() {
            return HEIGHT - done;
        }

        public int retriedY() {
            return HEIGHT - done - retried;
        }

        public int failedY() {
            return HEIGHT - done - retried - failed;
        }
    }

    /** The chart of these points, which end now. */
    public static BarChart of(List<ThroughputPoint> points, Duration last, Duration step) {
        long most = 1;
        long done = 0;
        long retried = 0;
        long failed = 0;
        Duration run = Duration.ZERO;
        Duration longest = Duration.ZERO;
        for (ThroughputPoint each : points) {
            most = Math.max(most, each.done() + each.retried() + each.failed());
            done += each.done();
            retried += each.retried();
            failed += each.failed();
            run = run.plus(each.run());
            if (each.longest().compareTo(longest) > 0) longest = each.longest();
        }
        long seconds = step.toSeconds();
        long newest = Instant.now().getEpochSecond() / seconds;
        int steps = (int) (last.toSeconds() / seconds);
        int width = WIDTH / steps;
        List<Bar> bars = new ArrayList<>();
        for (ThroughputPoint each : points) {
            long place = steps - 1 - (newest - each.time().getEpochSecond() / seconds);
            if (place < 0) continue;
            bars.add(new Bar(
                    (int) place * width,
                    Math.max(1, width - 2),
                    height(each.done(), most),
                    height(each.retried(), most),
                    height(each.failed(), most),
                    each));
        }
        long end = (newest + 1) * seconds;
        List<Instant> ticks = new ArrayList<>();
        for (int i = 0; i <= SPACES; i++)
            ticks.add(Instant.ofEpochSecond(end - last.toSeconds() * (SPACES - i) / SPACES));
        String ran = done == 0
                ? ""
                : "ran " + TimeText.duration(run.dividedBy(done)) + " on average, " + TimeText.duration(longest)
                        + " at the longest";
        return new BarChart(bars, most, done, retried, failed, TimeText.duration(step), ran, ticks, last.toDays() > 1);
    }

    private static int height(long jobs, long most) {
        return jobs == 0 ? 0 : (int) Math.max(1, jobs * HEIGHT / most);
    }
}
