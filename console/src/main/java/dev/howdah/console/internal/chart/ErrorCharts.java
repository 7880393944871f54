package dev.howdah.console.internal.chart;

import dev.howdah.console.internal.chart.BarChart.Column;
import dev.howdah.console.internal.chart.BarChart.Legend;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.operations.chart.ChartRange;
import dev.howdah.operations.chart.ErrorCourse;
import dev.howdah.operations.chart.ErrorPoint;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Charts of errors over time. */
public final class ErrorCharts {
    private ErrorCharts() {}

    /** The course of an error in a day, for a row of a list. */
    public static BarChart small(ErrorCourse course, Instant now) {
        return chart(ChartRange.H24, course, now, time -> null);
    }

    /** The course of an error; a bar leads to the jobs that have failed with it. */
    static BarChart chart(ChartRange range, ErrorCourse course, Instant now, Function<Instant, @Nullable String> link) {
        List<Column> columns = new ArrayList<>();
        for (ErrorPoint each : course.points())
            columns.add(new Column(
                    range.place(each.time(), now),
                    each.time(),
                    Numbers.of(each.jobs(), "job failed", "jobs failed"),
                    link.apply(each.time()),
                    -1,
                    each.jobs()));
        return BarChart.of(
                range,
                "Jobs that failed with it",
                List.of(new Legend("fail", Numbers.count(course.jobs()) + " failed for good in " + range.text())),
                List.of("fail"),
                columns,
                2,
                each -> Numbers.count(Math.round(each)));
    }
}
