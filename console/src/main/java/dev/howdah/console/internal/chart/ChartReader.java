package dev.howdah.console.internal.chart;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.Recent;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.console.internal.view.Texts;
import dev.howdah.operations.chart.ChartRange;
import dev.howdah.operations.chart.Deployment;
import dev.howdah.operations.chart.ErrorCourse;
import dev.howdah.operations.chart.JobPoint;
import dev.howdah.operations.chart.SweepPoint;
import dev.howdah.operations.listed.ChartLists;
import dev.howdah.operations.read.EngineReads;
import dev.howdah.operations.read.Installed;
import dev.howdah.operations.read.JobLatency;
import dev.howdah.task.TaskCounts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads charts of jobs: of all, of a queue, of a kind, of a tag. Safe for use by many threads. */
public final class ChartReader {
    /** Thousands of rows are read, which change little in that time. */
    private static final Duration AGE = Duration.ofSeconds(5);

    /** So many different charts are kept, the newest ones. */
    private static final int KEPT = 50;

    private final ConsoleData data;
    private final EngineReads queries;
    private final Map<String, Supplier<List<JobPoint>>> points = kept();
    private final Map<String, Supplier<List<Deployment>>> deployments = kept();
    private final Map<String, Supplier<JobLatency>> latencies = kept();

    public ChartReader(ConsoleData data) {
        this.data = data;
        this.queries = data.reads();
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

    /** The range of an address; an hour unless it is given. */
    public static ChartRange range(PageRequest request) {
        String wanted = request.text(ChartLists.RANGE.name());
        try {
            return wanted == null ? ChartRange.H1 : ChartRange.of(wanted);
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(String.valueOf(e.getMessage()));
        }
    }

    /**
     * The charts of a page.
     *
     * @param queue null: of all
     */
    public Charts read(PageRequest request, @Nullable String queue, boolean isInstalled) {
        ChartRange range = range(request);
        if (!isInstalled) return Charts.none(range);
        String kind = request.text("kind");
        String tag = queue == null && kind == null ? request.text("tag") : null;
        Instant now = queries.now();
        String of = (queue == null ? "" : "&queue=" + PageRequest.encoded(queue))
                + (kind == null ? "" : "&kind=" + PageRequest.encoded(kind))
                + (tag == null ? "" : "&tag=" + PageRequest.encoded(tag));
        List<JobPoint> read = recent(
                points,
                range + of,
                () -> tag == null
                        ? data.charts().jobs(range, queries.now(), queue, kind)
                        : data.charts().jobsOfTag(range, queries.now(), tag));
        JobCharts charts = new JobCharts(range, read, now, of);
        return new Charts(
                true,
                range,
                queue,
                kind,
                tag,
                "/files" + ChartLists.JOBS.path() + "?format=csv&range=" + range.text() + of,
                tag == null ? charts.all() : charts.ended(),
                range.ticks(now),
                marks(range, now),
                tag == null ? queries.kinds(range.last(), queue, Charts.KINDS) : List.of(),
                false,
                kind == null && tag == null
                        ? recent(latencies, String.valueOf(queue), () -> queries.latency(queue))
                        : null);
    }

    /**
     * The chart of an error; of what is not known yet an empty one.
     *
     * @param part of its text, by which its jobs are listed; null: there is none
     */
    public Charts error(PageRequest request, String pattern, @Nullable String part) {
        ChartRange range = range(request);
        String queue = request.text("queue");
        String kind = request.text("kind");
        Instant now = queries.now();
        String of = (part == null ? "" : "&error=" + PageRequest.encoded(part))
                + (queue == null ? "" : "&queue=" + PageRequest.encoded(queue))
                + (kind == null ? "" : "&kind=" + PageRequest.encoded(kind));
        ErrorCourse course = data.charts()
                .errors(range, now, List.of(pattern), queue, kind)
                .getOrDefault(pattern, new ErrorCourse(now, List.of()));
        long step = Math.max(range.step().toSeconds(), 600);
        return Charts.of(
                        range,
                        "/files" + ChartLists.ERRORS.path() + "?format=csv&range=" + range.text() + "&pattern="
                                + PageRequest.encoded(pattern),
                        List.of(ErrorCharts.chart(
                                range,
                                course,
                                now,
                                time -> "/jobs?state=failed&from=" + time + "&until=" + time.plusSeconds(step) + of)),
                        now,
                        marks(range, now))
                .searching();
    }

    /** The charts of a table of tasks, of all or of the group of the address. */
    public Charts tasks(PageRequest request, ConsoleData.TableName table) {
        ChartRange range = range(request);
        String group = request.text("group");
        Instant now = queries.now();
        TaskCounts.Course course = data.tasks(table).course(range.step(), range.begin(now), group);
        return Charts.of(
                range,
                "/files" + ChartLists.TASKS.path() + "?format=csv&range=" + range.text() + "&table="
                        + PageRequest.encoded(table.text())
                        + (group == null ? "" : "&group=" + PageRequest.encoded(group)),
                TaskCharts.of(range, course, now, table.text(), group),
                now,
                marks(range, now));
    }

    /** The chart of a sweep. */
    public Charts sweep(PageRequest request, String name) {
        ChartRange range = range(request);
        if (!queries.installed().sweeps()) return Charts.none(range);
        Instant now = queries.now();
        List<BarChart.Column> columns = new ArrayList<>();
        long done = 0;
        long failed = 0;
        for (SweepPoint each : data.charts().sweep(range, now, name)) {
            done += each.done();
            failed += each.failed();
            double minutes = range.step().toMinutes();
            columns.add(new BarChart.Column(
                    range.place(each.time(), now),
                    each.time(),
                    Numbers.of(each.done(), "row", "rows") + " done, " + Numbers.count(each.failed()) + " failed",
                    null,
                    -1,
                    each.failed() / minutes,
                    each.done() / minutes));
        }
        BarChart chart = BarChart.of(
                range,
                "Rows a minute",
                List.of(
                        new BarChart.Legend("done", Numbers.count(done) + " done in " + range.text()),
                        new BarChart.Legend("fail", Numbers.count(failed) + " failed")),
                List.of("fail", "done"),
                columns,
                2,
                each -> Numbers.count(Math.round(each)));
        return Charts.of(
                range,
                "/files" + ChartLists.SWEEP.path().replace("{name}", PageRequest.encoded(name)) + "?format=csv&range="
                        + range.text(),
                List.of(chart),
                now,
                marks(range, now));
    }

    /** The begins of versions of nodes. */
    private List<Charts.Mark> marks(ChartRange range, Instant now) {
        List<Charts.Mark> marks = new ArrayList<>();
        Installed installed = queries.installed();
        if (!installed.jobs() && !installed.processes()) return marks;
        int width = BarChart.WIDTH / range.steps();
        for (Deployment each :
                recent(deployments, range.text(), () -> data.charts().deployments(range))) {
            int place = range.place(each.time(), now);
            if (place < 0) continue;
            marks.add(new Charts.Mark(
                    place * width,
                    each.time(),
                    "version " + Texts.line(each.version()) + " began, after " + Texts.line(each.before()) + ": node "
                            + Texts.line(each.node())));
        }
        return marks;
    }
}
