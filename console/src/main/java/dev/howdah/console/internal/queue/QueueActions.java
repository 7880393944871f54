package dev.howdah.console.internal.queue;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.job.JobAdmin;
import dev.howdah.job.limit.JobLimits;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The buttons and forms of a queue. */
final class QueueActions {
    private final ConsoleData data;

    QueueActions(ConsoleData data) {
        this.data = data;
    }

    private interface Change {
        /** What has happened. */
        String of(JobAdmin jobs, String queue, ActionRequest request);
    }

    private interface Question {
        String of(String queue, ActionRequest request);
    }

    private PageAction action(Question question, Change change) {
        return new PageAction() {
            @Override
            public String question(ActionRequest request) {
                return question.of(request.page().name("queue"), request);
            }

            @Override
            public ActionResult run(ActionRequest request) {
                String queue = request.page().name("queue");
                String said;
                try {
                    said = change.of(data.jobs(), queue, request);
                } catch (IllegalArgumentException e) {
                    throw new BadRequestException("Nothing was changed: " + e.getMessage() + ".");
                }
                boolean isList = request.page().text("from") != null;
                return new ActionResult(said, isList ? "/jobs/queues" : QueuePages.path(queue));
            }
        };
    }

    private static String what(String queue, @Nullable String kind) {
        return kind == null ? "Queue " + queue : "Kind " + kind + " of queue " + queue;
    }

    PageAction pause() {
        return action(
                (queue, request) -> {
                    String kind = request.field("kind");
                    return kind == null
                            ? "Pause queue " + queue + "? No node takes jobs from it any more; jobs that run go on."
                            : "Pause kind " + kind + " of queue " + queue
                                    + "? No node takes such jobs from it any more; jobs that run go on.";
                },
                (jobs, queue, request) -> {
                    String kind = request.field("kind");
                    boolean changed = kind == null ? jobs.pause(queue) : jobs.pause(queue, kind.strip());
                    return what(queue, kind) + (changed ? " is paused." : " was paused already.");
                });
    }

    PageAction resume() {
        return action((queue, request) -> "", (jobs, queue, request) -> {
            String kind = request.field("kind");
            boolean changed = kind == null ? jobs.resume(queue) : jobs.resume(queue, kind);
            return what(queue, kind) + (changed ? " goes on." : " was not paused.");
        });
    }

    PageAction runRetriesNow() {
        return action(
                (queue, request) -> "Make all jobs of queue " + queue
                        + " due now that wait for a retry? Those that are only planned keep their times.",
                (jobs, queue, request) -> {
                    long due = jobs.runRetriesNow(queue);
                    return Numbers.count(due) + (due == 1 ? " job" : " jobs") + " of queue " + queue
                            + (due == 1 ? " is due now." : " are due now.");
                });
    }

    private PageAction setting(String done, BiConsumer<LimitFields, JobLimits> change, Question question) {
        return action(question, (jobs, queue, request) -> {
            change.accept(new LimitFields(queue, request::field), jobs.limits());
            return "Queue " + queue + ": " + done + " Nodes notice it within three seconds.";
        });
    }

    PageAction limit() {
        return setting("the limit is set.", LimitFields::setConcurrency, (queue, request) -> "");
    }

    PageAction rate() {
        return setting("the rate is set.", LimitFields::setRate, (queue, request) -> "");
    }

    PageAction share() {
        return setting("the share is set.", LimitFields::setShare, (queue, request) -> "");
    }

    PageAction age() {
        return setting("the ageing is set.", LimitFields::setAgeing, (queue, request) -> "");
    }

    PageAction remove() {
        return setting(
                "the limit is removed.",
                LimitFields::remove,
                (queue, request) ->
                        "Remove this limit of queue " + queue + "? Its nodes take jobs as if it had never been set.");
    }
}
