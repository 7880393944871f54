package dev.howdah.internal.node;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.run.Threads;
import dev.howdah.internal.sql.AdvisoryLock;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrors;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The session whose lock says that a node lives; it listens as well, and every two seconds looks for nodes that have died, whose
 * claims each member of the node then recovers. Silence of {@link #SILENCE_MILLIS} ends the session, here and at the server: then
 * other nodes may recover the claims of this one. A session that is lost is opened anew, as long as no other node has begun to
 * do so. Runs in a thread of its own.
 */
public final class NodePresence {
    /** After so many milliseconds without a word a node counts as dead. */
    public static final int SILENCE_MILLIS = 10_000;

    private static final Logger log = LoggerFactory.getLogger(NodePresence.class);
    private static final Sql PRESENT = NodeSql.NODE.statement("node_present");
    private static final Sql WATCH = NodeSql.NODE.statement("node_watch");
    private static final Sql SILENT = NodeSql.LOCK.statement("lock_silent");
    private static final long PAUSE_MILLIS = 200;
    private static final int WATCH_MILLIS = 2_000;

    /** After this a look is taken again at what a dead node's last transactions have kept. */
    private static final int REST_MILLIS = 100;

    private static final int THOROUGH_EVERY = 10;
    private static final int FOREIGN_EVERY = 3;
    /** An SQLSTATE of our own use: other nodes have declared this one dead. */
    private static final String TAKEN_FOR_DEAD = "57P05";

    private static final int ENDS_SILENCE_SINCE = 14;
    private static final int LONGEST_NUMBER = 19;
    private static final int MOST_NUMBERS = 10_000;

    private final ConnectionSource source;
    private final NodeIdentity identity;
    private final NodeMember member;
    private final NodeRescuer rescuer;
    private final String[] features;
    private final Map<AdvisoryLock, String> locks = new HashMap<>();
    private final Runnable lost;
    private final DeathWatch deaths = new DeathWatch();
    private final ForeignLocks foreignLocks = new ForeignLocks(AdvisoryLock.NODE);
    private boolean again;
    private int watches;
    private volatile boolean over;
    private volatile boolean closed;
    private volatile @Nullable DedicatedSession session;

    /** A node whose lock is free: how often it had come back, and its features. */
    private record FreeNode(int returned, Set<String> features) {}

    /**
     * @param source of further sessions
     * @param session from {@link #open}, in which the node has entered
     * @param successor whether this program was another node before, which has lost its id
     * @param lost called once, in the thread of the presence, when the node is not there any more
     */
    public NodePresence(
            ConnectionSource source,
            NodeIdentity identity,
            DedicatedSession session,
            NodeMember member,
            boolean successor,
            Runnable lost)
            throws SQLException {
        this.source = source;
        this.identity = identity;
        this.session = session;
        this.member = member;
        this.rescuer = new NodeRescuer(identity.id(), member);
        this.features = new String[] {member.feature()};
        this.locks.put(AdvisoryLock.NODE, "howdah.node");
        this.locks.putAll(member.locks());
        this.again = successor;
        this.lost = lost;
        listen(session);
    }

    /** Starts the thread. */
    public void start() {
        Threads.daemon("howdah-node", this::run).start();
    }

    /** A session whose silence ends it. */
    public static DedicatedSession open(ConnectionSource source) throws SQLException {
        DedicatedSession opened = new DedicatedSession(source.forListening().getConnection());
        try {
            opened.endWhenSilent(SILENCE_MILLIS);
            opened.searchOwnSchemaOnly();
            return opened;
        } catch (SQLException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    private void listen(DedicatedSession opened) throws SQLException {
        try (Statement statement = opened.connection().createStatement()) {
            for (String each : member.channels()) statement.execute("LISTEN " + each);
        }
    }

    private SQLException takenForDead() {
        return new SQLException("node " + identity.id() + " was taken for dead", TAKEN_FOR_DEAD);
    }

    private void run() {
        while (!over) {
            try {
                DedicatedSession open = session;
                if (open != null) stay(open);
            } catch (SQLException | RuntimeException e) {
                if (over) return;
                log.warn("node {} has lost its session: {}", identity.id(), e.getMessage());
                closeSession();
                if (!comeBack()) {
                    lost.run();
                    return;
                }
            }
        }
    }

    private void stay(DedicatedSession open) throws SQLException {
        PGConnection notified = open.connection().unwrap(PGConnection.class);
        member.server().opened(open);
        deaths.begin(open, again);
        again = true;
        while (!over) {
            int pause = watch(open);
            member.server().answered();
            long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pause);
            for (long left = pause; left > 0 && !over; left = (until - System.nanoTime()) / 1_000_000) {
                PGNotification[] notes = notified.getNotifications((int) left);
                if (notes != null) member.heard(open, notes);
            }
        }
    }

    /** Takes the lock again, unless other nodes have begun to recover the claims, or it takes too long. */
    private boolean comeBack() {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SILENCE_MILLIS);
        while (!over && System.nanoTime() - until < 0) {
            try {
                if (enterAgain()) return true;
            } catch (SQLException e) {
                log.debug("node {}: {}", identity.id(), e.getMessage());
                if (TAKEN_FOR_DEAD.equals(e.getSQLState())) return false;
            }
            try {
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return false;
    }

    /** False if another session has the lock now, perhaps for a moment. */
    private boolean enterAgain() throws SQLException {
        DedicatedSession opened = open(source);
        boolean back = false;
        try {
            listen(opened);
            try (ResultSet row = opened.query(PRESENT, identity.id(), identity.incarnation(), features)) {
                if (!row.next()) throw takenForDead();
                boolean locked = row.getBoolean(1);
                if (locked && !row.getBoolean(2)) throw takenForDead();
                back = locked;
            }
        } finally {
            if (back) session = opened;
            else opened.close();
        }
        if (closed) closeSession();
        else if (back) member.back();
        return back;
    }

    /**
     * Looks around.
     *
     * @return for how many milliseconds to listen before the next look
     * @throws SQLException if the session is lost, or, as {@link #takenForDead}, the node
     */
    private int watch(DedicatedSession open) throws SQLException {
        long began = System.nanoTime();
        Map<Integer, FreeNode> free = freeNodes(open);
        Map<Integer, Integer> returned = new HashMap<>();
        free.forEach((node, each) -> returned.put(node, each.returned()));
        Set<Integer> dead = deaths.dead(returned);
        boolean thorough = watches % THOROUGH_EVERY == 0;
        Set<Integer> foreign = Set.of();
        if (watches++ % FOREIGN_EVERY == 0) {
            endSilent(open, AdvisoryLock.NODE);
            foreign = foreignLocks.look(open, locks);
        }
        Set<Integer> gone = new LinkedHashSet<>(rescuer.unfinished());
        for (int each : dead) {
            FreeNode node = free.get(each);
            if (node != null && node.features().contains(member.feature())) gone.add(each);
        }
        gone.addAll(member.look(open, thorough));
        for (int each : gone) rescuer.rescue(open, each, returned.getOrDefault(each, 0), false);
        for (int each : foreign) rescuer.rescue(open, each, 0, true);
        member.looked(System.nanoTime() - began);
        return rescuer.unfinished().isEmpty() ? deaths.pause(WATCH_MILLIS) : REST_MILLIS;
    }

    private Map<Integer, FreeNode> freeNodes(DedicatedSession open) throws SQLException {
        Map<Integer, FreeNode> free = new HashMap<>();
        try (ResultSet row = open.query(WATCH, identity.id(), identity.incarnation(), features)) {
            row.next();
            if (!row.getBoolean(1)) throw takenForDead();
            Integer[] nodes = (Integer[]) row.getArray(2).getArray();
            Integer[] returned = (Integer[]) row.getArray(3).getArray();
            String[] theirs = (String[]) row.getArray(4).getArray();
            for (int i = 0; i < nodes.length; i++)
                free.put(nodes[i], new FreeNode(returned[i], Set.of(theirs[i].split(" "))));
        }
        return free;
    }

    /** Adds the number that a notification names; leaves out what is none, and what goes beyond a bound. */
    public static void addNumber(String payload, Set<Long> numbers) {
        if (payload.isEmpty() || payload.length() > LONGEST_NUMBER || numbers.size() >= MOST_NUMBERS) return;
        try {
            numbers.add(Long.parseLong(payload));
        } catch (NumberFormatException e) {
            log.debug("a notification that names no number: {}", payload);
        }
    }

    /**
     * Ends sessions of nodes that are silent, where the server does not: before PostgreSQL 14.
     *
     * @param classes of the locks by which such sessions are known
     */
    public static void endSilent(DedicatedSession open, AdvisoryLock... classes) throws SQLException {
        if (open.connection().getMetaData().getDatabaseMajorVersion() >= ENDS_SILENCE_SINCE) return;
        Long[] ids = Stream.of(classes).map(each -> (long) each.classId()).toArray(Long[]::new);
        try {
            open.update(SILENT, ids, Integer.toString(SILENCE_MILLIS));
        } catch (SQLException e) {
            if (!SqlErrors.isInsufficientPrivilege(e)) throw e;
            log.warn("sessions of a node that is silent cannot be ended: {}", e.getMessage());
        }
    }

    /** The node leaves, and needs no rescue. */
    public void leave() {
        over = true;
        try (DedicatedSession last = new DedicatedSession(source.getConnection())) {
            last.searchOwnSchemaOnly();
            member.leave(last, identity.isThere(last, features));
            identity.leave(last, member.feature());
        } catch (SQLException e) {
            log.warn("node {} could not say that it leaves; others will notice: {}", identity.id(), e.getMessage());
        }
        close();
    }

    /** Ends the session, and with it the node: other nodes recover its claims. */
    public void close() {
        over = true;
        closed = true;
        closeSession();
    }

    private void closeSession() {
        DedicatedSession open = session;
        session = null;
        if (open != null) open.close();
    }
}
