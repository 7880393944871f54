package dev.howdah.console.internal.chart;

import dev.howdah.console.internal.chart.BarChart.Column;
import dev.howdah.console.internal.chart.BarChart.Legend;
import dev.howdah.console.internal.data.Recent;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.console.internal.view.Texts;
import dev.howdah.console.internal.view.TimeText;
import dev.howdah.operations.read.EngineReads;
import dev.howdah.operations.read.JobLatency;
import dev.howdah.operations.read.Node;
import dev.howdah.operations.read.ThroughputPoint;
import dev.howdah.operations.read.WaitPoint;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads charts of jobs: of all, of a queue, of a kind. Safe for use by many threads. */
public final class ChartReader {
    /** Thousands of attempts are read, which change little in that time. */
    private static final Duration AGE = Duration.ofSeconds(5);

    /** So many different charts are kept, the newest ones. */
    private static final int KEPT = 50;

    private final EngineReads queries;
    private final Map<String, Supplier<List<WaitPoint>>> waits = kept();
    private final Map<String, Supplier<JobLatency>> latencies = kept();

    public ChartReader(EngineReads queries) {
        this.queries = queries;
    }

    private static <T> Map<String, T> kept() {
        return new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, T> eldest) {
                return size() > KEPT;
            }
        };
    }

    private static <T> T recent(Map<String, Supplier<T>> all, String key, Supplier<T> read) {
        Supplier<T> kept;
        synchronized (all) {
            kept = all.computeIfAbsent(key, name -> new Recent<>(AGE, read));
        }
        return kept.get();
    }

    /**
     * The charts of a page.
     *
     * @param queue null: of all
     * @param nodes those that live
     */
    public Charts read(PageRequest request, @Nullable String queue, boolean isInstalled, List<Node> nodes) {
        ChartRange range = ChartRange.of(request.text("range"));
        if (!isInstalled) return Charts.none(range);
        String kind = request.text("kind");
        Instant now = queries.now();
        List<ThroughputPoint> points = queries.throughput(range.last(), range.step(), queue, kind);
        String of = (queue == null ? "" : "&queue=" + PageRequest.encoded(queue))
                + (kind == null ? "" : "&kind=" + PageRequest.encoded(kind));
        List<BarChart> charts = new ArrayList<>();
        charts.add(ended(range, points, now, of));
        charts.add(failures(range, points, now, of));
        if (kind == null) charts.add(waited(range, queue, now, of));
        return new Charts(
                true,
                range,
                queue,
                kind,
                charts,
                range.ticks(now),
                marks(range, nodes, now),
                queries.kinds(range.last(), queue, Charts.KINDS),
                kind == null ? recent(latencies, String.valueOf(queue), () -> queries.latency(queue)) : null);
    }

    private static String jobs(String state, Instant time, ChartRange range, String of) {
        return "/jobs?state=" + state + "&from=" + time + "&until=" + time.plus(range.step()) + of;
    }

    private static BarChart ended(ChartRange range, List<ThroughputPoint> points, Instant now, String of) {
        long done = 0;
        long retried = 0;
        long failed = 0;
        Duration run = Duration.ZERO;
        Duration longest = Duration.ZERO;
        List<Column> columns = new ArrayList<>();
        for (ThroughputPoint each : points) {
            done += each.done();
            retried += each.retried();
            failed += each.failed();
            run = run.plus(each.run());
            if (each.longest().compareTo(longest) > 0) longest = each.longest();
            Duration average = each.average();
            columns.add(new Column(
                    range.place(each.time(), now),
                    each.time(),
                    Numbers.count(each.done()) + " done, " + Numbers.count(each.retried()) + " retried, "
                            + Numbers.count(each.failed()) + " failed"
                            + (average == null ? "" : "; done ones ran " + TimeText.duration(average) + " on average"),
                    jobs(each.failed() > 0 ? "failed" : "done", each.time(), range, of),
                    each.failed(),
                    each.retried(),
                    each.done()));
        }
        String title = "Jobs that ended, by " + words(range.step());
        List<Legend> legend = new ArrayList<>(List.of(
                new Legend("done", Numbers.count(done) + " done"),
                new Legend("retry", Numbers.count(retried) + " retried"),
                new Legend("fail", Numbers.count(failed) + " failed")));
        if (done > 0)
            legend.add(new Legend(
                    "dim",
                    "done ones ran " + TimeText.duration(run.dividedBy(done)) + " on average, "
                            + TimeText.duration(longest) + " at the longest"));
        return BarChart.of(
                range,
                title,
                legend,
                List.of("fail", "retry", "done"),
                columns,
                2,
                each -> Numbers.count(Math.round(each)));
    }

    private static BarChart failures(ChartRange range, List<ThroughputPoint> points, Instant now, String of) {
        List<Column> columns = new ArrayList<>();
        long failed = 0;
        long all = 0;
        for (ThroughputPoint each : points) {
            long ended = each.done() + each.failed();
            failed += each.failed();
            all += ended;
            if (ended == 0) continue;
            double share = 100.0 * each.failed() / ended;
            columns.add(new Column(
                    range.place(each.time(), now),
                    each.time(),
                    percent(share) + " failed: " + Numbers.count(each.failed()) + " of " + Numbers.count(ended),
                    each.failed() == 0 ? null : jobs("failed", each.time(), range, of),
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
                ChartReader::percent);
    }

    private BarChart waited(ChartRange range, @Nullable String queue, Instant now, String of) {
        List<Column> columns = new ArrayList<>();
        for (WaitPoint each :
                recent(waits, range + " " + queue, () -> queries.waits(range.last(), range.step(), queue))) {
            double half = seconds(each.waited().get(0));
            double most = seconds(each.waited().get(1));
            columns.add(new Column(
                    range.place(each.time(), now),
                    each.time(),
                    "half within " + TimeText.duration(each.waited().get(0)) + ", 99 % within "
                            + TimeText.duration(each.waited().get(1)),
                    jobs("done", each.time(), range, of),
                    half,
                    most - half));
        }
        return BarChart.of(
                range,
                "Time that jobs waited after they were due",
                List.of(
                        new Legend("run", "half within"),
                        new Legend("wait", "99 % within"),
                        new Legend("dim", "of the first " + WaitPoint.CLAIMS + " claims of each bar")),
                List.of("run", "wait"),
                columns,
                0.01,
                each -> TimeText.duration(Duration.ofMillis(Math.round(each * 1000))));
    }

    private static List<Charts.Mark> marks(ChartRange range, List<Node> nodes, Instant now) {
        List<Charts.Mark> marks = new ArrayList<>();
        int width = BarChart.WIDTH / range.steps();
        for (Node each : nodes) {
            int place = range.place(each.started(), now);
            if (each.pid() == null || place < 0) continue;
            marks.add(new Charts.Mark(
                    place * width,
                    each.started(),
                    "node " + Texts.line(each.name()) + " started"
                            + (each.version() == null ? "" : ", version " + each.version())));
        }
        return marks;
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
