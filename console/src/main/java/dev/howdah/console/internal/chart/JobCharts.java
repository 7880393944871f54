package dev.howdah.console.internal.chart;

import dev.howdah.console.internal.chart.BarChart.Column;
import dev.howdah.console.internal.chart.BarChart.Legend;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.console.internal.view.TimeText;
import dev.howdah.operations.chart.Backlog;
import dev.howdah.operations.chart.ChartRange;
import dev.howdah.operations.chart.JobPoint;
import dev.howdah.operations.chart.ThroughputPoint;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The charts of jobs over time. */
final class JobCharts {
    private final ChartRange range;
    private final List<JobPoint> points;
    private final Instant now;
    private final String of;

    /** @param of the parameters of lists of their jobs */
    JobCharts(ChartRange range, List<JobPoint> points, Instant now, String of) {
        this.range = range;
        this.points = points;
        this.now = now;
        this.of = of;
    }

    List<BarChart> all() {
        return List.of(backlog(), inAndOut(), failures(), waited());
    }

    /** Those of which only the ends of jobs are known. */
    List<BarChart> ended() {
        return List.of(inAndOut(), failures());
    }

    private String jobs(String state, Instant time) {
        return "/jobs?state=" + state + "&from=" + time + "&until=" + time.plus(range.step()) + of;
    }

    private Column column(Instant time, String text, @Nullable String link, double line, double... parts) {
        return new Column(range.place(time, now), time, text, link, line, parts);
    }

    private BarChart backlog() {
        List<Column> columns = new ArrayList<>();
        Backlog last = null;
        for (JobPoint each : points) {
            Backlog backlog = each.backlog();
            if (backlog == null) continue;
            last = backlog;
            Instant oldest = backlog.oldest();
            Instant end = each.time().plus(range.step());
            columns.add(column(
                    each.time(),
                    counted(backlog.due(), backlog) + " due, " + Numbers.count(backlog.running()) + " running, "
                            + counted(backlog.later(), backlog) + " later"
                            + (oldest == null || oldest.isAfter(end)
                                    ? ""
                                    : "; the first was due " + TimeText.duration(Duration.between(oldest, end))
                                            + " before"),
                    backlog.due() > 0 ? jobs("waiting", each.time()) : jobs("done", each.time()),
                    -1,
                    backlog.running(),
                    backlog.due(),
                    backlog.later()));
        }
        List<Legend> legend = last == null
                ? List.of(new Legend("dim", "not known yet: a node writes it down each minute"))
                : List.of(
                        new Legend("run", Numbers.count(last.running()) + " running"),
                        new Legend("wait", counted(last.due(), last) + " due"),
                        new Legend("later", counted(last.later(), last) + " later"));
        return BarChart.of(
                range,
                "Backlog, at the end of each " + words(range.step()),
                legend,
                List.of("run", "wait", "later"),
                columns,
                2,
                each -> Numbers.count(Math.round(each)));
    }

    private static String counted(long jobs, Backlog backlog) {
        return Numbers.counted(jobs, backlog.isAll());
    }

    private BarChart inAndOut() {
        long done = 0;
        long retried = 0;
        long failed = 0;
        long added = 0;
        boolean isAdded = false;
        Duration run = Duration.ZERO;
        Duration longest = Duration.ZERO;
        List<Column> columns = new ArrayList<>();
        for (JobPoint point : points) {
            ThroughputPoint each = point.ended();
            Long in = point.added();
            done += each.done();
            retried += each.retried();
            failed += each.failed();
            run = run.plus(each.run());
            if (each.longest().compareTo(longest) > 0) longest = each.longest();
            isAdded |= in != null;
            if (in != null) added += in;
            if (in == null && each.done() + each.retried() + each.failed() == 0) continue;
            Duration average = each.average();
            columns.add(column(
                    each.time(),
                    (in == null ? "" : Numbers.count(in) + " added, ") + Numbers.count(each.done()) + " done, "
                            + Numbers.count(each.retried()) + " retried, " + Numbers.count(each.failed()) + " failed"
                            + (average == null ? "" : "; done ones ran " + TimeText.duration(average) + " on average"),
                    jobs(each.failed() > 0 ? "failed" : "done", each.time()),
                    in == null ? -1 : in,
                    each.failed(),
                    each.retried(),
                    each.done()));
        }
        List<Legend> legend = new ArrayList<>();
        if (isAdded) legend.add(new Legend("in", Numbers.count(added) + " added"));
        legend.add(new Legend("done", Numbers.count(done) + " done"));
        legend.add(new Legend("retry", Numbers.count(retried) + " retried"));
        legend.add(new Legend("fail", Numbers.count(failed) + " failed"));
        if (done > 0)
            legend.add(new Legend(
                    "dim",
                    "ran " + TimeText.duration(run.dividedBy(done)) + " on average, " + TimeText.duration(longest)
                            + " at most"));
        return BarChart.of(
                range,
                "Jobs that came and that ended, by " + words(range.step()),
                legend,
                List.of("fail", "retry", "done"),
                columns,
                2,
                each -> Numbers.count(Math.round(each)));
    }

    private BarChart failures() {
        List<Column> columns = new ArrayList<>();
        long failed = 0;
        long all = 0;
        for (JobPoint point : points) {
            ThroughputPoint each = point.ended();
            long ended = each.done() + each.failed();
            failed += each.failed();
            all += ended;
            if (ended == 0) continue;
            double share = 100.0 * each.failed() / ended;
            columns.add(column(
                    each.time(),
                    percent(share) + " failed: " + Numbers.count(each.failed()) + " of " + Numbers.count(ended),
                    each.failed() == 0 ? null : jobs("failed", each.time()),
                    -1,
                    share));
        }
        return BarChart.of(
                range,
                "Failure rate",
                List.of(new Legend(
                        "fail",
                        all == 0 ? "no job ended" : percent(100.0 * failed / all) + " of those that ended for good")),
                List.of("fail"),
                columns,
                1,
                JobCharts::percent);
    }

    private BarChart waited() {
        List<Column> columns = new ArrayList<>();
        for (JobPoint each : points) {
            Duration half = each.half();
            Duration most = each.most();
            if (half == null || most == null) continue;
            columns.add(column(
                    each.time(),
                    "half within " + TimeText.duration(half) + ", 95 % within " + TimeText.duration(most),
                    jobs("done", each.time()),
                    -1,
                    seconds(half),
                    seconds(most) - seconds(half)));
        }
        return BarChart.of(
                range,
                "Time that jobs waited after they were due",
                List.of(new Legend("run", "half within"), new Legend("wait", "95 % within")),
                List.of("run", "wait"),
                columns,
                0.01,
                each -> TimeText.duration(Duration.ofMillis(Math.round(each * 1000))));
    }

    private static double seconds(Duration time) {
        return time.toNanos() / 1e9;
    }

    private static String words(Duration step) {
        return step.toMinutes() == 1 ? "minute" : TimeText.duration(step);
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, share > 0 && share < 10 ? "%.1f %%" : "%.0f %%", share);
    }
}
