package dev.howdah.job.internal.claim;

import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.batch.AttemptResult;
import dev.howdah.job.internal.batch.ClaimId;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.batch.ClaimedJob;
import dev.howdah.job.internal.execute.JobExecutor;
import dev.howdah.job.internal.execute.PoisonJobRunner;
import dev.howdah.job.internal.execute.WorkerPool;
import dev.howdah.job.internal.lane.Lane;
import dev.howdah.job.internal.lane.LaneRegistry;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the parts of one node share. A node has one number for its whole life; who loses it becomes another node. */
public final class NodeContext {
    private static final Logger log = LoggerFactory.getLogger(NodeContext.class);
    private static final Sql MINE = JobSql.JOB.statement("mine");
    private static final Sql REAP = JobSql.JOB.statement("reap");

    private static final long PATIENCE_MILLIS = 50;

    private final int id;
    private final ClaimState round;
    private final JobExecutor runner;
    private final WorkerPool crew;
    private final PoisonJobRunner suspects;
    private final LaneRegistry lanes;
    private final ConcurrencyLimits limits;
    private final ReentrantReadWriteLock claims = new ReentrantReadWriteLock();
    private volatile boolean stopping;
    private volatile boolean over;

    public NodeContext(
            int id,
            int concurrency,
            ThreadFactory threads,
            JobExecutor runner,
            LaneRegistry lanes,
            PoisonJobRunner suspects,
            ConcurrencyLimits limits) {
        this.id = id;
        this.runner = runner;
        this.lanes = lanes;
        this.suspects = suspects;
        this.limits = limits;
        this.round = new ClaimState();
        this.crew = new WorkerPool(concurrency, threads, runner, round::ended, round::nudge);
    }

    public int id() {
        return id;
    }

    public ClaimState round() {
        return round;
    }

    public JobExecutor runner() {
        return runner;
    }

    public WorkerPool crew() {
        return crew;
    }

    /** How many jobs run at a time of which queues and kinds. */
    public ConcurrencyLimits limits() {
        return limits;
    }

    /** Whether nothing more is taken. */
    public boolean isStopping() {
        return stopping;
    }

    public void stopping() {
        stopping = true;
        round.nudge();
    }

    /** Whether nothing more is written either. */
    public boolean isOver() {
        return over;
    }

    public void over() {
        stopping = true;
        over = true;
        round.over();
    }

    /** Held while a claim is under way, until the round knows its batches. */
    Lock claiming() {
        return claims.readLock();
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
        if (ended) round.ended(lease);
        else if (lease.isSuspect()) suspects.offer(lease, this::isStopping, round::ended);
        else crew.offer(lease);
    }

    private boolean isWorked(Lane lane, String kind, Set<String> paused) {
        return runner.kinds().contains(kind)
                && (paused.isEmpty() || !paused.contains(kind))
                && !limits.needsLane(lane, kind);
    }

    /** Somebody wants these jobs to end, wherever they are; those that this node has and that have not ended shall. */
    public void cancel(Set<Long> jobs) {
        Set<Long> mine = new HashSet<>();
        for (ClaimedBatch lease : round.open())
            for (int i = 0; i < lease.size(); i++)
                if (lease.verdict(i) == null && jobs.contains(lease.job(i).id()))
                    mine.add(lease.job(i).id());
        runner.cancel(mine);
    }

    /** Whether this node has one of these jobs. */
    public boolean hasAny(Set<Long> jobs) {
        for (ClaimedBatch lease : round.open())
            for (int i = 0; i < lease.size(); i++)
                if (jobs.contains(lease.job(i).id())) return true;
        return false;
    }

    /** Makes the lanes that jobs of this lease go to whose kinds are not worked here: the lane of each such kind. */
    public Map<String, Integer> strangers(ClaimedBatch lease) throws SQLException {
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

    /**
     * Gives back batches that this node took without knowing: its session was lost before the answer came. Nothing of them
     * has begun. But what goes on of a lease whose part was written so is in a batch of its own now.
     */
    void giveBackForgotten(JobSession session) throws SQLException {
        claims.writeLock().lock();
        try {
            findForgotten(session);
        } finally {
            claims.writeLock().unlock();
        }
    }

    /** The same from time to time, for claims that went on when their session was lost; not while others are under way for long. */
    public void lookForForgotten(JobSession session) throws SQLException, InterruptedException {
        if (!claims.writeLock().tryLock(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) return;
        try {
            findForgotten(session);
        } finally {
            claims.writeLock().unlock();
        }
    }

    private void findForgotten(JobSession session) throws SQLException {
        List<Long> forgotten = new ArrayList<>();
        List<@Nullable Long> tokens = new ArrayList<>();
        try (ResultSet row = session.query(MINE, id)) {
            while (row.next()) {
                long batch = row.getLong(1);
                Long token = row.getObject(3, Long.class);
                if (token != null
                        && isKnown(new ClaimId(batch, token), (Long[])
                                row.getArray(2).getArray())) continue;
                forgotten.add(batch);
                tokens.add(token);
            }
        }
        if (forgotten.isEmpty()) return;
        log.info("node {} gives back {} batches that it took without knowing", id, forgotten.size());
        session.update(REAP, id, forgotten.size(), forgotten.toArray(Long[]::new), tokens.toArray(Long[]::new), false);
        round.wake(0);
    }

    private boolean isKnown(ClaimId claim, Long[] jobs) {
        return round.isOpen(claim) || adopt(claim, jobs);
    }

    private boolean adopt(ClaimId claim, Long[] jobs) {
        ClaimedBatch torn = round.torn();
        if (torn == null || torn.token() != claim.token() || torn.indexOf(jobs[0]) < 0) return false;
        round.closed(torn.claim());
        torn.moved(claim.batch(), Stream.of(jobs).map(torn::indexOf).toList());
        round.opened(torn);
        return true;
    }

    /** Waits for claims that are under way: when it returns the round knows what they have brought. */
    public void awaitClaims() {
        claims.writeLock().lock();
        claims.writeLock().unlock();
    }

    /** Which lanes it takes from. */
    public void refreshLanes(JobSession session, Set<String> queues) throws SQLException {
        lanes.refresh(session);
        round.lanes(lanes.forNode(queues, runner.kinds()));
    }
}
