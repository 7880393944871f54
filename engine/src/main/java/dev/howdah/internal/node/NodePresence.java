package dev.howdah.internal.node;

import dev.howdah.internal.sql.KeptSession;
import dev.howdah.internal.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
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
public abstract class NodePresence<S extends KeptSession> implements Runnable {
    /** After so many milliseconds without a word a node counts as dead. */
    public static final int SILENCE_MILLIS = 10_000;

    private static final Logger log = LoggerFactory.getLogger(NodePresence.class);
    private static final long PAUSE_MILLIS = 200;
    /** An SQLSTATE of our own use: the session's end was somebody's decision. */
    private static final String TAKEN_FOR_DEAD = "57P05";

    private static final String NOT_ALLOWED = "42501";

    private final Runnable lost;
    private volatile @Nullable S session;

    /**
     * @param session in which the node has entered
     * @param lost called once, in the thread of the presence, when the node is not there any more
     */
    protected NodePresence(S session, Runnable lost) {
        this.session = session;
        this.lost = lost;
    }

    /** The node's number. */
    protected abstract int id();

    /** Whether the node has ended, or is given up. */
    protected abstract boolean isOver();

    /** A new session, which listens, and which {@link KeptSession#endWhenSilent ends when it is silent}. */
    protected abstract S open() throws SQLException;

    /** The statement that takes the lock of a node, its number, again: no row if the node was taken for dead, else whether it has it. */
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
        while (!isOver()) {
            int pause = watch(open);
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
        try (ResultSet row = opened.query(present(), id())) {
            if (!row.next()) throw takenForDead();
            back = row.getBoolean(1);
        } finally {
            if (back) session = opened;
            else opened.close();
        }
        if (back) back();
        return back;
    }

    /** Runs a statement that ends sessions of others; without the right to do so they end when they end. */
    public static void end(KeptSession open, Sql sql, Object value) throws SQLException {
        try {
            open.update(sql, value);
        } catch (SQLException e) {
            if (!NOT_ALLOWED.equals(e.getSQLState())) throw e;
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
