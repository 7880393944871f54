package dev.howdah.job.internal.claim;

import dev.howdah.job.internal.batch.AttemptResult;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.batch.ClaimedJob;
import dev.howdah.job.internal.execute.JobExecutor;
import dev.howdah.job.internal.execute.PoisonJobRunner;
import dev.howdah.job.internal.execute.WorkerPool;
import dev.howdah.job.internal.lane.Lane;
import dev.howdah.job.internal.lane.LaneRegistry;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Routes a claimed batch: to the workers, or to the runner of jobs that nodes have crashed with. Jobs that this node does not work are refused,
 * and go to the lanes of their kinds. Safe for use by many threads.
 */
public final class BatchRouter {
    private final JobExecutor runner;
    private final WorkerPool crew;
    private final PoisonJobRunner suspects;
    private final LaneRegistry lanes;
    private final ConcurrencyLimits limits;
    private final OpenBatches batches;
    private final BooleanSupplier stopping;

    BatchRouter(
            JobExecutor runner,
            WorkerPool crew,
            PoisonJobRunner suspects,
            LaneRegistry lanes,
            ConcurrencyLimits limits,
            OpenBatches batches,
            BooleanSupplier stopping) {
        this.runner = runner;
        this.crew = crew;
        this.suspects = suspects;
        this.lanes = lanes;
        this.limits = limits;
        this.batches = batches;
        this.stopping = stopping;
    }

    /**
     * Lets the crew begin what it can work here; the rest is written down as unknown, and so goes to a lane for its kind.
     *
     * @param paused kinds that nobody works now
     */
    void offer(ClaimedBatch lease, Set<String> paused) {
        boolean ended = false;
        if (lease.kind() == null || !isWorked(lease.lane(), lease.kind(), paused))
            for (int i = 0; i < lease.size(); i++)
                if (!isWorked(lease.lane(), lease.kind(i), paused)) ended = lease.refuse(i);
        if (ended) batches.ended(lease);
        else if (lease.isSuspect()) suspects.offer(lease, stopping, batches::ended);
        else crew.offer(lease);
    }

    private boolean isWorked(Lane lane, String kind, Set<String> paused) {
        return runner.kinds().contains(kind)
                && (paused.isEmpty() || !paused.contains(kind))
                && !limits.needsLane(lane, kind);
    }

    /** Makes the lanes that jobs of this lease go to whose kinds are not worked here: the lane of each such kind. */
    public Map<String, Integer> makeLanes(ClaimedBatch lease) throws SQLException {
        Map<String, Integer> lanesOfTheirs = new HashMap<>();
        for (int i : lease.members()) {
            AttemptResult verdict = lease.verdict(i);
            if (verdict != null && verdict.next() != null)
                lanes.forJob(
                        verdict.next().queue(),
                        verdict.next().kind(),
                        lease.job(i).priority());
            if (verdict == AttemptResult.UNKNOWN) {
                ClaimedJob job = lease.job(i);
                Lane own = lanes.make(lease.lane().queue(), lease.kind(i));
                if (job.priority() != 0) lanes.seen(own, job.priority());
                lanesOfTheirs.put(lease.kind(i), own.id());
            }
        }
        return lanesOfTheirs;
    }
}
