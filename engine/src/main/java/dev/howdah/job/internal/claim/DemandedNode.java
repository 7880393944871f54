package dev.howdah.job.internal.claim;

import dev.howdah.job.internal.worker.WorkerPool;
import dev.howdah.spi.JobDemand;

/** A node as its demand sees it. Safe for use by many threads. */
record DemandedNode(ClaimerSignals signals, WorkerPool workers, LanePolls polls) implements JobDemand.Node {
    @Override
    public void grown() {
        signals.nudge();
    }

    @Override
    public int jobs() {
        return workers.jobs();
    }

    @Override
    public boolean hasLookedSince(long nanos) {
        return polls.hasLookedSince(nanos);
    }
}
