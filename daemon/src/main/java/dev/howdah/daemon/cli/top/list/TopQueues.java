package dev.howdah.daemon.cli.top.list;

import dev.howdah.job.JobAdmin;
import dev.howdah.job.query.QueueSummary;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The queues of jobs by name. */
public final class TopQueues implements TopView {
    private static final List<TopColumn> COLUMNS = List.of(
            TopColumn.text("QUEUE", 0, 30),
            TopColumn.number("DUE", 0),
            TopColumn.number("LATER", 2),
            TopColumn.number("RUNNING", 0),
            TopColumn.number("FAILED", 1),
            TopColumn.number("DONE/HOUR", 3),
            TopColumn.number("WAIT", 1),
            TopColumn.rest("STATE", 0));

    private final JobAdmin jobs;

    public TopQueues(JobAdmin jobs) {
        this.jobs = jobs;
    }

    @Override
    public String title() {
        return "Queues";
    }

    @Override
    public List<String> states() {
        return List.of();
    }

    @Override
    public String filterHelp() {
        return "a part of the name";
    }

    @Override
    public TopPage read(String state, String filter, int limit, Instant now) {
        List<QueueSummary> all = jobs.queues();
        long running = all.stream().mapToLong(QueueSummary::running).sum();
        long done = all.stream().mapToLong(QueueSummary::done).sum();
        List<TopRow> rows = all.stream()
                .filter(each -> each.name().contains(filter))
                .limit(limit)
                .map(each -> row(each, now))
                .toList();
        return new TopPage(
                TopText.count(all.size()) + (all.size() == 1 ? " queue, " : " queues, ") + TopText.count(running)
                        + " running, " + TopText.count(done) + " done in the last hour",
                COLUMNS,
                rows,
                all.isEmpty() ? "There are no queues yet: \"howdah job add\" makes one." : "No queue matches.");
    }

    private static TopRow row(QueueSummary queue, Instant now) {
        boolean paused = queue.paused() != null || !queue.pausedKinds().isEmpty();
        return new TopRow(
                "",
                queue.name(),
                paused ? TopTone.PAUSED : queue.running() > 0 ? TopTone.RUNNING : TopTone.WAITING,
                List.of(
                        TopText.line(queue.name()),
                        TopText.capped(queue.due(), QueueSummary.COUNTED),
                        TopText.capped(queue.later(), QueueSummary.COUNTED),
                        TopText.count(queue.running()),
                        TopText.capped(queue.failed(), QueueSummary.COUNTED),
                        TopText.count(queue.done()),
                        TopText.age(queue.oldest(), now),
                        state(queue)));
    }

    private static String state(QueueSummary queue) {
        if (queue.paused() != null)
            return "paused" + (queue.pausedBy() == null ? "" : " by " + TopText.line(queue.pausedBy()));
        return queue.pausedKinds().isEmpty() ? "on" : "paused: " + TopText.line(String.join(", ", queue.pausedKinds()));
    }

    @Override
    public List<String> details(TopRow row, Instant now) {
        for (QueueSummary each : jobs.queues()) {
            if (!each.name().equals(row.id())) continue;
            List<String> lines = new ArrayList<>(TopText.pairs(
                    "queue",
                    each.name(),
                    "state",
                    state(each),
                    "paused",
                    TopText.time(each.paused()),
                    "due",
                    TopText.capped(each.due(), QueueSummary.COUNTED),
                    "oldest",
                    TopText.time(each.oldest()),
                    "later",
                    TopText.capped(each.later(), QueueSummary.COUNTED),
                    "running",
                    TopText.count(each.running()),
                    "failed",
                    TopText.capped(each.failed(), QueueSummary.COUNTED)));
            lines.add("");
            lines.add("In the last hour: " + TopText.count(each.done()) + " done, " + TopText.count(each.retried())
                    + " retried, " + TopText.count(each.failedLately()) + " failed");
            return lines;
        }
        return List.of("There is no queue " + TopText.line(row.id()) + " any more.");
    }

    @Override
    public TopAction action(TopVerb verb, TopRow row) {
        return switch (verb) {
            case RETRY ->
                new TopAction(
                        "Make all jobs of queue " + TopText.line(row.id()) + " due now that wait for a retry?",
                        () -> TopText.of(jobs.runRetriesNow(row.id()), "job is", "jobs are") + " due now.");
            case CANCEL -> TopAction.refused("Queues are not cancelled: pause the queue, or cancel its jobs.");
            case PAUSE -> pause(jobs, row.id(), row.tone() == TopTone.PAUSED);
        };
    }

    /** Pauses a queue, or resumes it. */
    static TopAction pause(JobAdmin jobs, String queue, boolean paused) {
        String name = "Queue " + TopText.line(queue);
        if (paused)
            return new TopAction(
                    "", () -> name + (jobs.resume(queue) ? " goes on." : " was not paused: its kinds are."));
        return new TopAction(
                "Pause queue " + TopText.line(queue) + "? No node claims from it; running jobs continue.",
                () -> name + (jobs.pause(queue) ? " is paused." : " was paused already."));
    }
}
