package dev.howdah.job.internal.node;

import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.connection.ServerWatch;
import dev.howdah.internal.node.ClaimRecovery;
import dev.howdah.internal.node.NodeMember;
import dev.howdah.internal.node.NodePresence;
import dev.howdah.internal.sql.AdvisoryLock;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.claim.NodeContext;
import dev.howdah.job.internal.maintain.JobMaintenance;
import dev.howdah.job.internal.store.JobSql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGNotification;

/** Jobs as a part of a node: the recovery of the jobs of dead nodes, and what operators have changed. */
final class JobMember implements NodeMember {
    private static final Sql BELLS = JobSql.NODE.statement("bell_answer");
    private static final String WATCH = JobSql.NODE.text("job_watch");
    private static final Sql KEYS_LATE = JobSql.NODE.statement("key_settle_late");
    private static final Sql CANCELLATIONS = JobSql.NODE.statement("cancellation_list");
    private static final Sql ORPHANS = JobSql.NODE.statement("batch_orphans");
    private static final Sql GIVE_BACK = JobSql.JOB.statement("batch_give_back");
    private static final Sql MINE = JobSql.JOB.statement("batch_mine");
    private static final Sql RING = JobSql.JOB.statement("lane_ring");
    private static final String JOBS = "howdah_job";
    private static final String CANCEL = "howdah_job_cancel";

    private final NodeContext node;
    private final ServerWatch server;
    private final Set<String> queues;
    private final JobMaintenance maintenance;
    private long openedSoFar;
    private final LaneLook lanes = new LaneLook();
    private boolean byHand;
    private boolean bells;
    private @Nullable String limits;

    JobMember(NodeContext node, ServerWatch server, Set<String> queues, JobMaintenance maintenance) {
        this.node = node;
        this.server = server;
        this.queues = queues;
        this.maintenance = maintenance;
    }

    NodeContext node() {
        return node;
    }

    @Override
    public String feature() {
        return JobSql.FEATURE;
    }

    @Override
    public ServerWatch server() {
        return server;
    }

    @Override
    public List<String> channels() {
        return List.of(
                JOBS,
                CANCEL,
                JobMaintenance.SCHEDULE_CHANGED,
                JobMaintenance.ORDER,
                JobMaintenance.WORKFLOW,
                JobMaintenance.SIGNAL);
    }

    @Override
    public Map<AdvisoryLock, String> locks() {
        return Map.of(
                AdvisoryLock.JOB_MAINTENANCE, "howdah_internal.batch",
                AdvisoryLock.JOB_LIMIT, "howdah_internal.batch",
                AdvisoryLock.JOB_LIMIT_WAIT, "howdah_internal.batch");
    }

    @Override
    public void back() {
        node.polls().wake(0);
    }

    /**
     * Any role that may connect can send these, and many of them: each channel and lane counts once, and nothing is done but to
     * look.
     */
    @Override
    public void heard(DedicatedSession open, PGNotification[] notifications) throws SQLException {
        Set<String> channels = new HashSet<>();
        Set<Long> lanes = new HashSet<>();
        Set<Long> passedOn = new HashSet<>();
        Set<Long> jobs = new HashSet<>();
        for (PGNotification each : notifications) {
            channels.add(each.getName());
            String number = each.getParameter();
            // Of a node that gives back jobs, or leaves some to others.
            if (each.getName().equals(JOBS) && number.startsWith("+"))
                NodePresence.addNumber(number.substring(1), passedOn);
            else if (each.getName().equals(JOBS)) NodePresence.addNumber(number, lanes);
            else if (each.getName().equals(CANCEL)) NodePresence.addNumber(each.getParameter(), jobs);
        }
        for (String each : channels) maintenance.heard(each);
        // Before the lanes: a job that is claimed from now on is asked for.
        boolean cancelled = !jobs.isEmpty() && node.cancellations().heard(jobs);
        if (!passedOn.isEmpty()) node.polls().wakeAny(passedOn);
        if (!lanes.isEmpty()) node.polls().rung(lanes);
        if (cancelled) lookForCancelled(open);
    }

    @Override
    public String watch() {
        return WATCH;
    }

    @Override
    public void watched(ResultSet row) throws SQLException {
        lanes.told(row.getLong("lanes"));
        node.others(row.getInt("others"));
        byHand = row.getBoolean("by_hand");
        bells = row.getBoolean("bells");
        limits = row.getString("limits");
        maintenance.watched(row);
    }

    @Override
    public boolean isIdle() {
        long before = openedSoFar;
        openedSoFar = node.batches().everOpened();
        return openedSoFar == before && node.batches().open().isEmpty();
    }

    @Override
    public Set<Integer> look(DedicatedSession open, boolean thorough) throws SQLException {
        node.executor().running().interruptOverdue();
        if (lanes.isDue(System.nanoTime(), thorough)) {
            long began = System.nanoTime();
            node.refreshLanes(open, queues);
            lanes.looked(began, System.nanoTime());
        }
        if (node.limits().learn(limits)) node.polls().limitsChanged();
        if (byHand) handWork(open);
        if (bells) open.update(BELLS);
        Set<Integer> orphans = new HashSet<>();
        if (thorough) {
            lookForForgotten(open);
            try (ResultSet row = open.query(ORPHANS)) {
                while (row.next()) orphans.add(row.getInt(1));
            }
        }
        return orphans;
    }

    private void lookForForgotten(DedicatedSession open) throws SQLException {
        try {
            if (!node.isStopping()) node.forgotten().tryGiveBack(open);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for no lock, however long another session keeps the rows that it would write. */
    private void handWork(DedicatedSession open) throws SQLException {
        open.update(KEYS_LATE);
        lookForCancelled(open);
    }

    /** The jobs to cancel stand in a table: a notification alone ends nothing. */
    private void lookForCancelled(DedicatedSession open) throws SQLException {
        Set<Long> cancelled = new HashSet<>();
        try (ResultSet row = open.query(CANCELLATIONS, node.id())) {
            while (row.next()) cancelled.add(row.getLong(1));
        }
        node.cancellations().cancel(cancelled);
    }

    @Override
    public ClaimRecovery recovery(int dead) {
        return new JobRecovery(node, dead);
    }

    /** Rings for sleeping nodes, because this one may have put back jobs. */
    @Override
    public void leave(DedicatedSession open, boolean present) throws SQLException {
        if (present) giveBackRest(open);
        open.update(RING, (Object) node.polls().laneIds());
    }

    /** Jobs whose outcomes could not be written go back, and the attempt is not counted. */
    private void giveBackRest(DedicatedSession last) throws SQLException {
        List<Long> rest = new ArrayList<>();
        List<@Nullable Long> tokens = new ArrayList<>();
        try (ResultSet row = last.query(MINE, node.id())) {
            while (row.next()) {
                rest.add(row.getLong(1));
                tokens.add(row.getObject(3, Long.class));
            }
        }
        if (!rest.isEmpty())
            last.update(
                    GIVE_BACK, node.id(), rest.size(), rest.toArray(Long[]::new), tokens.toArray(Long[]::new), false);
    }
}
