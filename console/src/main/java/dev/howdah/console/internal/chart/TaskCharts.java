package dev.howdah.console.internal.chart;

import dev.howdah.console.internal.chart.BarChart.Column;
import dev.howdah.console.internal.chart.BarChart.Legend;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.console.internal.view.TimeText;
import dev.howdah.operations.chart.ChartRange;
import dev.howdah.task.TaskCounts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The charts of tasks over time. */
final class TaskCharts {
    private TaskCharts() {}

    /** @param group null: of all */
    static List<BarChart> of(
            ChartRange range, TaskCounts.Course course, Instant now, String table, @Nullable String group) {
        List<Column> ended = new ArrayList<>();
        List<Column> waited = new ArrayList<>();
        long started = 0;
        long done = 0;
        long failed = 0;
        for (TaskCounts.Step each : course.steps()) {
            started += each.started();
            done += each.done();
            failed += each.failed();
            int place = range.place(each.time(), now);
            String link =
                    "/tasks?table=" + PageRequest.encoded(table) + "&state=" + (each.failed() > 0 ? "fail" : "done")
                            + "&from=" + each.time() + "&until=" + each.time().plus(range.step())
                            + (group == null ? "" : "&group=" + PageRequest.encoded(group));
            ended.add(new Column(
                    place,
                    each.time(),
                    Numbers.count(each.started()) + " began, " + Numbers.count(each.done()) + " done, "
                            + Numbers.count(each.failed()) + " failed, " + Numbers.count(each.stopped()) + " cancelled",
                    link,
                    each.started(),
                    each.failed(),
                    each.stopped(),
                    each.done()));
            Duration half = each.half();
            Duration most = each.most();
            if (half == null || most == null) continue;
            waited.add(new Column(
                    place,
                    each.time(),
                    "half within " + TimeText.duration(half) + ", 95 % within " + TimeText.duration(most),
                    link,
                    -1,
                    half.toNanos() / 1e9,
                    most.minus(half).toNanos() / 1e9));
        }
        return List.of(
                BarChart.of(
                        range,
                        "Tasks that began and that ended",
                        List.of(
                                new Legend("in", Numbers.count(started) + " began"),
                                new Legend("done", Numbers.count(done) + " done"),
                                new Legend("fail", Numbers.count(failed) + " failed")),
                        List.of("fail", "retry", "done"),
                        ended,
                        2,
                        each -> Numbers.count(Math.round(each))),
                BarChart.of(
                        range,
                        "Time that tasks waited after they were due",
                        List.of(new Legend("run", "half within"), new Legend("wait", "95 % within")),
                        List.of("run", "wait"),
                        waited,
                        0.01,
                        each -> TimeText.duration(Duration.ofMillis(Math.round(each * 1000)))));
    }
}
