package dev.howdah.console.internal.overview;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.console.internal.data.FailureGrowth;
import dev.howdah.console.internal.data.Installed;
import dev.howdah.console.internal.data.Node;
import dev.howdah.console.internal.data.Recent;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.process.ProcessPages;
import dev.howdah.console.internal.schedule.SchedulePages;
import dev.howdah.console.internal.sweep.SweepPages;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.console.internal.view.Texts;
import dev.howdah.console.internal.view.TimeText;
import dev.howdah.health.Cause;
import dev.howdah.health.HealthCheck;
import dev.howdah.job.Schedules;
import dev.howdah.job.query.QueueSummary;
import dev.howdah.process.query.NamespaceSummary;
import dev.howdah.sweep.SweepProgress;
import dev.howdah.sweep.SweepState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Finds what needs attention: of the database, tables of tasks, the queues, schedules, processes, sweeps and nodes. */
public final class AttentionNotices {
    /** A job or a task that is due and has not begun for longer is named. */
    private static final Duration LONG_WAIT = Duration.ofMinutes(5);

    /** For so many queues, the first ones, the cause is asked for: it takes two statements each, and is mostly the same. */
    private static final int MOST_CAUSES = 4;

    /** Some thirty statements, about things that last for longer. */
    private static final Duration HEALTH_AGE = Duration.ofSeconds(15);

    /** A statement or two for each table. */
    private static final Duration TASKS_AGE = Duration.ofSeconds(5);

    /** Statistics are by the minute. */
    private static final Duration GROWTH_AGE = Duration.ofSeconds(20);

    private final ConsoleData data;
    private final ConsoleQueries queries;
    private final Supplier<List<HealthCheck>> health;
    private final Supplier<List<FailureGrowth>> growth;
    private final Supplier<List<Notice>> tasks;

    public AttentionNotices(ConsoleData data, ConsoleQueries queries) {
        this.data = data;
        this.queries = queries;
        this.health = new Recent<>(HEALTH_AGE, () -> DatabasePage.checks(data));
        this.growth = new Recent<>(GROWTH_AGE, queries::growingFailures);
        TaskNotices waiting = new TaskNotices(data);
        this.tasks = new Recent<>(TASKS_AGE, () -> waiting.find(queries.now(), LONG_WAIT));
    }

    /** Something that has to be looked at. */
    public record Notice(boolean isCritical, String sentence, String path) {}

    /** All of them, the critical ones first. */
    public List<Notice> find() {
        Installed installed = queries.installed();
        return find(installed, () -> data.jobs().queues(), () -> queries.nodes(installed));
    }

    /**
     * All of them, the critical ones first. What is said of the database and of tasks is up to 5 s old, what is said of failures up to 20 s.
     *
     * @param installed the features that have tables
     * @param allQueues asked for if there are tables of jobs
     * @param allNodes those of the features that have tables
     */
    List<Notice> find(Installed installed, Supplier<List<QueueSummary>> allQueues, Supplier<List<Node>> allNodes) {
        List<Notice> notices = new ArrayList<>();
        health(notices);
        notices.addAll(tasks.get());
        if (installed.processes()) processes(notices);
        if (installed.sweeps()) sweeps(notices);
        nodes(notices, allNodes.get());
        if (installed.jobs()) {
            schedules(notices);
            queues(notices, allQueues.get());
            failures(notices);
        }
        List<Notice> ordered = new ArrayList<>();
        for (Notice each : notices) if (each.isCritical()) ordered.add(each);
        for (Notice each : notices) if (!each.isCritical()) ordered.add(each);
        return ordered;
    }

    private void health(List<Notice> notices) {
        for (HealthCheck check : health.get())
            if (check.level() == HealthCheck.Level.CRITICAL || check.level() == HealthCheck.Level.WARNING)
                notices.add(new Notice(check.level() == HealthCheck.Level.CRITICAL, check.sentence(), "/database"));
    }

    private void processes(List<Notice> notices) {
        for (NamespaceSummary each : data.processes().namespaces()) {
            String path = ProcessPages.path(each.name());
            if (each.broken() > 0)
                notices.add(new Notice(
                        true,
                        counted(each.broken(), "process", "processes") + " of " + each.name()
                                + (each.broken() == 1 ? " is" : " are") + " broken, and wait for a repair.",
                        path + "?status=error"));
            if (each.blocked() > 0)
                notices.add(new Notice(
                        true,
                        counted(each.blocked(), "notice", "notices") + " of " + each.name()
                                + (each.blocked() == 1 ? " is" : " are") + " blocked, and wait for a decision.",
                        path + "?view=notices"));
        }
    }

    private static String counted(long number, String one, String more) {
        return counted(number, QueueSummary.COUNTED, one, more);
    }

    private static String counted(long number, long most, String one, String more) {
        return Numbers.capped(number, most) + " " + (number == 1 ? one : more);
    }

    private void sweeps(List<Notice> notices) {
        for (SweepProgress each : data.sweeps().list()) {
            String path = SweepPages.path(each.name());
            String error = each.error();
            if (error != null && each.state() != SweepState.DONE)
                notices.add(new Notice(true, "Sweep " + each.name() + " has failed: " + Texts.line(error), path));
            else if (each.failed() > 0)
                notices.add(new Notice(
                        false,
                        Numbers.count(each.failed()) + (each.failed() == 1 ? " row" : " rows") + " of sweep "
                                + each.name() + (each.failed() == 1 ? " has" : " have") + " failed.",
                        path));
        }
    }

    private void nodes(List<Notice> notices, List<Node> all) {
        for (Node each : all)
            if (each.pid() == null)
                notices.add(new Notice(
                        true,
                        "Node " + each.id() + " (" + each.name() + ") is dead, or has lost its session"
                                + (each.jobs() == 0
                                        ? "."
                                        : ": " + counted(each.jobs(), "job waits", "jobs wait") + " for another node."),
                        "/nodes"));
    }

    private void schedules(List<Notice> notices) {
        for (Schedules.Entry each : data.schedules().all()) {
            String error = each.error();
            if (error != null)
                notices.add(new Notice(
                        true,
                        "Schedule " + each.name() + " adds no jobs: " + Texts.line(error),
                        SchedulePages.path(each.name())));
        }
    }

    private void queues(List<Notice> notices, List<QueueSummary> all) {
        Instant now = queries.now();
        int waiting = 0;
        for (QueueSummary queue : all) {
            Instant paused = queue.paused();
            if (paused != null || !queue.pausedKinds().isEmpty()) {
                String what = paused != null
                        ? "Queue " + queue.name() + " is"
                        : "Kind " + String.join(", ", queue.pausedKinds()) + " of queue " + queue.name() + " is";
                String by = queue.pausedBy() == null ? "" : " by " + queue.pausedBy();
                String since = paused == null ? "" : " for " + TimeText.duration(paused, now);
                notices.add(new Notice(
                        false,
                        what + " paused" + since + by + "; "
                                + counted(queue.due(), OverviewPage.COUNTED, "job is", "jobs are") + " due.",
                        "/jobs/queues"));
            }
            Instant oldest = queue.oldest();
            if (paused == null && oldest != null && oldest.isBefore(now.minus(LONG_WAIT)))
                notices.add(waiting(queue, oldest, now, waiting++ < MOST_CAUSES));
        }
    }

    /** A queue in which a job waits for long, with the cause if that is asked for. */
    private Notice waiting(QueueSummary queue, Instant oldest, Instant now, boolean explains) {
        String said = "Jobs of queue " + queue.name() + " wait for " + TimeText.duration(oldest, now) + ", "
                + counted(queue.due(), OverviewPage.COUNTED, "is", "are") + " due. ";
        Long job = explains ? queries.oldestJob(queue.name()) : null;
        List<Cause> causes = job == null ? List.of() : data.jobs().why(job);
        if (causes.isEmpty())
            return new Notice(false, said, "/jobs?state=waiting&queue=" + PageRequest.encoded(queue.name()));
        Cause cause = causes.get(0);
        boolean unserved = cause.code().equals("no-node") || cause.code().equals("no-handler");
        return new Notice(unserved, said + cause.sentence(), "/jobs/" + job);
    }

    private void failures(List<Notice> notices) {
        for (FailureGrowth each : growth.get())
            notices.add(new Notice(
                    false,
                    counted(each.lately(), "job", "jobs") + " of queue " + each.queue()
                            + (each.lately() == 1 ? " has" : " have") + " failed in the last hour, "
                            + (each.before() == 0
                                    ? "and none in the day before."
                                    : "against " + Numbers.count(each.before()) + " in the day before."),
                    "/jobs/errors?queue=" + PageRequest.encoded(each.queue())));
    }
}
