package dev.howdah.job.internal.claim;

import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.error.OutageLog;
import dev.howdah.internal.node.ClaimFence;
import dev.howdah.job.internal.execute.JobExecutor;
import dev.howdah.job.internal.lane.LaneRegistry;
import dev.howdah.job.internal.worker.PoisonJobRunner;
import dev.howdah.job.internal.worker.WorkerPool;
import dev.howdah.job.internal.worker.WorkerThreads;
import dev.howdah.spi.JobDemand;
import java.sql.SQLException;
import java.util.Set;
import org.slf4j.LoggerFactory;

/** The parts of one node and whether it stops. A node has one id for its whole life; a program that loses it becomes another node. */
public final class NodeContext {
    private final int id;
    private final ClaimerSignals signals = new ClaimerSignals();
    private final LanePolls polls;
    private final OpenBatches batches = new OpenBatches(signals);
    private final ClaimFence fence = new ClaimFence();
    private final ForgottenBatches forgotten;
    private final JobExecutor executor;
    private final WorkerPool workers;
    private final LaneRegistry lanes;
    private final ConcurrencyLimits limits;
    private final ClaimAhead inOrder = new ClaimAhead();
    private final BatchRouter router;
    private final CancelRouter cancellations;
    private final OutageLog outage = new OutageLog(LoggerFactory.getLogger(NodeContext.class), "jobs");
    private volatile int others;
    private volatile boolean stopping;
    private volatile boolean over;

    public NodeContext(
            int id,
            int concurrency,
            WorkerThreads threads,
            JobExecutor executor,
            LaneRegistry lanes,
            PoisonJobRunner poisonJobs,
            ConcurrencyLimits limits) {
        this.id = id;
        this.executor = executor;
        this.lanes = lanes;
        this.limits = limits;
        JobDemand demand = executor.metrics().demand();
        this.polls = new LanePolls(signals, demand == null);
        this.forgotten = new ForgottenBatches(id, fence, batches, polls);
        this.workers = new WorkerPool(concurrency, threads, executor, batches::ended, signals::hungry, demand);
        if (demand != null) demand.started(new DemandedNode(signals, workers, polls));
        this.router = new BatchRouter(executor, workers, poisonJobs, lanes, limits, batches, this::isStopping);
        this.cancellations = new CancelRouter(batches, executor.running()::cancel);
    }

    public int id() {
        return id;
    }

    public ClaimerSignals signals() {
        return signals;
    }

    public LanePolls polls() {
        return polls;
    }

    public OpenBatches batches() {
        return batches;
    }

    public ClaimFence fence() {
        return fence;
    }

    public ForgottenBatches forgotten() {
        return forgotten;
    }

    public BatchRouter router() {
        return router;
    }

    public CancelRouter cancellations() {
        return cancellations;
    }

    public JobExecutor executor() {
        return executor;
    }

    public WorkerPool workers() {
        return workers;
    }

    /** The limits of how many jobs run at a time, by queue and kind. */
    public ConcurrencyLimits limits() {
        return limits;
    }

    /** How long jobs with order keys took lately. */
    ClaimAhead inOrder() {
        return inOrder;
    }

    /** Whether the database lets the node claim, and write what it has done. */
    public OutageLog outage() {
        return outage;
    }

    /** Of how many other nodes this one knows. */
    int others() {
        return others;
    }

    /** @param nodes of how many other nodes this one knows */
    public void others(int nodes) {
        others = nodes;
    }

    /** Whether the node claims no more. */
    public boolean isStopping() {
        return stopping;
    }

    public void stopping() {
        stopping = true;
        signals.nudge();
    }

    /** Whether the node writes no more either. */
    public boolean isOver() {
        return over;
    }

    public void over() {
        stopping = true;
        over = true;
        signals.over();
    }

    /** Reads the lanes that the node claims from. */
    public void refreshLanes(DedicatedSession session, Set<String> queues) throws SQLException {
        boolean grouped = lanes.refresh(session, queues);
        polls.lanes(lanes.forNode(queues, executor.kinds()));
        if (grouped) signals.nudge();
    }
}
