package dev.howdah.process;

import dev.howdah.internal.conninfo.ListenSource;
import dev.howdah.internal.sql.KeptSession;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The session whose lock says that a node lives; it listens as well, and every two seconds looks for nodes that have died.
 * Silence of ten seconds ends it, here and at the server: then others may have what the node had.
 */
final class Presence implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(Presence.class);
    static final SqlFile NODE = SqlFile.of(Presence.class, "node.sql");
    private static final Sql ENTER = NODE.statement("enter");
    private static final Sql PRESENT = NODE.statement("present");
    private static final Sql WATCH = NODE.statement("watch");
    private static final Sql SILENT = NODE.statement("silent");
    private static final Sql DEATH = NODE.statement("death");
    private static final Sql LEAVE = NODE.statement("leave");
    private static final Sql ORPHANS = NODE.statement("orphans");
    private static final Sql REAP = NODE.statement("reap");
    private static final Sql MINE = NODE.statement("mine");
    private static final Sql GIVE_BACK = NODE.statement("give_back");
    private static final Sql REPLIES_GONE = NODE.statement("replies_gone");
    private static final Sql RING = Ledger.STEP.statement("ring");
    private static final String WORK = "howdah_process";
    private static final int WATCH_MILLIS = 2_000;
    private static final int SILENCE_MILLIS = 10_000;
    private static final int REAPED = 500;
    private static final int ORPHANS_EVERY = 10;
    private static final long PATIENCE_MILLIS = 50;
    /** An SQLSTATE of our own use: the session's end was somebody's decision. */
    private static final String TAKEN_FOR_DEAD = "57P05";

    private final DataSource source;
    private final Node node;
    private final Runnable lost;
    private volatile @Nullable KeptSession session;
    private int watches;

    /**
     * @param session from {@link #open}, in which the node has entered
     * @param lost called once, in the thread of the presence, when the node is not there any more
     */
    Presence(DataSource source, KeptSession session, Node node, Runnable lost) {
        this.source = source;
        this.session = session;
        this.node = node;
        this.lost = lost;
    }

    /** A session whose silence ends it. */
    static KeptSession open(DataSource source) throws SQLException {
        KeptSession opened = new KeptSession(ListenSource.of(source).getConnection());
        try {
            opened.endWhenSilent(SILENCE_MILLIS);
            return opened;
        } catch (SQLException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    /** A new node, alive for as long as that session; its number. */
    static int enter(KeptSession session, String name) throws SQLException {
        int id;
        try (ResultSet row = session.query(ENTER, name)) {
            row.next();
            id = row.getInt(1);
        }
        listen(session, id);
        return id;
    }

    private static void listen(KeptSession session, int node) throws SQLException {
        try (Statement statement = session.connection().createStatement()) {
            statement.execute("LISTEN " + WORK);
            statement.execute("LISTEN " + WORK + "_" + node);
        }
    }

    @Override
    public void run() {
        while (!node.isOver()) {
            try {
                KeptSession open = session;
                if (open != null) stay(open);
            } catch (SQLException | RuntimeException e) {
                if (node.isOver()) return;
                log.warn("node {} has lost its session: {}", node.id(), e.getMessage());
                close();
                if (!comeBack()) {
                    lost.run();
                    return;
                }
            }
        }
    }

    private void stay(KeptSession open) throws SQLException {
        PGConnection notified = open.connection().unwrap(PGConnection.class);
        while (!node.isOver()) {
            watch(open);
            long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(WATCH_MILLIS);
            for (long left = WATCH_MILLIS; left > 0; left = (until - System.nanoTime()) / 1_000_000) {
                PGNotification[] notes = notified.getNotifications((int) left);
                if (notes != null) heard(open, notes);
                if (node.isOver()) return;
            }
        }
    }

    private void heard(KeptSession open, PGNotification[] notes) throws SQLException {
        List<Long> ended = new ArrayList<>();
        for (PGNotification note : notes) {
            try {
                if (note.getName().equals(WORK)) node.alarm().ring();
                else ended.add(Long.parseLong(note.getParameter()));
            } catch (NumberFormatException e) {
                log.debug("a notification on {} that is none of ours: {}", note.getName(), note.getParameter());
            }
        }
        if (!ended.isEmpty()) node.callers().heard(ended, open);
    }

    private void watch(KeptSession open) throws SQLException {
        Set<Integer> dead = new LinkedHashSet<>();
        try (ResultSet row = open.query(WATCH, node.id())) {
            row.next();
            if (!row.getBoolean(1)) throw new SQLException("node " + node.id() + " was taken for dead", TAKEN_FOR_DEAD);
            for (Integer each : (Integer[]) row.getArray(2).getArray()) dead.add(each);
        }
        boolean thorough = watches++ % ORPHANS_EVERY == 0;
        if (thorough) {
            if (open.connection().getMetaData().getDatabaseMajorVersion() < 14) endSilent(open);
            try (ResultSet row = open.query(ORPHANS)) {
                while (row.next()) dead.add(row.getInt(1));
            }
            open.update(REPLIES_GONE);
        }
        if (node.mayHaveForgottenSince() || thorough) giveBackForgotten(open);
        for (int each : dead) bringHome(open, each);
    }

    /** Without the right to do so they end when they end. */
    private static void endSilent(KeptSession open) throws SQLException {
        try {
            open.update(SILENT, Integer.toString(SILENCE_MILLIS));
        } catch (SQLException e) {
            if (!"42501".equals(e.getSQLState())) throw e;
            log.warn("the session of a silent node cannot be ended: {}", e.getMessage());
        }
    }

    /** Processes that the node took without knowing: a session was lost before the answer came. Nothing of them has begun. */
    private void giveBackForgotten(KeptSession open) throws SQLException {
        try {
            if (!node.settled().tryLock(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
                node.mayHaveForgotten();
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        try {
            List<Long> numbers = new ArrayList<>();
            List<Long> turns = new ArrayList<>();
            try (ResultSet row = open.query(MINE, node.id())) {
                while (row.next()) {
                    if (node.has(row.getLong(1), row.getLong(2))) continue;
                    numbers.add(row.getLong(1));
                    turns.add(row.getLong(2));
                }
            }
            if (numbers.isEmpty()) return;
            log.info("node {} gives back {} processes that it took without knowing", node.id(), numbers.size());
            open.update(GIVE_BACK, node.id(), numbers.toArray(Long[]::new), turns.toArray(Long[]::new));
        } finally {
            node.settled().unlock();
        }
        node.alarm().ring();
    }

    private void bringHome(KeptSession open, int dead) throws SQLException {
        if (dead == node.id()) return;
        Connection connection = open.connection();
        int processes = 0;
        Set<Integer> namespaces = new LinkedHashSet<>();
        connection.setAutoCommit(false);
        try {
            for (int reaped = REAPED; reaped >= REAPED; ) {
                try (ResultSet row = open.query(DEATH, dead)) {
                    if (!row.next() || !row.getBoolean(1)) return;
                }
                // First of all: once a part of what it had is gone it must not come back.
                open.update(LEAVE, dead);
                reaped = reap(open, dead, namespaces);
                processes += reaped;
                connection.commit();
            }
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
        log.info("node {} has died; {} processes that it worked on go on", dead, processes);
        if (!namespaces.isEmpty()) open.update(RING, (Object) namespaces.toArray(Integer[]::new));
        // Its timers were nobody's concern yet who sleeps: all look again.
        node.alarm().ring();
    }

    private static int reap(KeptSession open, int dead, Set<Integer> namespaces) throws SQLException {
        int reaped = 0;
        try (ResultSet row = open.query(REAP, dead, REAPED)) {
            while (row.next()) {
                namespaces.add(row.getInt(1));
                reaped++;
            }
        }
        return reaped;
    }

    /** Takes the lock again, unless somebody has brought home what the node had, or it takes too long. */
    private boolean comeBack() {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SILENCE_MILLIS);
        while (!node.isOver() && System.nanoTime() - until < 0) {
            try {
                if (enterAgain()) return true;
            } catch (SQLException e) {
                log.debug("node {}: {}", node.id(), e.getMessage());
                if (TAKEN_FOR_DEAD.equals(e.getSQLState())) return false;
            }
            try {
                TimeUnit.MILLISECONDS.sleep(200);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return false;
    }

    /** False if somebody else has the lock now, perhaps for a moment. */
    private boolean enterAgain() throws SQLException {
        KeptSession opened = open(source);
        boolean back = false;
        try (ResultSet row = opened.query(PRESENT, node.id())) {
            if (!row.next()) throw new SQLException("node " + node.id() + " was taken for dead", TAKEN_FOR_DEAD);
            back = row.getBoolean(1);
            if (back) listen(opened, node.id());
        } finally {
            if (back) session = opened;
            else opened.close();
        }
        if (back) node.alarm().ring();
        return back;
    }

    /** The node leaves. What it could not end goes on elsewhere, as after its death. */
    void leave() {
        Set<Integer> namespaces = new LinkedHashSet<>();
        try (KeptSession last = new KeptSession(source.getConnection())) {
            while (reap(last, node.id(), namespaces) >= REAPED) log.debug("node {} gives back more", node.id());
            last.update(LEAVE, node.id());
            Integer[] all = node.served().keySet().toArray(Integer[]::new);
            last.update(RING, (Object) all);
        } catch (SQLException e) {
            log.warn("node {} could not say that it leaves; others will notice: {}", node.id(), e.getMessage());
        }
        close();
    }

    /** Ends the session. */
    void close() {
        KeptSession open = session;
        session = null;
        if (open != null) open.close();
    }
}
