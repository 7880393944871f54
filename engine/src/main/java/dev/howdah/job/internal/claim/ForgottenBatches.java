package dev.howdah.job.internal.claim;

import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.node.ClaimFence;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.batch.ClaimId;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.store.JobSql;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives back batches that a node took without knowing: the session of the claim was lost before the answer came. Nothing of them
 * has begun. But when the answer to a write of a part of a batch was lost, the jobs that go on are in a batch of their own now.
 * Claims, and parts of batches that are being written, hold the {@link ClaimFence} until {@link OpenBatches} has them. Safe for
 * use by many threads.
 */
public final class ForgottenBatches {
    private static final Logger log = LoggerFactory.getLogger(ForgottenBatches.class);
    private static final Sql MINE = JobSql.JOB.statement("batch_mine");
    private static final Sql UNPACK = JobSql.LOG.statement("log_unpack");
    private static final Sql GIVE_BACK = JobSql.JOB.statement("batch_give_back");

    private final int node;
    private final ClaimFence fence;
    private final OpenBatches batches;
    private final LanePolls polls;

    ForgottenBatches(int node, ClaimFence fence, OpenBatches batches, LanePolls polls) {
        this.node = node;
        this.fence = fence;
        this.batches = batches;
        this.polls = polls;
    }

    void giveBack(DedicatedSession session) throws SQLException {
        fence.compare(() -> find(session));
    }

    /** The same from time to time, for claims that went on when their session was lost; not while others are under way for long. */
    public void tryGiveBack(DedicatedSession session) throws SQLException, InterruptedException {
        if (!fence.tryCompare(() -> find(session))) log.debug("node {} compares its batches another time", node);
    }

    private void find(DedicatedSession session) throws SQLException {
        List<Long> forgotten = new ArrayList<>();
        List<@Nullable Long> tokens = new ArrayList<>();
        List<ClaimId> leases = new ArrayList<>();
        try (ResultSet row = session.query(MINE, node)) {
            while (row.next()) {
                long batch = row.getLong(1);
                Long token = row.getObject(3, Long.class);
                Array jobs = row.getArray(2);
                if (jobs == null) {
                    ClaimId lease = new ClaimId(batch, Objects.requireNonNull(token));
                    if (!batches.isOpen(lease)) leases.add(lease);
                    continue;
                }
                if (token != null && isKnown(new ClaimId(batch, token), (Long[]) jobs.getArray())) continue;
                forgotten.add(batch);
                tokens.add(token);
            }
        }
        for (ClaimId lease : leases) {
            try (ResultSet row = session.query(UNPACK, node, lease.batch(), lease.token(), null)) {
                row.next();
                if (row.getLong(1) == 0) continue;
                forgotten.add(row.getLong(1));
                tokens.add(lease.token());
            }
        }
        if (forgotten.isEmpty()) return;
        log.info("node {} gives back {} batches that it took without knowing", node, forgotten.size());
        session.update(
                GIVE_BACK, node, forgotten.size(), forgotten.toArray(Long[]::new), tokens.toArray(Long[]::new), false);
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
}
