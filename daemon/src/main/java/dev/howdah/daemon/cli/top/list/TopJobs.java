package dev.howdah.daemon.cli.top.list;

import dev.howdah.health.Cause;
import dev.howdah.job.query.JobAttempt;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.job.query.QueueSummary;
import dev.howdah.operations.Engine;
import dev.howdah.operations.Values;
import dev.howdah.operations.change.JobOperations;
import dev.howdah.operations.change.QueueOperations;
import dev.howdah.operations.list.ListModel;
import dev.howdah.operations.listed.JobLists;
import dev.howdah.operations.shape.FieldType;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.ToLongFunction;

/** Jobs in one state, the newest first. */
public final class TopJobs extends TopList<JobSummary> {
    public TopJobs(Engine engine) {
        super(
                engine,
                JobLists.JOBS,
                JobLists.JOB
                        .of("time", FieldType.TIME, "its end, its begin, or when it is due", TopJobs::time)
                        .maybe(
                                "error_or_payload",
                                FieldType.TEXT,
                                "its error, or its payload",
                                job -> job.error() != null ? job.error() : job.payload()),
                "id state queue:1 kind:2 attempt:3 time error_or_payload:1");
    }

    private static Instant time(JobSummary job) {
        Instant begun = job.begun();
        return Objects.requireNonNullElse(job.ended(), begun != null ? begun : job.runAt());
    }

    @Override
    public String title() {
        return "Jobs";
    }

    @Override
    public String filterHelp() {
        return "queue:NAME kind:NAME key:KEY tag:TAG, or a text in the error";
    }

    @Override
    String textFilter() {
        return JobLists.ERROR.name();
    }

    @Override
    String summary() {
        List<QueueSummary> queues = engine().jobs().queues();
        return TopText.count(queues.stream().mapToLong(QueueSummary::running).sum()) + " running, "
                + counted(queues, QueueSummary::due) + " due, " + counted(queues, QueueSummary::failed) + " failed";
    }

    private static String counted(List<QueueSummary> queues, ToLongFunction<QueueSummary> count) {
        return TopText.counted(
                queues.stream()
                        .mapToLong(count)
                        .map(each -> Math.min(each, QueueSummary.COUNTED))
                        .sum(),
                queues.stream().mapToLong(count).allMatch(each -> each <= QueueSummary.COUNTED));
    }

    @Override
    TopRow row(JobSummary job, List<String> cells) {
        return new TopRow(job.queue(), Long.toString(job.id()), TopTone.of(ListModel.word(job.state())), cells);
    }

    @Override
    Optional<JobSummary> find(TopRow row) {
        return engine().jobs().find(row.number());
    }

    @Override
    List<Cause> why(JobSummary job) {
        return job.ended() == null ? engine().jobs().why(job.id()) : List.of();
    }

    @Override
    void addMore(List<String> lines, JobSummary job) {
        for (JobAttempt each : engine().jobs().attempts(job.id()))
            if (!Objects.equals(each.error(), job.error()))
                TopText.add(lines, "Attempt " + each.number(), each.error());
    }

    @Override
    public TopAction action(TopVerb verb, TopRow row) {
        Values key = JobOperations.key(row.number());
        return switch (verb) {
            case RETRY ->
                action(
                        row.tone() == TopTone.FAILED || row.cells().contains(ListModel.word(JobState.CANCELLED))
                                ? JobOperations.RETRY
                                : JobOperations.RUN_NOW,
                        key);
            case CANCEL -> action(JobOperations.CANCEL, key);
            case PAUSE -> {
                boolean paused = engine().jobs().queues().stream()
                        .anyMatch(each -> each.name().equals(row.place()) && each.paused() != null);
                yield action(paused ? QueueOperations.RESUME : QueueOperations.PAUSE, QueueOperations.key(row.place()));
            }
        };
    }
}
