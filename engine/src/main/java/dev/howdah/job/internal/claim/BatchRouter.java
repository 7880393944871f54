package dev.howdah.job.internal.claim;

import dev.howdah.job.internal.attempt.AttemptResult;
import dev.howdah.job.internal.attempt.ClaimedJob;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.execute.JobExecutor;
import dev.howdah.job.internal.lane.Lane;
import dev.howdah.job.internal.lane.LaneRegistry;
import dev.howdah.job.internal.worker.PoisonJobRunner;
import dev.howdah.job.internal.worker.WorkerPool;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Routes a claimed batch: to the workers, or to the executor of jobs that nodes have crashed with. Jobs that this node does not work are refused,
 * and go to the lanes of their kinds. Safe for use by many threads.
 */
public final class BatchRouter {
    private final JobExecutor executor;
    private final WorkerPool workers;
    private final PoisonJobRunner poisonJobs;
    private final LaneRegistry lanes;
    private final ConcurrencyLimits limits;
    private final OpenBatches batches;
    private final BooleanSupplier stopping;

    BatchRouter(
            JobExecutor executor,
            WorkerPool workers,
            PoisonJobRunner poisonJobs,
            LaneRegistry lanes,
            ConcurrencyLimits limits,
            OpenBatches batches,
            BooleanSupplier stopping) {
        this.executor = executor;
        this.workers = workers;
        this.poisonJobs = poisonJobs;
        this.lanes = lanes;
        this.limits = limits;
        this.batches = batches;
        this.stopping = stopping;
    }

    /**
     * Hands the jobs that this node handles to the workers; the others end as unknown, and move to a lane of their kind.
     *
     * @param paused kinds that are paused in this lane
     */
    void offer(ClaimedBatch batch, Set<String> paused) {
        boolean ended = false;
        if (batch.kind() == null || !isWorked(batch.lane(), batch.kind(), paused))
            for (int i = 0; i < batch.size(); i++)
                if (!isWorked(batch.lane(), batch.kind(i), paused)) ended |= batch.refuse(i);
        if (ended) batches.ended(batch);
        else if (batch.isSuspect()) poisonJobs.offer(batch, stopping, this::poisonEnded);
        else workers.offer(batch);
    }

    /** The kinds of which jobs of that lane may share a batch and are handled here. */
    String[] kinds(Lane lane) {
        Set<String> alone = Set.of(executor.aloneKinds());
        return executor.kinds().stream()
                .filter(kind -> !alone.contains(kind) && isWorked(lane, kind, Set.of()))
                .toArray(String[]::new);
    }

    private void poisonEnded(ClaimedBatch batch) {
        batches.ended(batch);
        workers.placeIsFree();
    }

    private boolean isWorked(Lane lane, String kind, Set<String> paused) {
        return executor.kinds().contains(kind)
                && (paused.isEmpty() || !paused.contains(kind))
                && !limits.needsLane(lane, kind);
    }

    /** Makes the lanes to which jobs of this batch move. Returns those of the kinds that this node does not handle, by kind. */
    public Map<String, Integer> makeLanes(ClaimedBatch batch) throws SQLException {
        Map<String, Integer> lanesOfTheirs = new HashMap<>();
        for (int i : batch.members()) {
            AttemptResult result = batch.result(i);
            if (result != null && result.next() != null)
                lanes.forJob(
                        null,
                        result.next().queue(),
                        result.next().kind(),
                        batch.job(i).priority(),
                        true);
            if (result == AttemptResult.UNKNOWN) {
                ClaimedJob job = batch.job(i);
                Lane own = lanes.make(batch.lane().queue(), batch.kind(i));
                if (job.priority() != 0) lanes.seen(own, job.priority());
                lanesOfTheirs.put(batch.kind(i), own.id());
            }
        }
        return lanesOfTheirs;
    }
}
