package dev.howdah.job;

import dev.howdah.internal.conninfo.ListenSource;
import dev.howdah.internal.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
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
    private static final Sql ENTER = JobSession.NODE.statement("enter");
    private static final Sql PRESENT = JobSession.NODE.statement("present");
    private static final Sql WATCH = JobSession.NODE.statement("watch");
    private static final Sql KEYS_LATE = JobSession.NODE.statement("keys_late");
    private static final Sql CANCELLATIONS = JobSession.NODE.statement("cancellations");
    private static final Sql SILENT = JobSession.NODE.statement("silent");
    private static final Sql LEAVE = JobSession.NODE.statement("leave");
    private static final Sql ORPHANS = JobSession.NODE.statement("orphans");
    private static final Sql REAP = JobSession.JOB.statement("reap");
    private static final Sql MINE = JobSession.JOB.statement("mine");
    private static final Sql RING = JobSession.JOB.statement("ring");
    private static final int WATCH_MILLIS = 2_000;
    private static final int SILENCE_MILLIS = 10_000;
    /** An SQLSTATE of our own use: the session's end was somebody's decision. */
    private static final String TAKEN_FOR_DEAD = "57P05";

    /** After this a look is taken again at what a dead node's last transactions have kept. */
    private static final int REST_MILLIS = 100;

    private static final int ORPHANS_EVERY = 10;

    private final DataSource source;
    private final NodeState node;
    private final Reaper reaper;
    private final Set<String> queues;
    private final Errands errands;
    private final Runnable lost;
    private final Set<Long> cancelled = new HashSet<>();
    private volatile @Nullable JobSession session;
    private int lanesSeen = -1;
    private int watches;

    /**
     * @param session from {@link #open}, in which the node has entered
     * @param lost called once, in the thread of the presence, when the node is not there any more
     */
    Presence(
            DataSource source, JobSession session, NodeState node, Set<String> queues, Errands errands, Runnable lost) {
        this.source = source;
        this.session = session;
        this.node = node;
        this.reaper = new Reaper(node);
        this.queues = queues;
        this.errands = errands;
        this.lost = lost;
    }

    /** A session that listens, and whose silence ends it. */
    static JobSession open(DataSource source) throws SQLException {
        JobSession opened = JobSession.open(ListenSource.of(source));
        try {
            opened.endWhenSilent(SILENCE_MILLIS);
            try (Statement statement = opened.connection().createStatement()) {
                statement.execute("LISTEN howdah_job");
                statement.execute("LISTEN howdah_job_cancel");
                statement.execute("LISTEN " + Errands.SCHEDULE_CHANGED);
                statement.execute("LISTEN " + Errands.ORDER);
            }
            return opened;
        } catch (SQLException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    /** A new node, alive for as long as that session; its number. */
    static int enter(JobSession session, String name) throws SQLException {
        try (ResultSet row = session.query(ENTER, name)) {
            row.next();
            return row.getInt(1);
        }
    }

    /** Takes the lock of the node again; false if somebody else has it now, perhaps for a moment. */
    private boolean enterAgain() throws SQLException {
        JobSession opened = open(source);
        boolean back = false;
        try (ResultSet row = opened.query(PRESENT, node.id())) {
            if (!row.next()) throw new SQLException("node " + node.id() + " was taken for dead", TAKEN_FOR_DEAD);
            back = row.getBoolean(1);
        } finally {
            if (back) session = opened;
            else opened.close();
        }
        if (back) node.round().wake(0);
        return back;
    }

    @Override
    public void run() {
        while (!node.isOver()) {
            try {
                JobSession open = session;
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

    private void stay(JobSession open) throws SQLException {
        PGConnection notified = open.connection().unwrap(PGConnection.class);
        while (!node.isOver()) {
            watch(open);
            int pause = reaper.unfinished().isEmpty() ? WATCH_MILLIS : REST_MILLIS;
            long until = System.nanoTime() + pause * 1_000_000L;
            for (long left = pause; left > 0; left = (until - System.nanoTime()) / 1_000_000)
                for (PGNotification each : notified.getNotifications((int) left)) heard(each);
        }
    }

    private void heard(PGNotification note) {
        if (errands.heard(note.getName())) return;
        try {
            if (note.getName().equals("howdah_job")) node.round().wake(Integer.parseInt(note.getParameter()));
            else {
                cancelled.add(Long.parseLong(note.getParameter()));
                node.cancel(cancelled);
            }
        } catch (NumberFormatException e) {
            log.debug("a notification on {} that is none of ours: {}", note.getName(), note.getParameter());
        }
    }

    private void watch(JobSession open) throws SQLException {
        node.runner().interruptOverdue();
        Set<Integer> dead = new LinkedHashSet<>(reaper.unfinished());
        boolean byHand;
        try (ResultSet row = open.query(WATCH, node.id())) {
            row.next();
            if (!row.getBoolean(1)) throw new SQLException("node " + node.id() + " was taken for dead", TAKEN_FOR_DEAD);
            for (Integer each : (Integer[]) row.getArray(2).getArray()) dead.add(each);
            int lanes = row.getInt(3);
            if (lanes != lanesSeen) node.refreshLanes(open, queues);
            lanesSeen = lanes;
            byHand = row.getBoolean(5);
            errands.watched(row, 6);
            node.limits().learn(row.getString(8));
        }
        if (byHand || !cancelled.isEmpty()) handWork(open);
        if (watches++ % ORPHANS_EVERY == 0) {
            if (open.connection().getMetaData().getDatabaseMajorVersion() < 14)
                Reaper.end(open, SILENT, Integer.toString(SILENCE_MILLIS));
            lookForForgotten(open);
            try (ResultSet row = open.query(ORPHANS)) {
                while (row.next()) dead.add(row.getInt(1));
            }
        }
        for (int each : dead) reaper.bringHome(open, each);
    }

    private void lookForForgotten(JobSession open) throws SQLException {
        try {
            if (!node.isStopping()) node.lookForForgotten(open);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for nobody, however long somebody keeps what it would have to write to. */
    private void handWork(JobSession open) throws SQLException {
        open.update(KEYS_LATE);
        cancelled.clear();
        try (ResultSet row = open.query(CANCELLATIONS, node.id())) {
            while (row.next()) cancelled.add(row.getLong(1));
        }
        node.cancel(cancelled);
    }

    /** Takes the lock again, unless somebody has brought home what the node had, or it takes too long. */
    private boolean comeBack() {
        long until = System.nanoTime() + SILENCE_MILLIS * 1_000_000L;
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

    /** The node leaves: nobody has to bring anything home. Rings for those who sleep, as it may have put back jobs. */
    void leave() {
        try (JobSession last = JobSession.open(source)) {
            giveBackRest(last);
            last.update(RING, (Object) node.round().laneIds());
            last.update(LEAVE, node.id());
        } catch (SQLException e) {
            log.warn("node {} could not say that it leaves; others will notice: {}", node.id(), e.getMessage());
        }
        close();
    }

    /** What could not be written down goes back, and counts for nothing. */
    private void giveBackRest(JobSession last) throws SQLException {
        List<Long> rest = new ArrayList<>();
        try (ResultSet row = last.query(MINE, node.id())) {
            while (row.next()) rest.add(row.getLong(1));
        }
        if (!rest.isEmpty()) last.update(REAP, node.id(), rest.size(), rest.toArray(Long[]::new));
    }

    /** Ends the session. */
    void close() {
        JobSession open = session;
        session = null;
        if (open != null) open.close();
    }
}
