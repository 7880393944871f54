package dev.howdah.job;

import dev.howdah.internal.node.NodePresence;
import dev.howdah.internal.sql.ConnectionSource;
import dev.howdah.internal.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps a node of jobs among the living; every two seconds it looks for nodes that have died, and for what was done by hand. */
final class Presence extends NodePresence<JobSession> {
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

    /** After this a look is taken again at what a dead node's last transactions have kept. */
    private static final int REST_MILLIS = 100;

    private static final int ORPHANS_EVERY = 10;

    private final ConnectionSource source;
    private final NodeState node;
    private final Reaper reaper;
    private final Set<String> queues;
    private final Errands errands;
    private final Set<Long> cancelled = new HashSet<>();
    private int lanesSeen = -1;
    private int watches;

    /**
     * @param session from {@link #open}, in which the node has entered
     * @param lost called once, in the thread of the presence, when the node is not there any more
     */
    Presence(
            ConnectionSource source,
            JobSession session,
            NodeState node,
            Set<String> queues,
            Errands errands,
            Runnable lost) {
        super(session, lost);
        this.source = source;
        this.node = node;
        this.reaper = new Reaper(node);
        this.queues = queues;
        this.errands = errands;
    }

    /** A session that listens, and whose silence ends it. */
    static JobSession open(ConnectionSource source) throws SQLException {
        JobSession opened = JobSession.open(source.forListening());
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

    @Override
    protected int id() {
        return node.id();
    }

    @Override
    protected boolean isOver() {
        return node.isOver();
    }

    @Override
    protected JobSession open() throws SQLException {
        return open(source);
    }

    @Override
    protected Sql present() {
        return PRESENT;
    }

    @Override
    protected void back() {
        node.round().wake(0);
    }

    @Override
    protected void heard(JobSession open, PGNotification[] notes) {
        for (PGNotification each : notes) heard(each);
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

    @Override
    protected int watch(JobSession open) throws SQLException {
        node.runner().interruptOverdue();
        Set<Integer> dead = new LinkedHashSet<>(reaper.unfinished());
        boolean byHand;
        try (ResultSet row = open.query(WATCH, node.id())) {
            row.next();
            if (!row.getBoolean(1)) throw takenForDead();
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
                end(open, SILENT, Integer.toString(SILENCE_MILLIS));
            lookForForgotten(open);
            try (ResultSet row = open.query(ORPHANS)) {
                while (row.next()) dead.add(row.getInt(1));
            }
        }
        for (int each : dead) reaper.bringHome(open, each);
        return reaper.unfinished().isEmpty() ? WATCH_MILLIS : REST_MILLIS;
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
        List<@Nullable Long> tokens = new ArrayList<>();
        try (ResultSet row = last.query(MINE, node.id())) {
            while (row.next()) {
                rest.add(row.getLong(1));
                tokens.add(row.getObject(3, Long.class));
            }
        }
        if (!rest.isEmpty())
            last.update(REAP, node.id(), rest.size(), rest.toArray(Long[]::new), tokens.toArray(Long[]::new));
    }
}
