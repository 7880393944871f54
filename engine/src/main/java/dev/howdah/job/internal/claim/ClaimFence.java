package dev.howdah.job.internal.claim;

import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.batch.ClaimId;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recovers claims that the database has and the node does not know: the session of the claim was lost before the answer came. Claims and
 * parts of batches that are being written hold the shared lock until {@link OpenBatches} has them; the recovery compares the two under the
 * exclusive lock. Safe for use by many threads.
 */
public final class ClaimFence {
    private static final Logger log = LoggerFactory.getLogger(ClaimFence.class);
    private static final Sql MINE = JobSql.JOB.statement("batch_mine");
    private static final Sql REAP = JobSql.JOB.statement("batch_reap");
    private static final long PATIENCE_MILLIS = 50;

    private final int node;
    private final OpenBatches batches;
    private final LanePolls polls;
    private final ReentrantReadWriteLock claims = new ReentrantReadWriteLock();

    ClaimFence(int node, OpenBatches batches, LanePolls polls) {
        this.node = node;
        this.batches = batches;
        this.polls = polls;
    }

    /** Held while a claim is under way, until its batches are among the open ones. */
    Lock claiming() {
        return claims.readLock();
    }

    /**
     * Gives back batches that this node took without knowing: its session was lost before the answer came. Nothing of them
     * has begun. But what goes on of a batch whose part was written so is in a batch of its own now.
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
        try (ResultSet row = session.query(MINE, node)) {
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
        log.info("node {} gives back {} batches that it took without knowing", node, forgotten.size());
        session.update(
                REAP, node, forgotten.size(), forgotten.toArray(Long[]::new), tokens.toArray(Long[]::new), false);
        polls.wake(0);
    }

    private boolean isKnown(ClaimId claim, Long[] jobs) {
        return batches.isOpen(claim) || adopt(claim, jobs);
    }

    private boolean adopt(ClaimId claim, Long[] jobs) {
        ClaimedBatch torn = batches.torn();
        if (torn == null || torn.token() != claim.token() || torn.indexOf(jobs[0]) < 0) return false;
        batches.closed(torn.claim());
        torn.moved(claim.batch(), Stream.of(jobs).map(torn::indexOf).toList());
        batches.opened(torn);
        return true;
    }

    /** Waits for claims that are under way: when it returns their batches are among the open ones. */
    public void awaitClaims() {
        claims.writeLock().lock();
        claims.writeLock().unlock();
    }
}
