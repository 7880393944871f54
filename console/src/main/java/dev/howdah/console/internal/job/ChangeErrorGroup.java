package dev.howdah.console.internal.job;

import dev.howdah.console.internal.bulk.BulkPages;
import dev.howdah.console.internal.bulk.BulkRuns;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.view.Texts;
import dev.howdah.job.query.BulkChange;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import org.jspecify.annotations.Nullable;

/** Retries the jobs of a group of errors, or makes those due now that wait for a retry. */
final class ChangeErrorGroup implements PageAction {
    private final ConsoleData data;
    private final ConsoleQueries queries;
    private final BulkRuns runs;

    ChangeErrorGroup(ConsoleData data, ConsoleQueries queries, BulkRuns runs) {
        this.data = data;
        this.queries = queries;
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
        ErrorPattern pattern = pattern(request);
        boolean retrying = isRetrying(request);
        JobQuery query = query(request, pattern, retrying);
        BulkChange.Action action = retrying ? BulkChange.Action.RUN_NOW : BulkChange.Action.RETRY;
        String title = (retrying ? "Run now after " : "Retry after ") + Texts.line(pattern.text());
        return BulkPages.started(runs.start(
                title,
                retrying ? "/jobs/errors?state=retrying" : "/jobs/errors",
                expected(request.field("jobs")),
                run -> data.jobs().change(new BulkChange(action, query, null), run::step)));
    }

    private JobQuery query(ActionRequest request, ErrorPattern pattern, boolean retrying) {
        try {
            JobQuery query =
                    JobQuery.in(retrying ? JobState.RETRYING : JobState.FAILED).errorPattern(pattern.text());
            String queue = request.field("queue");
            String kind = request.field("kind");
            String part = pattern.part();
            if (queue != null) query = query.queue(queue);
            if (kind != null) query = query.kind(kind);
            if (part != null) query = query.error(part);
            // What fails from now on is not meant.
            return retrying ? query : query.until(queries.now());
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(String.valueOf(e.getMessage()));
        }
    }

    /** How many there are, if the page has seen all jobs that have failed. */
    private static @Nullable Long expected(@Nullable String jobs) {
        if (jobs == null || !jobs.matches("\\d{1,9}") || Long.parseLong(jobs) >= ConsoleQueries.ERRORS) return null;
        return Long.valueOf(jobs);
    }
}
