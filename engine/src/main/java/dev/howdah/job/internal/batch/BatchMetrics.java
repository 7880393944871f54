package dev.howdah.job.internal.batch;

import dev.howdah.internal.run.ListenerQueue;
import dev.howdah.job.internal.attempt.AttemptResult;
import dev.howdah.job.internal.attempt.AttemptState;
import dev.howdah.job.internal.attempt.ClaimedJob;
import dev.howdah.job.internal.attempt.OpenWait;
import dev.howdah.job.internal.store.JobMetrics;
import dev.howdah.job.query.FailedJob;
import dev.howdah.spi.JobDemand;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The metrics of claimed batches: jobs that are alike are counted together; and what listeners are told. Safe for use by many threads. */
public final class BatchMetrics {
    private final JobMetrics metrics;
    private final ListenerQueue<FailedJob> failures;
    private final @Nullable JobDemand demand;

    public BatchMetrics(JobMetrics metrics) {
        this(metrics, new ListenerQueue<>("howdah-job-failed", "failed jobs", List.of()), null);
    }

    /**
     * @param failures told of jobs that have failed for good
     * @param demand told of each outcome that is written or refused; null: none
     */
    public BatchMetrics(JobMetrics metrics, ListenerQueue<FailedJob> failures, @Nullable JobDemand demand) {
        this.demand = demand;
        this.metrics = metrics;
        this.failures = failures;
    }

    /** What is wanted of the node; null: as much as it can do. */
    public @Nullable JobDemand demand() {
        return demand;
    }

    /** Tells nothing from now on. */
    public void close() {
        failures.close();
    }

    /** One counter of a queue goes up. */
    @FunctionalInterface
    private interface Count {
        void add(String kind, String what, long jobs);
    }

    /** A batch was claimed. */
    void claimed(ClaimedBatch batch) {
        if (metrics.isOff()) return;
        String queue = batch.lane().queue();
        each(batch, batch.members(), i -> "", (kind, none, jobs) -> metrics.claimed(queue, kind, jobs));
    }

    /**
     * The outcomes of jobs are written.
     *
     * @param jobs their positions in the batch
     */
    public void ended(ClaimedBatch batch, List<Integer> jobs) {
        tellDemand(batch, jobs, true);
        if (!failures.isEmpty()) for (int i : jobs) tellFailure(batch, i);
        if (metrics.isOff()) return;
        List<Integer> counted =
                jobs.stream().filter(i -> outcome(batch.result(i)) != null).toList();
        String queue = batch.lane().queue();
        each(
                batch,
                counted,
                i -> String.valueOf(outcome(batch.result(i))),
                (kind, outcome, count) -> metrics.ended(queue, kind, outcome, count));
        for (int i : counted) {
            metrics.ran(queue, batch.kind(i), batch.runs(i));
            AttemptResult result = batch.result(i);
            OpenWait wait = result == null ? null : result.openWait();
            if (wait != null) metrics.waits(queue, batch.kind(i), wait.type().code());
        }
    }

    /** The outcomes of a batch are not written, since its claim is not this node's any more. */
    void refused(ClaimedBatch batch) {
        tellDemand(batch, batch.members(), false);
    }

    private void tellDemand(ClaimedBatch batch, List<Integer> jobs, boolean accepted) {
        JobDemand of = demand;
        if (of != null) for (int i : jobs) of.written(batch.job(i).id(), accepted);
    }

    /** A handler has not stopped, and was abandoned. */
    public void abandoned(String queue, String kind) {
        metrics.abandoned(queue, kind);
    }

    /** So many abandoned handlers still run. */
    public void abandonedRunning(int handlers) {
        metrics.abandonedRunning(handlers);
    }

    /** A job has failed because nodes crashed with it. */
    public void tellFailure(FailedJob job) {
        failures.tell(job);
    }

    private void tellFailure(ClaimedBatch batch, int i) {
        AttemptResult result = batch.result(i);
        if (result == null || result.state() != AttemptState.FAILED) return;
        ClaimedJob job = batch.job(i);
        failures.tell(new FailedJob(
                job.id(),
                batch.lane().queue(),
                batch.kind(i),
                job.attempt() + 1,
                String.valueOf(result.error()),
                job.payload()));
    }

    /** Most batches have jobs of one kind and outcome: a run of equal ones is one addition. */
    private static void each(ClaimedBatch batch, List<Integer> jobs, IntFunction<String> what, Count counter) {
        String kind = "";
        String last = "";
        long count = 0;
        for (int i : jobs) {
            String nextKind = batch.kind(i);
            String next = what.apply(i);
            if (count > 0 && !(kind.equals(nextKind) && last.equals(next))) {
                counter.add(kind, last, count);
                count = 0;
            }
            kind = nextKind;
            last = next;
            count++;
        }
        if (count > 0) counter.add(kind, last, count);
    }

    private static @Nullable String outcome(@Nullable AttemptResult result) {
        return result == null ? null : result.state().metric();
    }
}
