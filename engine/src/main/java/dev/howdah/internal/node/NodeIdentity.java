package dev.howdah.internal.node;

import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The id of a node, and the random token of its row. The id alone is no proof: it is issued a second time after a failover that
 * lost WAL, or after a restore.
 */
public record NodeIdentity(int id, String incarnation) {
    private static final Logger log = LoggerFactory.getLogger(NodeIdentity.class);
    private static final int ATTEMPTS = 20;

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
