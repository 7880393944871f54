package dev.howdah.daemon.cli.top.list;

import dev.howdah.job.JobAdmin;
import dev.howdah.job.query.JobAttempt;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.job.query.QueueSummary;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Jobs in one state, the newest first. */
public final class TopJobs implements TopView {
    private static final List<TopColumn> COLUMNS = List.of(
            TopColumn.number("ID", 0),
            TopColumn.text("STATE", 0, 9),
            TopColumn.text("QUEUE", 1, 20),
            TopColumn.text("KIND", 2, 20),
            TopColumn.number("ATTEMPT", 3),
            TopColumn.number("TIME", 0),
            TopColumn.rest("ERROR OR PAYLOAD", 1));

    private final JobAdmin jobs;

    public TopJobs(JobAdmin jobs) {
        this.jobs = jobs;
    }

    @Override
    public String title() {
        return "Jobs";
    }

    @Override
    public List<String> states() {
        Stream<JobState> first = Stream.of(JobState.RUNNING);
        return Stream.concat(first, Arrays.stream(JobState.values()).filter(each -> each != JobState.RUNNING))
                .map(each -> each.name().toLowerCase(Locale.ROOT))
                .toList();
    }

    @Override
    public String filterHelp() {
        return "queue:NAME kind:NAME key:KEY tag:TAG, or a text in the error";
    }

    @Override
    public TopPage read(String state, String filter, int limit, Instant now) {
        JobQuery query;
        try {
            query = query(JobState.valueOf(state.toUpperCase(Locale.ROOT)), filter)
                    .limit(limit);
        } catch (IllegalArgumentException e) {
            return TopPage.of("The filter is wrong: " + e.getMessage());
        }
        List<TopRow> rows =
                jobs.list(query).jobs().stream().map(each -> row(each, now)).toList();
        return new TopPage(summary(), COLUMNS, rows, "No job is " + state + (filter.isEmpty() ? "." : " and matches."));
    }

    private String summary() {
        long running = 0;
        long due = 0;
        long failed = 0;
        boolean allDue = true;
        boolean allFailed = true;
        for (QueueSummary each : jobs.queues()) {
            running += each.running();
            due += Math.min(each.due(), QueueSummary.COUNTED);
            failed += Math.min(each.failed(), QueueSummary.COUNTED);
            allDue &= each.due() <= QueueSummary.COUNTED;
            allFailed &= each.failed() <= QueueSummary.COUNTED;
        }
        return TopText.count(running) + " running, " + TopText.counted(due, allDue) + " due, "
                + TopText.counted(failed, allFailed) + " failed";
    }

    /** @throws IllegalArgumentException that says what is wrong */
    private static JobQuery query(JobState state, String filter) {
        JobQuery query = JobQuery.in(state);
        List<String> words = new ArrayList<>();
        for (String word : filter.strip().split("\\s+", -1)) {
            int colon = word.indexOf(':');
            String value = word.substring(colon + 1);
            switch (colon < 0 ? "" : word.substring(0, colon)) {
                case "queue" -> query = query.queue(value);
                case "kind" -> query = query.kind(value);
                case "key" -> query = query.key(value);
                case "tag" -> query = query.tag(value);
                default -> words.add(word);
            }
        }
        String text = String.join(" ", words);
        return text.isEmpty() ? query : query.error(text);
    }

    private static TopRow row(JobSummary job, Instant now) {
        return new TopRow(
                job.queue(),
                Long.toString(job.id()),
                tone(job.state()),
                List.of(
                        Long.toString(job.id()),
                        job.state().name().toLowerCase(Locale.ROOT),
                        TopText.line(job.queue()),
                        TopText.line(job.kind()),
                        Integer.toString(job.attempt()),
                        TopText.age(time(job), now),
                        TopText.line(job.error() != null ? job.error() : job.payload())));
    }

    private static @Nullable Instant time(JobSummary job) {
        if (job.ended() != null) return job.ended();
        return job.begun() != null ? job.begun() : job.runAt();
    }

    private static TopTone tone(JobState state) {
        return switch (state) {
            case WAITING, PLANNED, SUSPENDED, FOLLOWING, CANCELLED -> TopTone.WAITING;
            case RETRYING -> TopTone.RETRYING;
            case RUNNING -> TopTone.RUNNING;
            case DONE -> TopTone.DONE;
            case FAILED -> TopTone.FAILED;
        };
    }

    @Override
    public List<String> details(TopRow row, Instant now) {
        JobSummary job = jobs.find(row.number()).orElse(null);
        if (job == null) return List.of("There is no job " + row.id() + " any more, or its history is gone.");
        List<String> lines = new ArrayList<>(TopText.pairs(
                "job",
                row.id(),
                "state",
                job.state().name().toLowerCase(Locale.ROOT),
                "queue",
                job.queue(),
                "kind",
                job.kind(),
                "key",
                job.key(),
                "priority",
                Integer.toString(job.priority()),
                "attempt",
                Integer.toString(job.attempt()),
                "created",
                TopText.time(job.created()),
                "due",
                TopText.time(job.runAt()),
                "begun",
                TopText.time(job.begun()),
                "ended",
                TopText.time(job.ended()),
                "node",
                job.node() == null ? null : job.node().toString()));
        if (job.ended() == null) TopText.add(lines, jobs.why(job.id()));
        TopText.add(lines, "Payload", job.payload());
        TopText.add(lines, "Result", job.result());
        List<JobAttempt> attempts = jobs.attempts(job.id());
        for (JobAttempt each : attempts) TopText.add(lines, "Attempt " + each.number(), each.error());
        if (attempts.isEmpty()) TopText.add(lines, "Error", job.error());
        return lines;
    }

    @Override
    public TopAction action(TopVerb verb, TopRow row) {
        return switch (verb) {
            case RETRY -> retry(row);
            case CANCEL ->
                new TopAction(
                        "Cancel job " + row.id()
                                + "? If it runs, its node is told to interrupt it, and it may be done all the same.",
                        () -> cancel(row));
            case PAUSE -> TopQueues.pause(jobs, row.place(), isPaused(row.place()));
        };
    }

    private boolean isPaused(String queue) {
        return jobs.queues().stream().anyMatch(each -> each.name().equals(queue) && each.paused() != null);
    }

    private TopAction retry(TopRow row) {
        String job = "Job " + row.id();
        if (row.tone() == TopTone.FAILED || row.cells().contains("cancelled"))
            return new TopAction(
                    "Retry job " + row.id() + "? It begins anew, with all its attempts.",
                    () -> job + (jobs.retry(row.number()) ? " waits to run again." : " was not changed."));
        return new TopAction(
                "Make job " + row.id() + " due now?",
                () -> job
                        + (jobs.runNow(row.number())
                                ? " is due now."
                                : " was not changed: it is neither planned nor waits for a retry."));
    }

    private String cancel(TopRow row) {
        return switch (jobs.cancel(row.number())) {
            case CANCELLED -> "Job " + row.id() + " is cancelled.";
            case ASKED -> "The node of job " + row.id() + " was told to interrupt it.";
            case ENDED -> "Job " + row.id() + " has ended already.";
            case UNCLAIMED_ENTRY -> "An entry of a log queue cannot be cancelled before it is claimed.";
            case NOT_FOUND -> "There is no job " + row.id() + " any more.";
        };
    }
}
