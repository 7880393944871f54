package dev.howdah.console.internal.job;

import dev.howdah.console.internal.chart.ChartReader;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.NotFoundException;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.operations.chart.ChartRange;
import dev.howdah.operations.chart.ErrorCourse;
import dev.howdah.operations.read.ErrorGroup;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One error over time: {@code /jobs/errors/one?id=&queue=&kind=&range=}. */
public final class ErrorPage implements PageController {
    static final String PATH = "/jobs/errors/one";

    private final ConsoleData data;
    private final ChartReader charts;

    ErrorPage(ConsoleData data) {
        this.data = data;
        this.charts = new ChartReader(data);
    }

    /** The address names the error by its digest: its text may have secrets, which are not masked in addresses. */
    static String path(String pattern, @Nullable String queue, @Nullable String kind) {
        return PATH + "?id=" + id(pattern)
                + (queue == null ? "" : "&queue=" + PageRequest.encoded(queue))
                + (kind == null ? "" : "&kind=" + PageRequest.encoded(kind));
    }

    /** As in the table of errors. */
    private static String id(String pattern) {
        try {
            byte[] digest = MessageDigest.getInstance("MD5").digest(pattern.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each JVM has MD5", e);
        }
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
        String id = request.text("id");
        if (id == null || !id.matches("[0-9a-f]{32}"))
            throw new BadRequestException("id is missing, or is not that of an error");
        ChartReader.range(request);
        ErrorsPage.Filter filter = new ErrorsPage.Filter(false, request.text("queue"), request.text("kind"));
        String pattern = find(id, filter);
        return new Page(
                "Error",
                Section.ERRORS,
                new Part(
                        "error",
                        "error.jte",
                        () -> new Model(pattern, first(pattern), filter.list(pattern), filter.of())),
                new Part("charts", "charts.jte", () -> charts.error(request, pattern, ErrorsPage.part(pattern))));
    }

    /** Errors of the last seconds are not in the table yet, and are those of jobs. */
    private String find(String id, ErrorsPage.Filter filter) {
        return data.charts()
                .error(id)
                .or(() -> data.reads().errorGroups(false, filter.queue(), filter.kind()).groups().stream()
                        .map(ErrorGroup::pattern)
                        .filter(each -> id(each).equals(id))
                        .findFirst())
                .orElseThrow(() -> new NotFoundException("No job has failed with this error in the last weeks."));
    }

    private @Nullable Instant first(String pattern) {
        ErrorCourse course = data.charts()
                .errors(ChartRange.H1, data.reads().now(), List.of(pattern), null, null)
                .get(pattern);
        return course == null ? null : course.first();
    }
}
