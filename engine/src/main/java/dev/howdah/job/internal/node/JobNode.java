package dev.howdah.job.internal.node;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.node.NodeMembership;
import dev.howdah.internal.node.NodeSeat;
import dev.howdah.internal.run.Threads;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.claim.Claimer;
import dev.howdah.job.internal.claim.ConcurrencyLimits;
import dev.howdah.job.internal.claim.EarlySession;
import dev.howdah.job.internal.claim.NodeContext;
import dev.howdah.job.internal.execute.JobExecutor;
import dev.howdah.job.internal.execute.RunningJob;
import dev.howdah.job.internal.lane.LaneRegistry;
import dev.howdah.job.internal.maintain.JobMaintenance;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.worker.PoisonJobRunner;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A node that runs jobs, from its entry into the table of nodes until it leaves or is declared dead. */
final class JobNode {
    private static final Logger log = LoggerFactory.getLogger(JobNode.class);
    private static final int CLAIMERS = 2;

    private final ConnectionSource source;
    private final NodeContext state;
    private final NodeSeat<JobMember> seat;
    private final PoisonJobRunner poisonJobs;
    private final List<Thread> claimers = new ArrayList<>();

    private JobNode(ConnectionSource source, NodeSeat<JobMember> seat, PoisonJobRunner poisonJobs) {
        this.source = source;
        this.state = seat.member().node();
        this.seat = seat;
        this.poisonJobs = poisonJobs;
    }

    /**
     * Joins the node of this program and begins to work.
     *
     * @param lost called once when the node is lost
     */
    static JobNode start(
            ConnectionSource all,
            NodeMembership membership,
            NodeConfig config,
            JobExecutor executor,
            LaneRegistry lanes,
            JobMaintenance maintenance,
            Runnable lost)
            throws SQLException {
        Set<String> queues = config.queues();
        lanes.makeQueues(queues);
        for (ConcurrencyLimits.Limit each : config.limits())
            if (each.kind() != null && queues.contains(each.queue())) lanes.make(each.queue(), each.kind());
        ConnectionSource source = all.forNode();
        PoisonJobRunner poisonJobs = new PoisonJobRunner(source, executor);
        @Nullable EarlySession early = queues.isEmpty() ? null : EarlySession.of(source);
        NodeSeat<JobMember> seat;
        try {
            seat = join(source, membership, config, executor, lanes, maintenance, poisonJobs, lost);
        } catch (SQLException | RuntimeException e) {
            if (early != null) early.close();
            throw e;
        }
        JobNode node = new JobNode(source, seat, poisonJobs);
        if (early == null) {
            log.info("node {} ({}) keeps the schedules and the history of jobs", node.id(), config.name());
        } else {
            node.begin(early);
            log.info("node {} ({}) claims jobs from {}", node.id(), config.name(), queues);
        }
        return node;
    }

    private static NodeSeat<JobMember> join(
            ConnectionSource source,
            NodeMembership membership,
            NodeConfig config,
            JobExecutor executor,
            LaneRegistry lanes,
            JobMaintenance maintenance,
            PoisonJobRunner poisonJobs,
            Runnable lost)
            throws SQLException {
        Set<String> queues = config.queues();
        return membership.join(source, lost, (identity, session) -> {
            NodeContext state = new NodeContext(
                    identity.id(),
                    config.concurrency(),
                    config.threads().named(Threads.prefix("howdah-job", queues)),
                    executor,
                    lanes,
                    poisonJobs,
                    new ConcurrencyLimits(config.limits(), config.concurrency(), lanes::hasGroups));
            state.refreshLanes(session, queues);
            state.limits().read(session);
            ServedJobs.write(session, identity, config, executor.kinds());
            return new JobMember(state, source.server(), queues, maintenance);
        });
    }

    private void begin(EarlySession early) {
        for (int i = 0; i < CLAIMERS; i++) {
            Thread thread = Threads.loop("howdah-claimer-" + i, new Claimer(source, state, i == 0 ? early : null));
            claimers.add(thread);
            thread.start();
        }
    }

    int id() {
        return state.id();
    }

    /** Why it cannot work now; null: it can. */
    @Nullable
    String obstacle() {
        return state.outage().reason();
    }

    /**
     * Takes no more, gives back what has not begun, waits for what runs, interrupts what runs longer, and leaves.
     *
     * @param grace how long what runs may go on
     */
    void stop(Duration grace) throws InterruptedException {
        state.executor().running().stopping();
        state.stopping();
        state.fence().awaitClaims();
        poisonJobs.close();
        state.workers().giveBack();
        if (!awaitIdle(Durations.nanos(grace))) {
            state.executor().running().interruptAll(RunningJob.Reason.STOPPING);
            awaitIdle(Duration.ofSeconds(5).toNanos());
        }
        state.workers().stop();
        for (ClaimedBatch batch : state.batches().open())
            if (batch.giveUp()) state.batches().ended(batch);
        awaitWritten();
        state.over();
        for (Thread each : claimers) each.join(10_000);
        seat.leave();
    }

    /** Waits until nothing of what the node has runs any more; says whether that came true in time. */
    private boolean awaitIdle(long nanos) throws InterruptedException {
        long began = System.nanoTime();
        while (!state.batches().allEnded() && System.nanoTime() - began < nanos) TimeUnit.MILLISECONDS.sleep(2);
        return state.batches().allEnded();
    }

    /** What has ended is written down by the claimers, unless the database cannot be reached. */
    private void awaitWritten() throws InterruptedException {
        long until = System.nanoTime() + Duration.ofSeconds(5).toNanos();
        while (!state.batches().open().isEmpty() && System.nanoTime() - until < 0) {
            state.signals().nudge();
            Thread.sleep(1);
        }
    }

    /** Interrupts everything, statements too: others have what this node had. */
    void abandon() {
        state.over();
        source.abortAll();
        poisonJobs.close();
        // First, so that a thread whose handler is interrupted begins no other one.
        state.workers().giveBack();
        state.workers().stop();
        state.executor().running().interruptAll(RunningJob.Reason.LOST);
        seat.abandon();
    }
}
