package dev.howdah.console.internal.job;

import dev.howdah.console.internal.bulk.BulkPages;
import dev.howdah.console.internal.bulk.BulkRuns;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.view.Texts;
import dev.howdah.operations.read.EngineReads;
import org.jspecify.annotations.Nullable;

/** Retries the jobs of a group of errors, or makes those due now that wait for a retry. */
final class ChangeErrorGroup implements PageAction {
    private final ConsoleData data;
    private final BulkRuns runs;

    ChangeErrorGroup(ConsoleData data, BulkRuns runs) {
        this.data = data;
        this.runs = runs;
    }

    private static ErrorPattern pattern(ActionRequest request) {
        String text = request.field("pattern");
        if (text == null) throw new BadRequestException("The pattern of the errors is missing.");
        return new ErrorPattern(text);
    }

    private static boolean isRetrying(ActionRequest request) {
        return "retrying".equals(request.field("state"));
    }

    @Override
    public String question(ActionRequest request) {
        String shown = request.field("jobs");
        return (isRetrying(request)
                        ? "Make all jobs due now that wait for a retry after"
                        : "Retry all jobs that have failed with")
                + " \"" + Texts.line(pattern(request).text()) + "\"?"
                + (shown == null ? "" : " The page has counted " + shown + " of them.")
                + (isRetrying(request) ? "" : " They begin anew, with all their attempts.");
    }

    @Override
    public ActionResult run(ActionRequest request) {
        ErrorGroupChange change = new ErrorGroupChange(
                pattern(request).text(), isRetrying(request), request.field("queue"), request.field("kind"));
        try {
            return BulkPages.started(change.start(data, runs, expected(request.field("jobs"))));
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(String.valueOf(e.getMessage()));
        }
    }

    /** How many there are, if the page has seen all jobs that have failed. */
    private static @Nullable Long expected(@Nullable String jobs) {
        if (jobs == null || !jobs.matches("\\d{1,9}") || Long.parseLong(jobs) >= EngineReads.ERRORS) return null;
        return Long.valueOf(jobs);
    }
}
