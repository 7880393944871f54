package dev.howdah.job.internal.claim;

import dev.howdah.job.internal.attempt.ClaimedJob;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.execute.JobExecutor;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/** Routes cancellations to the jobs that this node has. Safe for use by many threads. */
public final class CancelRouter {
    private final OpenBatches batches;
    private final JobExecutor executor;

    CancelRouter(OpenBatches batches, JobExecutor executor) {
        this.batches = batches;
        this.executor = executor;
    }

    /** Cancels those of these jobs that this node has claimed and that have not ended. */
    public void cancel(Set<Long> jobs) {
        // Not by their ids: a job that is retried has another attempt, which is not cancelled.
        Set<ClaimedJob> mine = Collections.newSetFromMap(new IdentityHashMap<>());
        for (ClaimedBatch batch : batches.open())
            for (int i = 0; i < batch.size(); i++)
                if (batch.result(i) == null && jobs.contains(batch.job(i).id())) mine.add(batch.job(i));
        executor.running().cancel(mine);
    }

    /** Whether this node has one of these jobs. */
    public boolean hasAny(Set<Long> jobs) {
        for (ClaimedBatch batch : batches.open())
            for (int i = 0; i < batch.size(); i++)
                if (jobs.contains(batch.job(i).id())) return true;
        return false;
    }
}
