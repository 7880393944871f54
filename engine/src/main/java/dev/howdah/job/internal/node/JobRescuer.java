package dev.howdah.job.internal.node;

import dev.howdah.internal.node.NodePresence;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.claim.NodeContext;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings home what nodes had that have died, in the session of the presence of one that lives. For one thread at a time. */
final class JobRescuer {
    private static final Logger log = LoggerFactory.getLogger(JobRescuer.class);
    private static final Sql END_WORK = JobSql.NODE.statement("node_end_work");
    private static final Sql DEATH = JobSql.NODE.statement("node_death");
    private static final Sql LEAVE = JobSql.NODE.statement("node_leave");
    private static final Sql REAP = JobSql.JOB.statement("batch_reap");
    private static final Sql MINE = JobSql.JOB.statement("batch_mine");
    private static final Sql RING = JobSql.JOB.statement("lane_ring");
    private static final int REAPED = 20;

    private final NodeContext node;
    /** Dead nodes of which transactions still go on, and whether their deaths count. */
    private final Map<Integer, Boolean> unfinished = new HashMap<>();

    JobRescuer(NodeContext node) {
        this.node = node;
    }

    /** Dead nodes of which something is left. */
    Set<Integer> unfinished() {
        return Set.copyOf(unfinished.keySet());
    }

    /**
     * Returns all jobs of this node to their lanes, if it is dead and no other node rescues them.
     *
     * @param returned how often it had come back when its lock was seen free
     * @param foreign whether a session that is no node's holds its lock
     */
    void bringHome(JobSession open, int dead, int returned, boolean foreign) throws SQLException {
        Boolean counts = unfinished.remove(dead);
        if (dead == node.id()) return;
        NodePresence.end(open, END_WORK, dead, foreign);
        Connection connection = open.connection();
        Set<Integer> lanes = new HashSet<>(List.of(node.polls().laneIds()));
        long jobs = 0;
        connection.setAutoCommit(false);
        try {
            for (long batches = REAPED; batches >= REAPED; ) {
                try (ResultSet row = open.query(DEATH, dead, returned, foreign)) {
                    if (!row.next() || !row.getBoolean(1)) return;
                    // Its row says so only until it is deleted.
                    if (counts == null) counts = row.getBoolean(2);
                }
                // First of all: once a part of what it had is gone it must not come back.
                open.update(LEAVE, dead);
                try (ResultSet row = open.query(REAP, dead, REAPED, null, null, counts)) {
                    batches = 0;
                    while (row.next()) {
                        int lane = row.getInt(1);
                        if (!row.wasNull()) lanes.add(lane);
                        jobs += row.getLong(2);
                        batches = row.getLong(3);
                    }
                }
                connection.commit();
            }
            try (ResultSet row = open.query(MINE, dead)) {
                if (row.next()) unfinished.put(dead, counts == null || counts);
            }
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
        if (jobs > 0 || unfinished.isEmpty())
            log.info("node {} crashed; the {} jobs that it had are back in their lanes", dead, jobs);
        // Sleeping nodes do not know of the jobs that it had put off: all look again.
        if (!lanes.isEmpty()) open.update(RING, (Object) lanes.toArray(Integer[]::new));
        node.polls().wake(0);
    }
}
