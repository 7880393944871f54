package dev.howdah.internal.node;

import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.connection.ServerWatch;
import dev.howdah.internal.sql.AdvisoryLock;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGNotification;

/**
 * A feature as a part of a node: what it does in the session of the node's presence. Called in the thread of the presence, but
 * for {@link #leave}.
 */
public interface NodeMember {
    /** The name of the feature in the table of nodes. */
    String feature();

    /** Learns of each server that a session of the presence leads to. */
    ServerWatch server();

    /** The channels to listen to. */
    List<String> channels();

    /** The advisory locks that only nodes of this feature take, each with a table into which only such nodes may insert. */
    Map<AdvisoryLock, String> locks();

    /**
     * A statement without parameters, of one row, that is asked together with each look for dead nodes; null: none. Its columns have
     * names that those of no other member have.
     */
    default @Nullable String watch() {
        return null;
    }

    /** The answer to {@link #watch}, before each {@link #look}. */
    default void watched(ResultSet row) throws SQLException {}

    /** Returns whether the feature has had nothing to do since it was last asked: then the looks may be further apart. */
    default boolean isIdle() {
        return true;
    }

    /**
     * Does what is to be done every two seconds, or as often as other members have it; while the node is idle every six seconds if it is
     * alone, and among others in its turn, after 20 seconds at the latest.
     *
     * @param thorough true every twenty seconds, and once a minute in a node that has been idle for a minute
     * @return dead nodes that are not known from the table of nodes: the feature has met claims of theirs
     */
    Collection<Integer> look(DedicatedSession open, boolean thorough) throws SQLException;

    /** A look and the recoveries after it have ended, so many nanoseconds after the node was found to be there. */
    default void looked(long nanos) {}

    /** Notifications have come, of any member's channels. */
    void heard(DedicatedSession open, PGNotification[] notifications) throws SQLException;

    /** The recovery of the claims of a dead node. */
    ClaimRecovery recovery(int node);

    /** The node has a session again, after the former one was lost. */
    void back();

    /**
     * The feature leaves the node, and all its work has ended: wakes the nodes that go on.
     *
     * @param open a session of its own, in autocommit mode
     * @param present whether the claims are still this node's: then those that are left are given back
     */
    void leave(DedicatedSession open, boolean present) throws SQLException;
}
