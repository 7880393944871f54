package dev.howdah.internal.node;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.DedicatedSession;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * The right of a feature to a place in the node of this program, which the features of one data source and one name share. Safe
 * for use by many threads.
 */
public final class NodeMembership implements AutoCloseable {
    private final ProgramNode program;
    private final String feature;
    private final boolean claims;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * @param source of the node's sessions
     * @param name of the node in tables and logs
     * @param claims whether the feature takes work as that node; what claims nothing has its place beside what does
     */
    public NodeMembership(ConnectionSource source, String name, String feature, boolean claims) {
        this.program = ProgramNode.of(source, name, feature, claims);
        this.feature = feature;
        this.claims = claims;
    }

    /** Returns whether an object claims for the feature as that node, or is about to join it. */
    public boolean isClaimed() {
        return program.isClaimed(feature);
    }

    /** What all that have a place in the node of this program share: the first one makes it. */
    public <T> T common(Class<T> type, Supplier<T> maker) {
        return program.common(type, maker);
    }

    /** Makes the part of a feature in a node. */
    public interface Maker<M extends NodeMember> {
        /** @param session for this call, in autocommit mode */
        M make(NodeIdentity identity, DedicatedSession session) throws SQLException;
    }

    /**
     * The feature becomes a part of the node, which listens for it when this returns. There may be no earlier place that it has
     * neither left nor lost.
     *
     * @param own where the feature has its sessions from as a part of that node
     * @param lost called once, in a thread of its own, when the node is not there any more; perhaps before this returns
     * @throws SQLException also if the node is lost meanwhile
     */
    public <M extends NodeMember> NodeSeat<M> join(ConnectionSource own, Runnable lost, Maker<M> maker)
            throws SQLException {
        return program.join(own, feature, lost, maker);
    }

    /** The feature needs no place any more. */
    @Override
    public void close() {
        if (!closed.getAndSet(true)) program.release(feature, claims);
    }
}
