package dev.howdah.job.internal.node;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.node.ForeignLocks;
import dev.howdah.internal.node.NodeIdentity;
import dev.howdah.internal.node.NodePresence;
import dev.howdah.internal.sql.AdvisoryLock;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.claim.NodeContext;
import dev.howdah.job.internal.maintain.JobMaintenance;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps a node of jobs among the living; every two seconds it looks for nodes that have died, and for what was done by hand. */
public final class JobPresence extends NodePresence<JobSession> {
    private static final Logger log = LoggerFactory.getLogger(JobPresence.class);
    private static final Sql ENTER = JobSql.NODE.statement("node_enter");
    private static final Sql ENTER_ELSEWHERE = JobSql.NODE.statement("node_enter_elsewhere");
    private static final Sql REPLACED = JobSql.NODE.statement("node_replaced");
    private static final Sql PRESENT = JobSql.NODE.statement("node_present");
    private static final Sql WATCH = JobSql.NODE.statement("node_watch");
    private static final Sql KEYS_LATE = JobSql.NODE.statement("key_settle_late");
    private static final Sql CANCELLATIONS = JobSql.NODE.statement("cancellation_list");
    private static final Sql IS_THERE = JobSql.NODE.statement("node_is_there");
    private static final Sql LEAVE = JobSql.NODE.statement("node_leave");
    private static final Sql ORPHANS = JobSql.NODE.statement("node_orphans");
    private static final Sql REAP = JobSql.JOB.statement("batch_reap");
    private static final Sql MINE = JobSql.JOB.statement("batch_mine");
    private static final Sql RING = JobSql.JOB.statement("lane_ring");
    private static final String JOBS = "howdah_job";
    private static final String CANCEL = "howdah_job_cancel";
    private static final int WATCH_MILLIS = 2_000;

    /** After this a look is taken again at what a dead node's last transactions have kept. */
    private static final int REST_MILLIS = 100;

    private static final int ORPHANS_EVERY = 10;
    private static final int FOREIGN_EVERY = 3;

    private final ConnectionSource source;
    private final NodeContext node;
    private final JobRescuer reaper;
    private final ForeignLocks foreignLocks = new ForeignLocks(
            AdvisoryLock.JOB_NODE,
            "howdah.node",
            AdvisoryLock.JOB_MAINTENANCE,
            AdvisoryLock.JOB_LIMIT,
            AdvisoryLock.JOB_LIMIT_WAIT);
    private final Set<String> queues;
    private final JobMaintenance errands;
    private int lanesSeen = -1;
    private int watches;

    /**
     * @param session from {@link #open}, in which the node has entered
     * @param successor whether this program was another node before
     * @param lost called once, in the thread of the presence, when the node is not there any more
     */
    JobPresence(
            ConnectionSource source,
            NodeIdentity identity,
            JobSession session,
            NodeContext node,
            Set<String> queues,
            JobMaintenance errands,
            boolean successor,
            Runnable lost) {
        super(identity, source.server(), session, successor, lost);
        this.source = source;
        this.node = node;
        this.reaper = new JobRescuer(node);
        this.queues = queues;
        this.errands = errands;
    }

    /** A session that listens, and whose silence ends it. */
    public static JobSession open(ConnectionSource source) throws SQLException {
        JobSession opened = JobSession.open(source.forListening());
        try {
            opened.endWhenSilent(SILENCE_MILLIS);
            try (Statement statement = opened.connection().createStatement()) {
                statement.execute("LISTEN " + JOBS);
                statement.execute("LISTEN " + CANCEL);
                statement.execute("LISTEN " + JobMaintenance.SCHEDULE_CHANGED);
                statement.execute("LISTEN " + JobMaintenance.ORDER);
            }
            return opened;
        } catch (SQLException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    /**
     * A new node, alive for as long as that session.
     *
     * @param former the node that this program was before; null: none
     */
    public static NodeIdentity enter(JobSession session, String name, @Nullable NodeIdentity former)
            throws SQLException {
        if (former != null) session.update(REPLACED, former.id(), former.incarnation());
        return NodeIdentity.enter(session, ENTER, ENTER_ELSEWHERE, LEAVE, name);
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
        node.polls().wake(0);
    }

    /**
     * Any role that may connect can send these, and many of them: each channel and lane counts once, and nothing is done but to
     * look.
     */
    @Override
    protected void heard(JobSession open, PGNotification[] notes) throws SQLException {
        Set<String> channels = new HashSet<>();
        Set<Long> lanes = new HashSet<>();
        Set<Long> jobs = new HashSet<>();
        for (PGNotification each : notes) {
            channels.add(each.getName());
            if (each.getName().equals(JOBS)) addNumber(each.getParameter(), lanes);
            else if (each.getName().equals(CANCEL)) addNumber(each.getParameter(), jobs);
        }
        for (String each : channels) errands.heard(each);
        if (!lanes.isEmpty()) node.polls().wakeAny(lanes);
        if (!jobs.isEmpty() && node.cancellations().hasAny(jobs)) lookForCancelled(open);
    }

    @Override
    protected int watch(JobSession open) throws SQLException {
        node.runner().interruptOverdue();
        Set<Integer> dead = new LinkedHashSet<>(reaper.unfinished());
        Map<Integer, Integer> free;
        boolean byHand;
        try (ResultSet row = open.query(WATCH, id(), incarnation())) {
            row.next();
            if (!row.getBoolean(1)) throw takenForDead();
            free = freeLocks(row, 2, 9);
            dead.addAll(deaths().dead(free));
            int lanes = row.getInt(3);
            if (lanes != lanesSeen) node.refreshLanes(open, queues);
            lanesSeen = lanes;
            byHand = row.getBoolean(5);
            errands.watched(row, 6);
            node.limits().learn(row.getString(8));
        }
        if (byHand) handWork(open);
        if (watches++ % ORPHANS_EVERY == 0) {
            lookForForgotten(open);
            try (ResultSet row = open.query(ORPHANS)) {
                while (row.next()) dead.add(row.getInt(1));
            }
        }
        for (int each : dead) reaper.bringHome(open, each, free.getOrDefault(each, 0), false);
        if (watches % FOREIGN_EVERY == 1) {
            endSilent(open, AdvisoryLock.JOB_NODE);
            for (int each : foreignLocks.look(open)) reaper.bringHome(open, each, 0, true);
        }
        return reaper.unfinished().isEmpty() ? deaths().pause(WATCH_MILLIS) : REST_MILLIS;
    }

    private void lookForForgotten(JobSession open) throws SQLException {
        try {
            if (!node.isStopping()) node.fence().lookForForgotten(open);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for no lock, however long another session keeps the rows that it would write. */
    private void handWork(JobSession open) throws SQLException {
        open.update(KEYS_LATE);
        lookForCancelled(open);
    }

    /** What is to end stands in a table: a notification alone ends nothing. */
    private void lookForCancelled(JobSession open) throws SQLException {
        Set<Long> cancelled = new HashSet<>();
        try (ResultSet row = open.query(CANCELLATIONS, node.id())) {
            while (row.next()) cancelled.add(row.getLong(1));
        }
        node.cancellations().cancel(cancelled);
    }

    /** The node leaves, and needs no rescue. Rings for sleeping nodes, because it may have put back jobs. */
    void leave() {
        try (JobSession last = JobSession.open(source)) {
            if (isThere(last, IS_THERE)) giveBackRest(last);
            last.update(RING, (Object) node.polls().laneIds());
            if (isThere(last, IS_THERE)) last.update(LEAVE, node.id());
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
            last.update(REAP, node.id(), rest.size(), rest.toArray(Long[]::new), tokens.toArray(Long[]::new), false);
    }
}
