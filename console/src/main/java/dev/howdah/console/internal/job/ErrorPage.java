package dev.howdah.console.internal.job;

import dev.howdah.console.internal.chart.ChartReader;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.operations.chart.ChartRange;
import dev.howdah.operations.chart.ErrorCourse;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One error over time: {@code /jobs/errors/one?pattern=&queue=&kind=&range=}. */
public final class ErrorPage implements PageController {
    static final String PATH = "/jobs/errors/one";

    private final ConsoleData data;
    private final ChartReader charts;

    ErrorPage(ConsoleData data) {
        this.data = data;
        this.charts = new ChartReader(data);
    }

    static String path(String pattern, @Nullable String queue, @Nullable String kind) {
        return PATH + "?pattern=" + PageRequest.encoded(pattern)
                + (queue == null ? "" : "&queue=" + PageRequest.encoded(queue))
                + (kind == null ? "" : "&kind=" + PageRequest.encoded(kind));
    }

    /**
     * What the template shows.
     *
     * @param first when it was first seen; null: not known
     * @param list the path of the list of its jobs; null: there is none
     * @param of which queue and kind, such as {@code  in queue mail}; empty: of all
     */
    public record Model(
            String pattern,
            @Nullable Instant first,
            @Nullable String list,
            String of) {}

    @Override
    public Page page(PageRequest request) {
        String pattern = request.text("pattern");
        if (pattern == null) throw new BadRequestException("pattern is missing: the text of an error");
        ChartReader.range(request);
        ErrorsPage.Filter filter = new ErrorsPage.Filter(false, request.text("queue"), request.text("kind"));
        return new Page(
                "Error",
                Section.ERRORS,
                new Part(
                        "error",
                        "error.jte",
                        () -> new Model(pattern, first(pattern), filter.list(pattern), filter.of())),
                new Part("charts", "charts.jte", () -> charts.error(request, pattern, ErrorsPage.part(pattern))));
    }

    private @Nullable Instant first(String pattern) {
        ErrorCourse course = data.charts()
                .errors(ChartRange.H1, data.reads().now(), List.of(pattern), null, null)
                .get(pattern);
        return course == null ? null : course.first();
    }
}
