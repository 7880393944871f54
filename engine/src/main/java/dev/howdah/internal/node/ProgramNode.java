package dev.howdah.internal.node;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.run.Threads;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A program as a node. Features that are started over the same data source object, with the same name of the node, share it: one
 * row, one lock, one session, one thread. A second object of a feature that claims is a part of a second node: whose claim is whose
 * follows from the id of the node. Objects that claim nothing share the node of one that does. When the node is lost,
 * each of its features is told in a thread of its own; the first that joins again enters another node, and none waits for the
 * others. Safe for use by many threads.
 */
final class ProgramNode {
    private static final Logger log = LoggerFactory.getLogger(ProgramNode.class);
    private static final List<ProgramNode> ALL = new ArrayList<>();
    private static final int JOINS = 5;
    private static final long PAUSE_MILLIS = 200;
    /** With the pause in between, as long as a session may take to come back. */
    private static final int ATTEMPTS = (int) (NodePresence.SILENCE_MILLIS / PAUSE_MILLIS);

    private final ConnectionSource source;
    private final String name;
    /** The features that claim as it, whether they have joined or not; guarded by {@link #ALL}. */
    private final Set<String> claiming = new HashSet<>();
    /** How many have it without claiming; guarded by {@link #ALL}. */
    private int others;

    private final Map<Class<?>, Object> common = new ConcurrentHashMap<>();

    private @Nullable NodePresence presence;
    private @Nullable NodeIdentity former;

    private ProgramNode(ConnectionSource source, String name) {
        this.source = source;
        this.name = name;
    }

    /**
     * The node of this program for a feature; to be given back by {@link #release}.
     *
     * @param claims whether it takes work as that node
     */
    static ProgramNode of(ConnectionSource source, String name, String feature, boolean claims) {
        synchronized (ALL) {
            for (ProgramNode each : ALL)
                if (each.name.equals(name) && each.source.isSame(source) && each.take(feature, claims)) return each;
            ProgramNode made = new ProgramNode(source, name);
            made.take(feature, claims);
            ALL.add(made);
            return made;
        }
    }

    private boolean take(String feature, boolean claims) {
        if (claims) return claiming.add(feature);
        others++;
        return true;
    }

    void release(String feature, boolean claims) {
        synchronized (ALL) {
            if (claims) claiming.remove(feature);
            else others--;
            if (claiming.isEmpty() && others == 0) ALL.remove(this);
        }
    }

    boolean isClaimed(String feature) {
        synchronized (ALL) {
            return claiming.contains(feature);
        }
    }

    /** @see NodeMembership#common */
    <T> T common(Class<T> type, Supplier<T> maker) {
        return type.cast(common.computeIfAbsent(type, each -> maker.get()));
    }

    /** @see NodeMembership#join */
    <M extends NodeMember> NodeSeat<M> join(
            ConnectionSource own, String feature, Runnable lost, NodeMembership.Maker<M> maker) throws SQLException {
        for (int attempt = 1; ; attempt++) {
            Object place = new Object();
            NodePresence joined = enter(own, place, feature);
            M member = null;
            try (DedicatedSession session = quickSession(own)) {
                member = maker.make(joined.identity(), session);
                joined.add(member, lost, session);
                return new NodeSeat<>(this, own, joined, place, member);
            } catch (SQLException e) {
                takeBack(joined, own, place, feature, member);
                // The other features lost it just now: there will be another one.
                if (!NodePresence.isTakenForDead(e) || attempt == JOINS) throw e;
            } catch (RuntimeException e) {
                takeBack(joined, own, place, feature, member);
                throw e;
            }
        }
    }

    /** A session with a deadline for each answer, from the first on: it may be asked while others wait for this object. */
    private static DedicatedSession quickSession(ConnectionSource own) throws SQLException {
        Connection connection = own.getConnection();
        try {
            connection.setNetworkTimeout(Runnable::run, NodePresence.SILENCE_MILLIS);
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
        return prepared(new DedicatedSession(connection));
    }

    private static DedicatedSession prepared(DedicatedSession opened) throws SQLException {
        try {
            opened.searchOwnSchemaOnly();
            return opened;
        } catch (SQLException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    /** The feature stands in the row of the node when this returns. */
    private synchronized NodePresence enter(ConnectionSource own, Object place, String feature) throws SQLException {
        NodePresence now = presence;
        if (now != null && !now.isOver()) {
            own.server().follow(now.host());
            try (DedicatedSession session = quickSession(own)) {
                now.enter(session, place, feature);
                return now;
            } catch (SQLException e) {
                if (!NodePresence.isTakenForDead(e)) throw e;
                lost(now);
            }
        }
        ConnectionSource kept = source.forNode();
        DedicatedSession session = NodePresence.open(kept);
        try {
            NodeIdentity identity = NodeIdentity.enter(session, name, former, feature);
            NodePresence made = new NodePresence(kept, identity, session, place, feature, former != null, this::lost);
            own.server().follow(made.host());
            made.start();
            presence = made;
            former = null;
            return made;
        } catch (SQLException | RuntimeException e) {
            session.close();
            throw e;
        }
    }

    private synchronized void lost(NodePresence gone) {
        if (presence == gone) {
            presence = null;
            former = gone.identity();
        }
        for (Runnable each : gone.giveUp())
            Threads.daemon("howdah-node-lost", each).start();
    }

    /** The feature could not join: it has claimed nothing. */
    private void takeBack(
            NodePresence joined, ConnectionSource own, Object place, String feature, @Nullable NodeMember member) {
        try (DedicatedSession session = quickSession(own)) {
            forget(joined, place, feature, member, session);
        } catch (SQLException e) {
            log.debug(
                    "{} could not leave node {}: {}", feature, joined.identity().id(), e.getMessage());
            remove(joined, place, member);
        }
    }

    /** The feature has no claims any more. */
    private synchronized void forget(
            NodePresence left, Object place, String feature, @Nullable NodeMember member, DedicatedSession session)
            throws SQLException {
        boolean last = left.remove(place, member);
        if (last && presence == left) presence = null;
        if (!left.has(feature)) left.identity().leave(session, feature);
        if (last) left.close();
    }

    /** Returns whether the node lives on, with other features. */
    private synchronized boolean remove(NodePresence left, Object place, @Nullable NodeMember member) {
        boolean last = left.remove(place, member);
        if (last && presence == left) presence = null;
        if (last) left.close();
        return !last;
    }

    /** While other features hold the node this is tried for a while: no other node recovers claims of a node that lives. */
    void leave(NodePresence left, ConnectionSource own, Object place, NodeMember member) {
        for (int attempt = 1; ; attempt++) {
            try (DedicatedSession last = prepared(new DedicatedSession(own.getConnection()))) {
                member.leave(last, left.identity().isThere(last, member.feature()));
                last.endWhenSilent(NodePresence.SILENCE_MILLIS);
                forget(left, place, member.feature(), member, last);
                return;
            } catch (SQLException e) {
                if (left.isAlone() || left.isOver() || attempt == ATTEMPTS || !pause()) {
                    log.warn(
                            "node {} could not say that it leaves; others will notice: {}",
                            left.identity().id(),
                            e.getMessage());
                    abandon(left, place, member);
                    return;
                }
            }
        }
    }

    private static boolean pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** The node ends, so that other nodes recover the claims of the feature; its other features begin again as another node. */
    void abandon(NodePresence left, Object place, NodeMember member) {
        if (remove(left, place, member)) lost(left);
    }
}
