package dev.howdah.console.internal.overview;

import dev.howdah.console.internal.data.ConsoleData;
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
import dev.howdah.operations.read.EngineReads;
import dev.howdah.operations.read.FailureGrowth;
import dev.howdah.operations.read.Installed;
import dev.howdah.operations.read.Node;
import dev.howdah.process.query.NamespaceSummary;
import dev.howdah.sweep.SweepProgress;
import dev.howdah.sweep.SweepState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds what needs attention: of the database, tables of tasks, the queues, schedules, processes, sweeps and nodes. */
public final class AttentionNotices {
    /** A job or a task that is due and has not begun for longer is named. */
    private static final Duration LONG_WAIT = Duration.ofMinutes(5);

    /** For so many queues, the first ones, the cause is asked for: it takes two statements each, and is mostly the same. */
    private static final int MOST_CAUSES = 4;
    /** What is so of more queues is said of all together. */
    private static final int MOST_ALONE = 2;
    /** How many queues a notice of several names. */
    private static final int MOST_NAMES = 5;

    /** Some thirty statements, about things that last for longer. */
    private static final Duration HEALTH_AGE = Duration.ofSeconds(15);

    /** A statement or two for each table. */
    private static final Duration TASKS_AGE = Duration.ofSeconds(5);

    /** Statistics are by the minute. */
    private static final Duration GROWTH_AGE = Duration.ofSeconds(20);

    private final ConsoleData data;
    private final EngineReads queries;
    private final Supplier<List<HealthCheck>> health;
    private final Supplier<List<FailureGrowth>> growth;
    private final Supplier<List<Notice>> tasks;

    public AttentionNotices(ConsoleData data, EngineReads queries) {
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
            failures(notices);
            queues(notices, allQueues.get());
            schedules(notices);
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
        List<QueueSummary> waiting = new ArrayList<>();
        List<QueueSummary> held = all.stream()
                .filter(each -> each.paused() != null || !each.pausedKinds().isEmpty())
                .toList();
        if (held.size() > MOST_ALONE) notices.add(paused(held));
        for (QueueSummary queue : all) {
            Instant paused = queue.paused();
            if (held.size() <= MOST_ALONE && held.contains(queue)) {
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
            if (paused == null && oldest != null && oldest.isBefore(now.minus(LONG_WAIT))) waiting.add(queue);
        }
        waiting.sort(Comparator.comparingLong(QueueSummary::due).reversed());
        waiting(notices, waiting, now);
    }

    /** A queue in which a job waits for long, and why. */
    private record Waiting(
            QueueSummary queue,
            @Nullable Long job,
            @Nullable Cause cause) {
        String code() {
            return cause == null ? "" : cause.code();
        }

        /** Whether no node would take its jobs. */
        boolean isUnserved() {
            return code().equals("no-node") || code().equals("no-handler");
        }

        String said() {
            return cause == null ? "" : cause.sentence();
        }
    }

    private Waiting waiting(QueueSummary queue, boolean isAsked) {
        Long job = isAsked ? queries.oldestJob(queue.name()) : null;
        List<Cause> causes = job == null ? List.of() : data.jobs().why(job);
        return new Waiting(queue, job, causes.isEmpty() ? null : causes.get(0));
    }

    /** Queues in which a job waits for long, those with the most jobs first: each with its cause, and those of one cause together. */
    private void waiting(List<Notice> notices, List<QueueSummary> queues, Instant now) {
        Map<String, List<Waiting>> byCause = new LinkedHashMap<>();
        boolean isNodeless = false;
        for (int i = 0; i < queues.size(); i++) {
            Waiting each = waiting(queues.get(i), !isNodeless && i < MOST_CAUSES);
            // Where no node works, that is so of all queues.
            isNodeless |= each.code().equals("no-node");
            byCause.computeIfAbsent(isNodeless ? "no-node" : each.code(), code -> new ArrayList<>())
                    .add(each);
        }
        byCause.forEach((code, all) -> {
            boolean together = all.size() > MOST_ALONE || code.equals("no-node") && all.size() > 1;
            if (together) notices.add(waiting(all, now));
            else for (Waiting each : all) notices.add(waiting(each, now));
        });
    }

    private static Notice waiting(Waiting waiting, Instant now) {
        QueueSummary queue = waiting.queue();
        return new Notice(
                waiting.isUnserved(),
                "Jobs of queue " + queue.name() + " wait for " + TimeText.duration(oldest(queue), now) + ", "
                        + counted(queue.due(), OverviewPage.COUNTED, "is", "are") + " due. " + waiting.said(),
                waiting.cause() == null
                        ? "/jobs?state=waiting&queue=" + PageRequest.encoded(queue.name())
                        : "/jobs/" + waiting.job());
    }

    private static Notice paused(List<QueueSummary> queues) {
        List<QueueSummary> mostFirst = queues.stream()
                .sorted(Comparator.comparingLong(QueueSummary::due).reversed())
                .toList();
        return new Notice(
                false,
                queues.size() + " queues are paused, or kinds of theirs: " + names(mostFirst, QueueSummary::name) + "; "
                        + due(queues) + " jobs are due.",
                "/jobs/queues");
    }

    /** The names of the first ones, and how many more there are. */
    private static <T> String names(List<T> all, Function<T, String> name) {
        String names = all.stream().limit(MOST_NAMES).map(name).collect(Collectors.joining(", "));
        return names + (all.size() > MOST_NAMES ? " and " + (all.size() - MOST_NAMES) + " more" : "");
    }

    /** How many jobs are due in some queues: a lower bound where more are than were counted. */
    private static String due(List<QueueSummary> queues) {
        long due = queues.stream()
                .mapToLong(each -> Math.min(each.due(), OverviewPage.COUNTED))
                .sum();
        return Numbers.counted(due, queues.stream().allMatch(each -> each.due() <= OverviewPage.COUNTED));
    }

    private static Instant oldest(QueueSummary queue) {
        return Objects.requireNonNull(queue.oldest());
    }

    /** What is so of several queues, for one cause. */
    private static Notice waiting(List<Waiting> all, Instant now) {
        List<QueueSummary> queues = all.stream().map(Waiting::queue).toList();
        Instant oldest = queues.stream()
                .map(AttentionNotices::oldest)
                .min(Comparator.naturalOrder())
                .orElse(now);
        Waiting first = all.get(0);
        String said = first.code().equals("no-handler")
                ? "No living node takes their jobs."
                : first.code().isEmpty() || first.code().equals("no-node")
                        ? first.said()
                        : "Queue " + first.queue().name() + ": " + first.said();
        return new Notice(
                first.isUnserved(),
                "Jobs of " + queues.size() + " queues wait, the first for " + TimeText.duration(oldest, now) + ", "
                        + due(queues) + " are due: " + names(queues, QueueSummary::name) + ". " + said,
                "/jobs/queues");
    }

    private void failures(List<Notice> notices) {
        List<FailureGrowth> all = growth.get();
        if (all.size() > MOST_ALONE) {
            long lately = all.stream().mapToLong(FailureGrowth::lately).sum();
            long before = all.stream().mapToLong(FailureGrowth::before).sum();
            notices.add(new Notice(
                    false,
                    counted(lately, "job", "jobs") + " of " + all.size()
                            + " queues have failed in the last hour, against " + Numbers.count(before)
                            + " in the day before: " + names(all, FailureGrowth::queue) + ".",
                    "/jobs/errors"));
            return;
        }
        for (FailureGrowth each : all)
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
