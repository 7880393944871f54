package dev.howdah.internal.node;

import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.connection.ServerWatch;
import dev.howdah.internal.sql.AdvisoryLock;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.internal.sql.SqlFile;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
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
 * The session whose lock says that a node lives; it listens as well, and looks around from time to time. Silence of {@link
 * #SILENCE_MILLIS} ends it, here and at the server: then others may have what the node had. A session that is lost is opened
 * anew, as long as nobody has taken the node for dead. Runs in a thread of its own.
 *
 * @param <S> the sessions of the feature
 */
public abstract class NodePresence<S extends DedicatedSession> implements Runnable {
    /** After so many milliseconds without a word a node counts as dead. */
    public static final int SILENCE_MILLIS = 10_000;

    private static final Logger log = LoggerFactory.getLogger(NodePresence.class);
    private static final long PAUSE_MILLIS = 200;
    /** An SQLSTATE of our own use: the session's end was somebody's decision. */
    private static final String TAKEN_FOR_DEAD = "57P05";

    private static final Sql SILENT =
            SqlFile.of(NodePresence.class, "node-lock.sql").statement("lock_silent");
    private static final int ENDS_SILENCE_SINCE = 14;
    private static final int LONGEST_NUMBER = 19;
    private static final int MOST_NUMBERS = 10_000;

    private final NodeIdentity identity;
    private final Runnable lost;
    private final DeathWatch deaths = new DeathWatch();
    private final ServerWatch server;
    private boolean again;
    private volatile @Nullable S session;

    /**
     * @param identity of the node
     * @param server that its sessions lead to
     * @param session in which the node has entered
     * @param successor whether this program was another node before, which has lost its id
     * @param lost called once, in the thread of the presence, when the node is not there any more
     */
    protected NodePresence(NodeIdentity identity, ServerWatch server, S session, boolean successor, Runnable lost) {
        this.identity = identity;
        this.server = server;
        this.session = session;
        this.again = successor;
        this.lost = lost;
    }

    /** The node's id. */
    protected final int id() {
        return identity.id();
    }

    /** The token of the node's row. */
    protected final String incarnation() {
        return identity.incarnation();
    }

    /** What tells dead nodes from those that come back. */
    protected final DeathWatch deaths() {
        return deaths;
    }

    /** Whether the node has ended, or is given up. */
    protected abstract boolean isOver();

    /** A new session, which listens, and which {@link DedicatedSession#endWhenSilent ends when it is silent}. */
    protected abstract S open() throws SQLException;

    /**
     * The statement that takes the lock of a node again and counts that in its row. It gets the id and the token of the node, and
     * answers whether it has the lock, and whether the row could be updated. No row: the node was taken for dead, or the row of
     * that id is another node's.
     */
    protected abstract Sql present();

    /**
     * Looks around.
     *
     * @return for how many milliseconds to listen before the next look
     * @throws SQLException if the session is lost, or, as {@link #takenForDead}, the node
     */
    protected abstract int watch(S open) throws SQLException;

    /** Notifications have come. */
    protected abstract void heard(S open, PGNotification[] notes) throws SQLException;

    /** The node has its lock again. */
    protected abstract void back();

    /** That somebody has brought home what the node had. */
    protected final SQLException takenForDead() {
        return new SQLException("node " + id() + " was taken for dead", TAKEN_FOR_DEAD);
    }

    @Override
    public final void run() {
        while (!isOver()) {
            try {
                S open = session;
                if (open != null) stay(open);
            } catch (SQLException | RuntimeException e) {
                if (isOver()) return;
                log.warn("node {} has lost its session: {}", id(), e.getMessage());
                close();
                if (!comeBack()) {
                    lost.run();
                    return;
                }
            }
        }
    }

    private void stay(S open) throws SQLException {
        PGConnection notified = open.connection().unwrap(PGConnection.class);
        server.opened(open);
        deaths.begin(open, again);
        again = true;
        while (!isOver()) {
            int pause = watch(open);
            server.answered();
            long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pause);
            for (long left = pause; left > 0 && !isOver(); left = (until - System.nanoTime()) / 1_000_000) {
                PGNotification[] notes = notified.getNotifications((int) left);
                if (notes != null) heard(open, notes);
            }
        }
    }

    /** Takes the lock again, unless somebody has brought home what the node had, or it takes too long. */
    private boolean comeBack() {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SILENCE_MILLIS);
        while (!isOver() && System.nanoTime() - until < 0) {
            try {
                if (enterAgain()) return true;
            } catch (SQLException e) {
                log.debug("node {}: {}", id(), e.getMessage());
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

    /** False if somebody else has the lock now, perhaps for a moment. */
    private boolean enterAgain() throws SQLException {
        S opened = open();
        boolean back = false;
        try (ResultSet row = opened.query(present(), id(), incarnation())) {
            if (!row.next()) throw takenForDead();
            boolean locked = row.getBoolean(1);
            if (locked && !row.getBoolean(2)) throw takenForDead();
            back = locked;
        } finally {
            if (back) session = opened;
            else opened.close();
        }
        if (back) back();
        return back;
    }

    /** Adds the number that a notification names; leaves out what is none, and what goes beyond a bound. */
    protected static void addNumber(String payload, Set<Long> numbers) {
        if (payload.isEmpty() || payload.length() > LONGEST_NUMBER || numbers.size() >= MOST_NUMBERS) return;
        try {
            numbers.add(Long.parseLong(payload));
        } catch (NumberFormatException e) {
            log.debug("a notification that names no number: {}", payload);
        }
    }

    /** Whether the row of the node's id is still its own, as that statement says. */
    protected final boolean isThere(DedicatedSession open, Sql isThere) throws SQLException {
        try (ResultSet row = open.query(isThere, id(), incarnation())) {
            return row.next() && row.getBoolean(1);
        }
    }

    /** The nodes whose locks are free, with the number of times that each has come back, from two columns of arrays. */
    protected static Map<Integer, Integer> freeLocks(ResultSet row, int ids, int returned) throws SQLException {
        Integer[] nodes = (Integer[]) row.getArray(ids).getArray();
        Integer[] times = (Integer[]) row.getArray(returned).getArray();
        Map<Integer, Integer> free = new LinkedHashMap<>();
        for (int i = 0; i < nodes.length; i++) free.put(nodes[i], times[i]);
        return free;
    }

    /**
     * Ends sessions of nodes that are silent, where the server does not: before PostgreSQL 14.
     *
     * @param classes of the locks by which such sessions are known
     */
    public static void endSilent(DedicatedSession open, AdvisoryLock... classes) throws SQLException {
        if (open.connection().getMetaData().getDatabaseMajorVersion() >= ENDS_SILENCE_SINCE) return;
        Long[] ids = Stream.of(classes).map(each -> (long) each.classId()).toArray(Long[]::new);
        end(open, SILENT, ids, Integer.toString(SILENCE_MILLIS));
    }

    /** Runs a statement that ends sessions of others; without the right to do so they end when they end. */
    public static void end(DedicatedSession open, Sql sql, Object... values) throws SQLException {
        try {
            open.update(sql, values);
        } catch (SQLException e) {
            if (!SqlErrors.isInsufficientPrivilege(e)) throw e;
            log.warn("sessions of a node that is dead cannot be ended: {}", e.getMessage());
        }
    }

    /** Ends the session. */
    public final void close() {
        S open = session;
        session = null;
        if (open != null) open.close();
    }
}
