package dev.howdah.console.internal.job;

import dev.howdah.console.internal.chart.BarChart;
import dev.howdah.console.internal.chart.ErrorCharts;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.operations.chart.ChartRange;
import dev.howdah.operations.chart.ErrorCourse;
import dev.howdah.operations.read.EngineReads;
import dev.howdah.operations.read.ErrorGroup;
import dev.howdah.operations.read.ErrorGroups;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Errors of jobs, grouped by text: {@code /jobs/errors?state=failed|retrying&queue=&kind=}. */
public final class ErrorsPage implements PageController {
    private enum Which {
        FAILED,
        RETRYING
    }

    /** An error is new for so long. */
    private static final Duration NEW = Duration.ofHours(1);

    private final ConsoleData data;
    private final EngineReads queries;

    ErrorsPage(ConsoleData data, EngineReads queries) {
        this.data = data;
        this.queries = queries;
    }

    /** What the template shows. */
    public record Model(
            boolean isInstalled,
            boolean isRetrying,
            String failedPath,
            String retryingPath,
            @Nullable String queue,
            @Nullable String kind,
            ErrorGroups errors,
            Map<String, ErrorCourse> courses,
            Instant now) {
        /** Since when jobs fail with it: as far as that was written down, also before those that are looked at. */
        public Instant first(ErrorGroup group) {
            ErrorCourse course = courses.get(group.pattern());
            return course == null || course.first().isAfter(group.first()) ? group.first() : course.first();
        }

        /** Its course of a day; null: not known. */
        public @Nullable BarChart course(ErrorGroup group) {
            ErrorCourse course = courses.get(group.pattern());
            return course == null || isRetrying ? null : ErrorCharts.small(course, now);
        }

        /** The page of an error. */
        public String page(ErrorGroup group) {
            return ErrorPage.path(group.pattern(), queue, kind);
        }

        /** Whether none of the jobs that were looked at had the error before the last hour, and that is known. */
        public boolean isNew(ErrorGroup group) {
            Instant since = errors.since();
            Instant hour = now.minus(NEW);
            return first(group).isAfter(hour) && !isRetrying && (since == null || since.isBefore(hour));
        }

        /** Of which queue and kind; empty: of all. */
        public String of() {
            return filter().of();
        }

        /** The list of jobs with the longest part that all errors of a group have; null: there is none. */
        public @Nullable String list(ErrorGroup group) {
            return filter().list(group.pattern());
        }

        private Filter filter() {
            return new Filter(isRetrying, queue, kind);
        }
    }

    /** Which jobs errors are of. */
    record Filter(
            boolean isRetrying,
            @Nullable String queue,
            @Nullable String kind) {
        /** Such as {@code  in queue mail of kind send}; empty: of all. */
        String of() {
            return (queue == null ? "" : " in queue " + queue) + (kind == null ? "" : " of kind " + kind);
        }

        /** The list of jobs with the longest part that all errors of a pattern have; null: there is none. */
        @Nullable
        String list(String pattern) {
            String part = part(pattern);
            if (part == null) return null;
            return "/jobs?state=" + (isRetrying ? "retrying" : "failed")
                    + (queue == null ? "" : "&queue=" + PageRequest.encoded(queue))
                    + (kind == null ? "" : "&kind=" + PageRequest.encoded(kind))
                    + "&error=" + PageRequest.encoded(part);
        }
    }

    /** A part that each error of a pattern has; null: there is none. */
    static @Nullable String part(String pattern) {
        String part = new ErrorPattern(pattern).part();
        return part == null ? null : part.strip();
    }

    @Override
    public Page page(PageRequest request) {
        boolean retrying = request.choice("state", Which.class) == Which.RETRYING;
        return new Page("Errors", Section.ERRORS, new Part("errors", "errors.jte", () -> model(request, retrying)));
    }

    private Model model(PageRequest request, boolean retrying) {
        String queue = request.text("queue");
        String kind = request.text("kind");
        boolean installed = queries.installed().jobs();
        ErrorGroups errors = installed ? queries.errorGroups(retrying, queue, kind) : ErrorGroups.NONE;
        Instant now = installed ? queries.now() : Instant.EPOCH;
        List<String> patterns =
                errors.groups().stream().map(ErrorGroup::pattern).toList();
        return new Model(
                installed,
                retrying,
                request.with("state", null),
                request.with("state", "retrying"),
                queue,
                kind,
                errors,
                patterns.isEmpty() || retrying
                        ? Map.of()
                        : data.charts().errors(ChartRange.H24, now, patterns, queue, kind),
                now);
    }
}
