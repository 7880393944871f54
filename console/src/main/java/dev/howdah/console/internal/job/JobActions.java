package dev.howdah.console.internal.job;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.NamedAction;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.job.JobAdmin;

/** The buttons of a job and of a queue. */
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

    PageAction pause() {
        return new NamedAction(
                "queue", "Pause queue %s? No node takes jobs from it any more; jobs that run go on.", queue -> {
                    boolean changed = data.jobs().pause(queue);
                    return new ActionResult(
                            "Queue " + queue + (changed ? " is paused." : " was paused already."), "/jobs/queues");
                });
    }

    PageAction resume() {
        return new NamedAction("queue", "", queue -> {
            boolean changed = data.jobs().resume(queue);
            return new ActionResult("Queue " + queue + (changed ? " goes on." : " was not paused."), "/jobs/queues");
        });
    }
}
