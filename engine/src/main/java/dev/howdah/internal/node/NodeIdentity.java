package dev.howdah.internal.node;

import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The id of a node, and the random token of its row. The id alone is no proof: it is issued a second time after a failover that
 * lost WAL, or after a restore.
 */
public record NodeIdentity(int id, String incarnation) {
    private static final Logger log = LoggerFactory.getLogger(NodeIdentity.class);
    private static final int ATTEMPTS = 20;
    private static final Sql ENTER = NodeSql.NODE.statement("node_enter");
    private static final Sql ENTER_ELSEWHERE = NodeSql.NODE.statement("node_enter_elsewhere");
    private static final Sql DELETE = NodeSql.NODE.statement("node_delete");
    private static final Sql REPLACED = NodeSql.NODE.statement("node_replaced");
    private static final Sql IS_THERE = NodeSql.NODE.statement("node_is_there");
    private static final Sql LEAVE = NodeSql.NODE.statement("node_leave");

    /**
     * Inserts a new node into the table of nodes, alive for as long as that session.
     *
     * @param former the node that this program was before; null: none
     */
    public static NodeIdentity enter(
            DedicatedSession session, String name, @Nullable NodeIdentity former, String... features)
            throws SQLException {
        if (former != null) session.update(REPLACED, former.id(), former.incarnation());
        NodeIdentity entered = enter(session, ENTER, ENTER_ELSEWHERE, DELETE, name, features);
        NodePresence.tellEntered(session);
        return entered;
    }

    /** Returns whether the row of the id is still this node's, and says that the claims of these features are. */
    boolean isThere(DedicatedSession session, String... features) throws SQLException {
        try (ResultSet row = session.query(IS_THERE, id, incarnation, features)) {
            return row.next() && row.getBoolean(1);
        }
    }

    /** Removes a feature from the row of this node, and deletes the row if that was the last one. */
    public void leave(DedicatedSession session, String feature) throws SQLException {
        session.update(LEAVE, id, feature, incarnation);
    }

    /** Removes a feature from the row of a dead node, and deletes the row if that was the last one. */
    static void remove(DedicatedSession session, int node, String feature) throws SQLException {
        session.update(LEAVE, node, feature, null);
    }

    /**
     * Inserts the row of a new node and takes the lock of its id. Another session may have that lock: a living node whose row
     * was lost in a failover, or a session that has no business with it. Then the node takes another id.
     *
     * @param enter inserts a row under the next id; answers with the id, the token, and whether the session has the lock
     * @param enterElsewhere the same under a random id
     * @param leave deletes the row of an id
     * @param values of both statements that insert
     */
    public static NodeIdentity enter(
            DedicatedSession session, Sql enter, Sql enterElsewhere, Sql leave, Object... values) throws SQLException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            NodeIdentity entered;
            try (ResultSet row = session.query(attempt == 0 ? enter : enterElsewhere, values)) {
                if (!row.next()) continue;
                entered = new NodeIdentity(row.getInt(1), row.getString(2));
                if (row.getBoolean(3)) return entered;
            }
            log.warn(
                    "the lock of the new node id {} is held by another session; the node takes another id",
                    entered.id());
            session.update(leave, entered.id());
        }
        throw new SQLException(
                "no node could be entered: the locks of " + ATTEMPTS
                        + " new ids are held by other sessions (see pg_locks)",
                "55P03");
    }
}
