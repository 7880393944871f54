package dev.howdah.internal.node;

import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrors;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recovers the claims of dead nodes, for one feature, in the session of the presence of a node that lives. At most one node does
 * so at a time: the transactions hold the lock of the dead node. For one thread at a time.
 */
public final class NodeRescuer {
    private static final Logger log = LoggerFactory.getLogger(NodeRescuer.class);
    private static final Sql DEATH = NodeSql.NODE.statement("node_death");

    private final int self;
    private final String feature;
    private final IntFunction<ClaimRecovery> recoveries;
    /** Dead nodes whose last transactions still go on, and whether their deaths count. */
    private final Map<Integer, Boolean> unfinished = new HashMap<>();

    /**
     * @param self the id of the node that recovers
     * @param recoveries makes the recovery of a dead node
     */
    public NodeRescuer(int self, String feature, IntFunction<ClaimRecovery> recoveries) {
        this.self = self;
        this.feature = feature;
        this.recoveries = recoveries;
    }

    /** Dead nodes of which claims are left. */
    Set<Integer> unfinished() {
        return Set.copyOf(unfinished.keySet());
    }

    /**
     * Recovers all claims of a node, if it is dead and no other node does so.
     *
     * @param returned how often it had come back when its lock was seen free
     * @param foreign whether a session that is no node's holds its lock
     */
    public void rescue(DedicatedSession open, int dead, int returned, boolean foreign) throws SQLException {
        Boolean counts = unfinished.remove(dead);
        if (dead == self) return;
        ClaimRecovery recovery = recoveries.apply(dead);
        Connection connection = open.connection();
        connection.setAutoCommit(false);
        boolean complete = true;
        try {
            if (isDead(open, dead, returned, foreign) == null) return;
            endSessions(open, recovery);
            for (boolean more = true; more; ) {
                Boolean death = isDead(open, dead, returned, foreign);
                if (death == null) return;
                // Its row says so only until it is deleted.
                if (counts == null) counts = death;
                // First of all: once a part of its claims is gone the node must not come back.
                NodeIdentity.remove(open, dead, feature);
                more = recovery.next(open, counts);
                connection.commit();
                recovery.committed();
            }
            if (recovery.isHeldUp(open)) {
                complete = false;
                unfinished.put(dead, counts == null || counts);
            }
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
        recovery.ended(open, complete);
    }

    /** Returns whether the end of the node counts as a death; null: it is not dead, or another node recovers its claims. */
    private @Nullable Boolean isDead(DedicatedSession open, int dead, int returned, boolean foreign)
            throws SQLException {
        try (ResultSet row = open.query(DEATH, dead, returned, foreign, feature)) {
            return row.next() && row.getBoolean(1) ? row.getBoolean(2) : null;
        }
    }

    /** Without the privilege to do so these sessions end when they end. */
    private static void endSessions(DedicatedSession open, ClaimRecovery recovery) throws SQLException {
        try {
            recovery.endSessions(open);
            open.connection().commit();
        } catch (SQLException e) {
            if (!SqlErrors.isInsufficientPrivilege(e)) throw e;
            open.connection().rollback();
            log.warn("sessions of a crashed node cannot be ended: {}", e.getMessage());
        }
    }
}
