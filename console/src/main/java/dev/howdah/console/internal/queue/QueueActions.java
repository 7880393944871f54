package dev.howdah.console.internal.queue;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.ActionResult.Undo;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.job.JobAdmin;
import dev.howdah.job.limit.JobLimits;
import dev.howdah.job.limit.LimitSetting;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The buttons and forms of a queue. */
final class QueueActions {
    /** The actions that set limits. */
    private static final Map<String, String> VERBS =
            Map.of("concurrency", "limit", "rate", "rate-limit", "share", "share", "ageing", "age");

    private final ConsoleData data;

    QueueActions(ConsoleData data) {
        this.data = data;
    }

    private interface Change {
        /** What has happened. */
        Done of(JobAdmin jobs, String queue, ActionRequest request);
    }

    /**
     * What has happened.
     *
     * @param undo what takes it back; null: nothing does
     */
    private record Done(String sentence, @Nullable Undo undo) {}

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
                Done done;
                try {
                    done = change.of(data.jobs(), queue, request);
                } catch (IllegalArgumentException e) {
                    throw new BadRequestException("Nothing was changed: " + e.getMessage() + ".");
                }
                return new ActionResult(done.sentence(), isOfList(request) ? "/jobs/queues" : QueuePages.path(queue))
                        .undoneBy(done.undo());
            }
        };
    }

    /** Whether the button is one of the list of queues. */
    private static boolean isOfList(ActionRequest request) {
        return request.page().text("from") != null;
    }

    /** The button that takes a pause back, or its end. */
    private static Undo undo(ActionRequest request, String queue, String verb, @Nullable String kind) {
        return Undo.by(
                QueuePages.path(queue) + "/" + verb + (isOfList(request) ? "?from=list" : ""),
                kind == null ? Map.of() : Map.of("kind", kind));
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
                    return new Done(
                            what(queue, kind) + (changed ? " is paused." : " was paused already."),
                            changed ? undo(request, queue, "resume", kind) : null);
                });
    }

    PageAction resume() {
        return action((queue, request) -> "", (jobs, queue, request) -> {
            String kind = request.field("kind");
            boolean changed = kind == null ? jobs.resume(queue) : jobs.resume(queue, kind);
            return new Done(
                    what(queue, kind) + (changed ? " goes on." : " was not paused."),
                    changed ? undo(request, queue, "pause", kind) : null);
        });
    }

    PageAction runRetriesNow() {
        return action(
                (queue, request) -> "Make all jobs of queue " + queue
                        + " due now that wait for a retry? Those that are only planned keep their times.",
                (jobs, queue, request) -> {
                    long due = jobs.runRetriesNow(queue);
                    return new Done(
                            Numbers.count(due) + (due == 1 ? " job" : " jobs") + " of queue " + queue
                                    + (due == 1 ? " is due now." : " are due now."),
                            null);
                });
    }

    /** @param setting as limits name it; empty: the one of the form */
    private PageAction setting(
            String setting, String done, BiConsumer<LimitFields, JobLimits> change, Question question) {
        return action(question, (jobs, queue, request) -> {
            LimitFields fields = new LimitFields(queue, request::field);
            List<LimitSetting> before = jobs.limits().list();
            change.accept(fields, jobs.limits());
            String named = setting.isEmpty() ? Objects.requireNonNullElse(request.field("setting"), "") : setting;
            return new Done(
                    "Queue " + queue + ": " + done + " Nodes notice it within three seconds.",
                    undo(queue, fields.naming(named), before, setting.isEmpty()));
        });
    }

    /**
     * What sets a limit as it was, or removes the one that was new.
     *
     * @param naming the fields that name the limit
     * @param isRemoved whether it was removed
     */
    private static @Nullable Undo undo(
            String queue, Map<String, String> naming, List<LimitSetting> before, boolean isRemoved) {
        String path = QueuePages.path(queue) + "/";
        for (LimitSetting each : before) {
            if (!each.scope().queue().equals(queue)) continue;
            QueueLimit limit = QueueLimit.of(each);
            boolean isUnknown = limit.values().isEmpty() && each.setting().equals(naming.get("setting"));
            if (isUnknown) return null;
            if (!limit.fields().equals(naming)) continue;
            Map<String, String> fields = new LinkedHashMap<>(naming);
            fields.remove("setting");
            fields.putAll(limit.values());
            return Undo.by(path + VERBS.get(each.setting()), fields);
        }
        return isRemoved ? null : Undo.by(path + "remove-limit", naming);
    }

    PageAction limit() {
        return setting("concurrency", "the limit is set.", LimitFields::setConcurrency, (queue, request) -> "");
    }

    PageAction rate() {
        return setting("rate", "the rate is set.", LimitFields::setRate, (queue, request) -> "");
    }

    PageAction share() {
        return setting("share", "the share is set.", LimitFields::setShare, (queue, request) -> "");
    }

    PageAction age() {
        return setting("ageing", "the ageing is set.", LimitFields::setAgeing, (queue, request) -> "");
    }

    PageAction remove() {
        return setting(
                "",
                "the limit is removed.",
                LimitFields::remove,
                (queue, request) ->
                        "Remove this limit of queue " + queue + "? Its nodes take jobs as if it had never been set.");
    }
}
