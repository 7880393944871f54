package dev.howdah.internal.node;

import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.connection.SchemaConnection;
import dev.howdah.internal.sql.AdvisoryLock;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrors;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds locks of nodes that are held by sessions of other roles. Every role that may connect can take any advisory lock, and
 * would so keep the work of a dead node from being recovered. A holder counts as a node only if its role may insert into a
 * table of nodes. Other holders are logged, and their sessions ended where the node's own role may do that.
 *
 * <p>For one thread at a time.
 */
public final class ForeignLocks {
    private static final Logger log = LoggerFactory.getLogger(ForeignLocks.class);
    private static final Sql HOLDERS = NodeSql.LOCK.statement("lock_foreign_holders");
    private static final Sql END = NodeSql.LOCK.statement("lock_end_foreign");

    /** A node that cannot take its lock again for so long has given up its id. */
    private static final long GIVEN_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(NodePresence.SILENCE_MILLIS + 2_000);

    private record Holder(long classId, long id, int pid, long role, String name, String table) {}

    private final AdvisoryLock node;
    private final Map<Holder, Long> since = new HashMap<>();

    /** @param node the class of the locks of nodes */
    public ForeignLocks(AdvisoryLock node) {
        this.node = node;
    }

    /** Whether there were any when they were looked for last. */
    boolean isFound() {
        return !since.isEmpty();
    }

    /**
     * Ends such sessions.
     *
     * @param locks the classes of locks that only nodes take, each with the table into which only their nodes may insert
     * @return the nodes whose locks such sessions have held for so long that the nodes cannot be alive
     */
    public Set<Integer> look(DedicatedSession open, Map<AdvisoryLock, String> locks) throws SQLException {
        List<Holder> found = new ArrayList<>();
        SchemaName schema = SchemaConnection.schema(open.connection());
        Long[] classes = locks.keySet().stream()
                .map(each -> (long) schema.lockClass(each.classId()))
                .toArray(Long[]::new);
        String[] tables = locks.values().stream().map(schema::in).toArray(String[]::new);
        try (ResultSet row = open.query(HOLDERS, classes, tables)) {
            while (row.next())
                found.add(new Holder(
                        row.getLong(1),
                        row.getLong(2),
                        row.getInt(3),
                        row.getLong(4),
                        row.getString(5).replaceAll("\\p{Cntrl}", "?"),
                        row.getString(6)));
        }
        since.keySet().retainAll(found);
        Set<Integer> dead = new HashSet<>();
        for (Holder each : found) {
            long now = System.nanoTime();
            Long first = since.putIfAbsent(each, now);
            if (first == null) end(open, each);
            else if (each.classId() == schema.lockClass(node.classId()) && now - first >= GIVEN_UP_NANOS)
                dead.add((int) each.id());
        }
        return dead;
    }

    private void end(DedicatedSession open, Holder holder) throws SQLException {
        String what = "session " + holder.pid() + " of role \"" + holder.name() + "\" holds the advisory lock ("
                + holder.classId() + ", " + holder.id()
                + "), which only nodes take, and the role has no right to be a node"
                + " (INSERT on " + holder.table() + ")";
        try {
            open.update(END, holder.pid(), holder.role());
            log.warn("{}: the session was ended", what);
        } catch (SQLException e) {
            if (!SqlErrors.isInsufficientPrivilege(e)) throw e;
            log.warn(
                    "{}. This node's role may not end it: as a superuser run SELECT pg_terminate_backend({}),"
                            + " and revoke CONNECT from the role; or grant pg_signal_backend to the node's role",
                    what,
                    holder.pid());
        }
    }
}
