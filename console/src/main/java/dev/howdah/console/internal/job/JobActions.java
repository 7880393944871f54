package dev.howdah.console.internal.job;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.ActionResult.Undo;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.job.JobAdmin;
import dev.howdah.job.query.JobSummary;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The buttons of a job. */
final class JobActions {
    private final ConsoleData data;

    JobActions(ConsoleData data) {
        this.data = data;
    }

    private interface Change {
        String change(JobAdmin jobs, long id);
    }

    private PageAction action(String question, Change change, boolean stays) {
        return new PageAction() {
            @Override
            public String question(ActionRequest request) {
                return question.isEmpty() ? "" : question.formatted(request.id());
            }

            @Override
            public ActionResult run(ActionRequest request) {
                String said = change.change(data.jobs(), request.id());
                return new ActionResult(said, stays ? "/jobs/" + request.id() : "/jobs");
            }
        };
    }

    PageAction retry() {
        return action(
                "Retry job %d? It begins anew, with all its attempts.",
                (jobs, id) -> jobs.retry(id)
                        ? "Job " + id + " waits to run again."
                        : "Job " + id + " was not changed: it has neither failed nor been cancelled.",
                true);
    }

    PageAction cancel() {
        return action(
                "Cancel job %d? If it waits, it will not run. If it runs, its node is told to interrupt it, and it may"
                        + " be done all the same.",
                (jobs, id) -> switch (jobs.cancel(id)) {
                    case CANCELLED -> "Job " + id + " is cancelled.";
                    case ASKED -> "The node of job " + id + " was told to interrupt it.";
                    case ENDED -> "Job " + id + " has ended already.";
                    case UNCLAIMED_ENTRY ->
                        "Job " + id + " is an entry of a log queue, which cannot be cancelled before it is claimed.";
                    case NOT_FOUND -> "There is no job " + id + " any more.";
                },
                true);
    }

    PageAction runNow() {
        return action(
                "",
                (jobs, id) -> jobs.runNow(id)
                        ? "Job " + id + " is due now."
                        : "Job " + id + " was not changed: it is neither planned nor waits for a retry.",
                true);
    }

    PageAction delete() {
        return action(
                "Delete job %d with its payload and its key? Its history stays.",
                (jobs, id) -> jobs.delete(id)
                        ? "Job " + id + " is deleted."
                        : "Job " + id + " was not deleted: it runs, or is done, or is not there any more.",
                false);
    }

    PageAction setPriority() {
        return changed(request -> {
            String text = request.field("priority");
            if (text == null || !text.strip().matches("-?\\d{1,3}"))
                throw new BadRequestException("The priority has to be a number from -100 to 100, not \""
                        + (text == null ? "" : text) + "\".");
            int priority = Integer.parseInt(text.strip());
            Integer before =
                    data.jobs().find(request.id()).map(JobSummary::priority).orElse(null);
            if (!data.jobs().setPriority(request.id(), priority))
                return done(request, "Job " + request.id() + " was not changed: it does not wait any more.");
            return done(request, "Job " + request.id() + " has priority " + priority + " now.")
                    .undoneBy(
                            before == null || before == priority
                                    ? null
                                    : Undo.by(
                                            "/jobs/" + request.id() + "/priority",
                                            Map.of("priority", before.toString())));
        });
    }

    PageAction move() {
        return changed(request -> {
            String queue = request.field("queue");
            if (queue == null) throw new BadRequestException("Nothing was moved: the queue is missing.");
            String before =
                    data.jobs().find(request.id()).map(JobSummary::queue).orElse(null);
            if (data.jobs().moveEach(List.of(request.id()), queue.strip()) == 0)
                return done(
                        request,
                        "Job " + request.id()
                                + " was not moved: it does not wait any more, or it has a key or an order key,"
                                + " which belong to their queue.");
            return done(request, "Job " + request.id() + " is in queue " + queue.strip() + " now.")
                    .undoneBy(
                            before == null || before.equals(queue.strip())
                                    ? null
                                    : Undo.by("/jobs/" + request.id() + "/move", Map.of("queue", before)));
        });
    }

    /** An action without a question, of which an IllegalArgumentException says what cannot be. */
    private static PageAction changed(Function<ActionRequest, ActionResult> change) {
        return request -> {
            try {
                return change.apply(request);
            } catch (IllegalArgumentException e) {
                throw new BadRequestException("Nothing was changed: " + e.getMessage() + ".");
            }
        };
    }

    private static ActionResult done(ActionRequest request, String said) {
        return new ActionResult(said, "/jobs/" + request.id());
    }
}
