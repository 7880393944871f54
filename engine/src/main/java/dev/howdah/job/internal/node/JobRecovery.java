package dev.howdah.job.internal.node;

import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.node.ClaimRecovery;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.claim.NodeContext;
import dev.howdah.job.internal.store.JobSql;
import dev.howdah.job.query.FailedJob;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Returns the jobs of a dead node to their lanes; tells listeners of those that have failed because nodes crashed with them too often. */
final class JobRecovery implements ClaimRecovery {
    private static final Logger log = LoggerFactory.getLogger(JobRecovery.class);
    private static final Sql END_OWN = JobSql.NODE.statement("transaction_end_own");
    private static final Sql GIVE_BACK = JobSql.JOB.statement("batch_give_back");
    private static final Sql UNPACK = JobSql.LOG.statement("log_unpack_all");
    private static final Sql MINE = JobSql.JOB.statement("batch_mine");
    private static final Sql RING = JobSql.JOB.statement("lane_ring");
    private static final int MOST = 20;

    private final NodeContext node;
    private final int dead;
    private final Set<Integer> lanes;
    private final List<FailedJob> failed = new ArrayList<>();
    private long jobs;

    /** @param node the one that recovers */
    JobRecovery(NodeContext node, int dead) {
        this.node = node;
        this.dead = dead;
        this.lanes = new HashSet<>(List.of(node.polls().laneIds()));
    }

    @Override
    public void endSessions(DedicatedSession open) throws SQLException {
        open.update(END_OWN, dead);
    }

    @Override
    public boolean next(DedicatedSession open, boolean counts) throws SQLException {
        failed.clear();
        open.update(UNPACK, dead, MOST);
        long batches = 0;
        try (ResultSet row = open.query(GIVE_BACK, dead, MOST, null, null, counts)) {
            while (row.next()) {
                int lane = row.getInt(1);
                if (!row.wasNull()) lanes.add(lane);
                jobs += row.getLong(2);
                batches = row.getLong(3);
                long id = row.getLong(4);
                if (!row.wasNull())
                    failed.add(new FailedJob(
                            id, row.getString(5), row.getString(6), row.getInt(7), row.getString(8), row.getString(9)));
            }
        }
        return batches >= MOST;
    }

    @Override
    public void committed() {
        for (FailedJob each : failed) {
            log.error("{}", each);
            node.executor().metrics().tellFailure(each);
        }
        failed.clear();
    }

    @Override
    public boolean isHeldUp(DedicatedSession open) throws SQLException {
        try (ResultSet row = open.query(MINE, dead)) {
            return row.next();
        }
    }

    @Override
    public void ended(DedicatedSession open, boolean complete) throws SQLException {
        if (jobs > 0 || complete)
            log.info("node {} crashed; the {} jobs that it had are back in their lanes", dead, jobs);
        // Sleeping nodes do not know of the jobs that it had put off: all look again.
        if (!lanes.isEmpty()) open.update(RING, (Object) lanes.toArray(Integer[]::new));
        node.polls().wake(0);
    }
}
