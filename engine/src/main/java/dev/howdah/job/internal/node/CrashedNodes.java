package dev.howdah.job.internal.node;

import dev.howdah.internal.node.NodeIdentity;
import dev.howdah.internal.node.NodeRescuer;
import dev.howdah.internal.node.NodeSql;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.claim.NodeContext;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Recovers the jobs of nodes whose locks are free, at once: where it is known that no node has lost its session for a moment only. For one
 * thread at a time.
 */
public final class CrashedNodes {
    private static final Sql WATCH = NodeSql.NODE.statement("node_watch");

    private final JobSession session;
    private final NodeIdentity self;
    private final NodeRescuer rescuer;

    public CrashedNodes(JobSession session, NodeIdentity self, NodeContext node) {
        this.session = session;
        this.self = self;
        this.rescuer = new NodeRescuer(self.id(), JobSql.FEATURE, dead -> new JobRecovery(node, dead));
    }

    /** Gives the jobs of all crashed nodes back; returns the number of the nodes. */
    public int recover() throws SQLException {
        Set<Integer> found = new HashSet<>();
        // A look sees the next 64 nodes, and those behind them when these are recovered.
        for (Map<Integer, Integer> free = free(); found.addAll(free.keySet()); free = free())
            for (Map.Entry<Integer, Integer> each : free.entrySet())
                rescuer.rescue(session, each.getKey(), each.getValue(), false);
        return found.size();
    }

    /** Nodes whose lock no session holds, each with how often it has come back. */
    private Map<Integer, Integer> free() throws SQLException {
        Map<Integer, Integer> free = new LinkedHashMap<>();
        try (ResultSet row = session.query(WATCH, self.id(), self.incarnation(), new String[] {JobSql.FEATURE})) {
            while (row.next()) {
                Integer[] ids = (Integer[]) row.getArray("ids").getArray();
                Integer[] returned = (Integer[]) row.getArray("returned").getArray();
                for (int i = 0; i < ids.length; i++) free.put(ids[i], returned[i]);
            }
        }
        return free;
    }
}
