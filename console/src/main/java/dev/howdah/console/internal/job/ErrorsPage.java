package dev.howdah.console.internal.job;

import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.operations.read.EngineReads;
import dev.howdah.operations.read.ErrorGroup;
import dev.howdah.operations.read.ErrorGroups;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Errors of jobs, grouped by text: {@code /jobs/errors?state=failed|retrying&queue=&kind=}. */
public final class ErrorsPage implements PageController {
    private enum Which {
        FAILED,
        RETRYING
    }

    /** An error is new for so long. */
    private static final Duration NEW = Duration.ofHours(1);

    private final EngineReads queries;

    ErrorsPage(EngineReads queries) {
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
            Instant now) {
        /** Whether none of the jobs that were looked at had the error before the last hour, and that is known. */
        public boolean isNew(ErrorGroup group) {
            Instant since = errors.since();
            Instant hour = now.minus(NEW);
            return group.first().isAfter(hour) && !isRetrying && (since == null || since.isBefore(hour));
        }

        /** Of which queue and kind, such as {@code  in queue mail of kind send}; empty: of all. */
        public String of() {
            return (queue == null ? "" : " in queue " + queue) + (kind == null ? "" : " of kind " + kind);
        }

        /** The list of jobs with the longest part that all errors of a group have; null: there is none. */
        public @Nullable String list(ErrorGroup group) {
            String part = new ErrorPattern(group.pattern()).part();
            if (part == null) return null;
            return "/jobs?state=" + (isRetrying ? "retrying" : "failed")
                    + (queue == null ? "" : "&queue=" + PageRequest.encoded(queue))
                    + (kind == null ? "" : "&kind=" + PageRequest.encoded(kind))
                    + "&error=" + PageRequest.encoded(part.strip());
        }
    }

    @Override
    public Page page(PageRequest request) {
        boolean retrying = request.choice("state", Which.class) == Which.RETRYING;
        return new Page("Errors", Section.ERRORS, new Part("errors", "errors.jte", () -> model(request, retrying)));
    }

    private Model model(PageRequest request, boolean retrying) {
        String queue = request.text("queue");
        boolean installed = queries.installed().jobs();
        return new Model(
                installed,
                retrying,
                request.with("state", null),
                request.with("state", "retrying"),
                queue,
                request.text("kind"),
                installed ? queries.errorGroups(retrying, queue, request.text("kind")) : ErrorGroups.NONE,
                installed ? queries.now() : Instant.EPOCH);
    }
}
