package dev.howdah.internal.node;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.connection.SchemaConnection;
import dev.howdah.internal.connection.ServerWatch;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.error.OutageLog;
import dev.howdah.internal.node.NodeMembers.FreeNode;
import dev.howdah.internal.run.Threads;
import dev.howdah.internal.sql.AdvisoryLock;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrors;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.postgresql.util.HostSpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The session whose lock says that a node lives; it listens as well, and looks for nodes that have died, whose claims each member of the
 * node then recovers: every two seconds, or with the others by turns while the node has nothing to do. Silence of {@link #SILENCE_MILLIS} ends the session, here and at the server: then
 * other nodes may recover the claims of this one. A session that is lost is opened anew, as long as no other node has begun to
 * do so. Runs in a thread of its own; the other methods are safe for use by many threads.
 */
public final class NodePresence {
    /** After so many milliseconds without a word a node counts as dead. */
    public static final int SILENCE_MILLIS = 10_000;

    private static final Logger log = LoggerFactory.getLogger(NodePresence.class);
    private static final Sql PRESENT = NodeSql.NODE.statement("node_present");
    private static final Sql JOIN = NodeSql.NODE.statement("node_join");
    private static final Sql WAKE = NodeSql.NODE.statement("node_wake");
    private static final Sql WORD = NodeSql.NODE.statement("node_word");
    private static final Sql SILENT = NodeSql.LOCK.statement("lock_silent");
    private static final long PAUSE_MILLIS = 200;
    /** Shorter than other nodes take to declare one dead whose lock is free. */
    private static final long REST_MILLIS = 500;

    private static final int WATCH_MILLIS = 2_000;
    /** While the node has nothing to do, and there is no other one whose claims it would recover. */
    private static final int ALONE_WATCH_MILLIS = 6_000;
    /** A session that has nothing to ask for so long says a word: the limit of its silence is not far. */
    private static final int QUIET_MILLIS = 6_000;
    /** Two looks that others ask for are so far apart at least. */
    private static final int ASKED_MILLIS = 500;

    private static final int MANY = 8;
    /** By which all nodes of the database hear that they are to look. */
    private static final String ALL_NODES = "howdah_node";

    private static final String ENTERED = "entered";

    /** For which a feature that joins waits: recoveries of other features may come first. */
    private static final long JOIN_SECONDS = 60;

    private static final long FOREIGN_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** An SQLSTATE of our own use: other nodes have declared this one dead. */
    private static final String TAKEN_FOR_DEAD = "57P05";

    private static final int ENDS_SILENCE_SINCE = 14;
    private static final int LONGEST_NUMBER = 19;
    private static final int MOST_NUMBERS = 10_000;

    private final ConnectionSource source;
    private final NodeIdentity identity;
    private final NodeMembers members;
    private final Consumer<NodePresence> lost;
    private final OutageLog outage = new OutageLog(log, "nodes");
    private final DeathWatch deaths = new DeathWatch();
    private final ForeignLocks foreignLocks = new ForeignLocks(AdvisoryLock.NODE);
    private boolean again;
    private int others;
    private int peers;
    private int before;
    private long clock;
    private boolean paused;
    private @Nullable Long silent;
    private @Nullable Long foreigners;
    private volatile boolean over;
    private volatile boolean closed;
    private volatile @Nullable DedicatedSession session;
    private volatile HostSpec host;

    /**
     * @param source of further sessions
     * @param session from {@link #open}, in which the node has entered
     * @param place of the part with which it has entered
     * @param feature of that part
     * @param successor whether this program was another node before, which has lost its id
     * @param lost called once, in the thread of the presence, when the node is not there any more
     */
    NodePresence(
            ConnectionSource source,
            NodeIdentity identity,
            DedicatedSession session,
            Object place,
            String feature,
            boolean successor,
            Consumer<NodePresence> lost)
            throws SQLException {
        this.source = source;
        this.identity = identity;
        this.session = session;
        this.host = ServerWatch.hostOf(session);
        this.members = new NodeMembers(identity.id(), place, feature);
        this.again = successor;
        this.lost = lost;
        listen(session);
    }

    NodeIdentity identity() {
        return identity;
    }

    /** The host of its session. */
    HostSpec host() {
        return host;
    }

    /** Starts the thread. */
    void start() {
        Threads.loop("howdah-node", this::run).start();
    }

    /** A session whose silence ends it. */
    static DedicatedSession open(ConnectionSource source) throws SQLException {
        DedicatedSession opened = new DedicatedSession(source.forPresence().getConnection());
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
        NodeMembers.listen(opened, List.of(channel(), ALL_NODES));
        members.listen(opened);
    }

    /** Nodes that know of no other one learn that there is one more now, and look for it more often. */
    static void tellEntered(DedicatedSession open) throws SQLException {
        open.update(WAKE, SchemaConnection.schema(open.connection()).in(ALL_NODES), ENTERED);
    }

    /** By which the thread hears that a feature joins. */
    private String channel() {
        return "howdah_node_" + identity.id();
    }

    /**
     * One more feature stands in the row of the node when this returns. Not while another one enters or leaves.
     *
     * @param place of the part that has the feature
     * @throws SQLException if the node is not there any more, too
     */
    void enter(DedicatedSession open, Object place, String feature) throws SQLException {
        if (over) throw takenForDead();
        try (ResultSet row = open.query(JOIN, identity.id(), identity.incarnation(), feature, members.features())) {
            if (!row.next()) throw takenForDead();
        }
        members.expect(place, feature);
    }

    /**
     * The session works for a feature that has entered, and listens for it, when this returns.
     *
     * @param open another session
     * @param whenLost run if the node is lost after that
     */
    void add(NodeMember part, Runnable whenLost, DedicatedSession open) throws SQLException {
        CompletableFuture<Void> joined = members.join(part, whenLost);
        if (over) members.refuse(takenForDead());
        try {
            open.update(WAKE, SchemaConnection.schema(open.connection()).in(channel()), "");
            joined.get(JOIN_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof SQLException failure) throw failure;
            throw new SQLException("node " + identity.id() + " cannot be joined: " + e.getCause(), "08006", e);
        } catch (TimeoutException e) {
            throw new SQLException("the session of node " + identity.id() + " does not answer", "08006", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted while joining node " + identity.id(), "57014", e);
        } finally {
            joined.cancel(false);
        }
    }

    /**
     * A part leaves its place; once more this changes nothing. Not while another one enters or leaves.
     *
     * @param part null: none was made
     * @return whether it was the last one: then the thread ends, and the node with {@link #close}
     */
    boolean remove(Object place, @Nullable NodeMember part) {
        members.remove(place, part);
        if (members.features().length == 0) over = true;
        return over;
    }

    /** Gives the node up; returns what tells its features, to the first that calls this. */
    List<Runnable> giveUp() {
        close();
        return members.lost();
    }

    /** Returns whether the feature is one of the node's, by this or another part. */
    boolean has(String feature) {
        return List.of(members.features()).contains(feature);
    }

    /** Returns whether the node has one part only. */
    boolean isAlone() {
        return members.features().length == 1;
    }

    boolean isOver() {
        return over;
    }

    private SQLException takenForDead() {
        return takenForDead(identity.id());
    }

    static SQLException takenForDead(int node) {
        return new SQLException("node " + node + " was taken for dead", TAKEN_FOR_DEAD);
    }

    /** Returns whether that is the failure of a node whose claims other nodes recover. */
    static boolean isTakenForDead(SQLException e) {
        return TAKEN_FOR_DEAD.equals(e.getSQLState());
    }

    private void run() {
        while (!over) {
            long began = System.nanoTime();
            try {
                DedicatedSession open = session;
                if (open != null) stay(open);
            } catch (SQLException | RuntimeException | Error e) {
                if (over) return;
                outage.failed("node " + identity.id() + " has lost its session", ErrorText.line(e));
                Threads.survived(e);
                closeSession();
                // What is refused in each new session, such as a look at a table that is not there, is asked again
                // after a rest.
                boolean again = System.nanoTime() - began < TimeUnit.MILLISECONDS.toNanos(REST_MILLIS);
                if (again && !pause(REST_MILLIS) || !comeBack()) {
                    if (!over) lost.accept(this);
                    return;
                }
            }
        }
    }

    private void stay(DedicatedSession open) throws SQLException {
        PGConnection notified = open.connection().unwrap(PGConnection.class);
        members.opened(open);
        deaths.begin(open, again);
        again = true;
        boolean fresh = !members.admit(open);
        while (!over) {
            // The first feature joins at once, and is not kept waiting by a look.
            int pause = fresh && members.none() ? WATCH_MILLIS : watch(open);
            fresh = false;
            outage.worked();
            members.answered();
            long looked = System.nanoTime();
            long said = looked;
            long until = looked + TimeUnit.MILLISECONDS.toNanos(pause);
            for (long left = pause; left > 0 && !over; left = (until - System.nanoTime()) / 1_000_000) {
                long quiet = QUIET_MILLIS - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - said);
                PGNotification[] notes = notified.getNotifications((int) Math.max(1, Math.min(left, quiet)));
                if (members.admit(open)) break;
                if (notes != null) {
                    PGNotification[] heard = SchemaConnection.heard(open.connection(), notes);
                    members.heard(open, heard);
                    long asked = isAsked(heard) ? askedUntil(looked) : until;
                    if (asked - until < 0) until = asked;
                }
                long now = System.nanoTime();
                if (now - until >= 0 || now - said < TimeUnit.MILLISECONDS.toNanos(QUIET_MILLIS)) continue;
                open.query(WORD).close();
                members.answered();
                said = System.nanoTime();
            }
        }
    }

    /** Whether a look is asked for. Any role that may connect can do that. */
    private boolean isAsked(PGNotification[] heard) {
        return Stream.of(heard)
                .anyMatch(each -> each.getName().equals(ALL_NODES)
                        && (others == 0 || !each.getParameter().equals(ENTERED)));
    }

    /** Many nodes that are asked to look do so one after the other. */
    private static long askedUntil(long looked) {
        int spread = ThreadLocalRandom.current().nextInt(ASKED_MILLIS / 2);
        long soon = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(spread);
        long earliest = looked + TimeUnit.MILLISECONDS.toNanos(ASKED_MILLIS);
        return soon - earliest > 0 ? soon : earliest;
    }

    /** Takes the lock again, unless other nodes have begun to recover the claims, or it takes too long. */
    private boolean comeBack() {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SILENCE_MILLIS);
        while (!over && System.nanoTime() - until < 0) {
            try {
                if (enterAgain()) return true;
            } catch (SQLException e) {
                log.debug("node {}: {}", identity.id(), e.getMessage());
                if (isTakenForDead(e)) return false;
            }
            if (!pause(PAUSE_MILLIS)) return false;
        }
        return false;
    }

    /** False if the thread is interrupted. */
    private static boolean pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** False if another session has the lock now, perhaps for a moment. */
    private boolean enterAgain() throws SQLException {
        DedicatedSession opened = open(source);
        boolean back = false;
        try {
            HostSpec found = ServerWatch.hostOf(opened);
            listen(opened);
            String[] asked = members.features();
            try (ResultSet row = opened.query(PRESENT, identity.id(), identity.incarnation(), asked)) {
                boolean isThere = row.next();
                boolean locked = isThere && row.getBoolean(1);
                back = locked && row.getBoolean(2);
                // A feature that leaves meanwhile is no sign of death.
                if ((!isThere || locked && !back) && asked == members.features()) throw takenForDead();
            }
            host = found;
        } finally {
            if (back) session = opened;
            else opened.close();
        }
        if (closed) closeSession();
        else if (back) members.back();
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
        boolean wasPaused = paused;
        Map<Integer, FreeNode> free = freeNodes(open);
        if (paused != wasPaused) tellOfPause();
        if (paused) return WATCH_MILLIS;
        Map<Integer, Integer> returned = new HashMap<>();
        free.forEach((node, each) -> returned.put(node, each.returned()));
        Set<Integer> dead = deaths.dead(returned);
        Set<Integer> foreign = Set.of();
        if (silent == null || began - silent >= FOREIGN_NANOS) {
            silent = began;
            endSilent(open, AdvisoryLock.NODE);
        }
        // The first node that looks is enough, until there is something to look at again.
        int share = foreignLocks.isFound() ? 1 : Math.max(1, Math.min(others, MANY));
        if (foreigners == null || began - foreigners >= share * FOREIGN_NANOS) {
            foreigners = began;
            foreign = foreignLocks.look(open, members.locks());
        }
        int rest = members.look(open, began, free, dead, foreign);
        return Math.min(rest, deaths.pause(members.areIdle() ? idlePause() : WATCH_MILLIS));
    }

    private int idlePause() {
        if (others == 0) return ALONE_WATCH_MILLIS;
        // Of holders of its lock that are no nodes it has to hear in time.
        if (foreignLocks.isFound()) return WATCH_MILLIS;
        return DeathWatch.untilTurn(identity.id(), Math.max(peers, 1), before, clock);
    }

    private void tellOfPause() {
        if (paused) log.info("node {}: everything in this database is paused, and nothing is claimed", identity.id());
        else log.info("node {}: the pause of everything in this database has ended", identity.id());
    }

    private Map<Integer, FreeNode> freeNodes(DedicatedSession open) throws SQLException {
        Map<Integer, FreeNode> free = new HashMap<>();
        while (!over) {
            String[] asked = members.features();
            try (ResultSet row = members.watch(open, identity, asked)) {
                row.next();
                if (!row.getBoolean("there")) {
                    // A feature that leaves meanwhile is no sign of death.
                    if (asked != members.features()) continue;
                    throw takenForDead();
                }
                others = row.getInt("others");
                peers = row.getInt("peers");
                before = row.getInt("before");
                clock = row.getLong("clock");
                paused = row.getBoolean("paused");
                Integer[] nodes = (Integer[]) row.getArray("ids").getArray();
                Integer[] returned = (Integer[]) row.getArray("returned").getArray();
                String[] theirs = (String[]) row.getArray("features").getArray();
                for (int i = 0; i < nodes.length; i++)
                    free.put(nodes[i], new FreeNode(returned[i], Set.of(theirs[i].split(" "))));
                members.watched(row);
                return free;
            }
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
        Long[] ids = Stream.of(classes)
                .map(each -> (long) SchemaConnection.schema(open.connection()).lockClass(each.classId()))
                .toArray(Long[]::new);
        try {
            open.update(SILENT, ids, Integer.toString(SILENCE_MILLIS));
        } catch (SQLException e) {
            if (!SqlErrors.isInsufficientPrivilege(e)) throw e;
            log.warn("sessions of a node that is silent cannot be ended: {}", e.getMessage());
        }
    }

    /** Ends the session, and with it the node: other nodes recover its claims. */
    void close() {
        over = true;
        closed = true;
        closeSession();
        members.refuse(takenForDead());
    }

    private void closeSession() {
        DedicatedSession open = session;
        session = null;
        if (open != null) open.close();
    }
}
