package dev.howdah.process.internal.node;

import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.connection.ServerWatch;
import dev.howdah.internal.node.ClaimRecovery;
import dev.howdah.internal.node.NodeMember;
import dev.howdah.internal.node.NodeMembership;
import dev.howdah.internal.node.NodePresence;
import dev.howdah.internal.sql.AdvisoryLock;
import dev.howdah.internal.sql.Sql;
import dev.howdah.process.internal.step.NamespaceSlots;
import dev.howdah.process.internal.store.ProcessSql;
import dev.howdah.process.internal.worker.StepRunner;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Processes as a part of a node: the recovery of the processes of dead nodes, and the answers to callers at this one. */
final class ProcessMember implements NodeMember {
    private static final Logger log = LoggerFactory.getLogger(ProcessMember.class);
    private static final Sql ORPHANS = ProcessSql.NODE.statement("process_orphans");
    private static final Sql MINE = ProcessSql.NODE.statement("process_mine");
    private static final Sql GIVE_BACK = ProcessSql.NODE.statement("process_give_back");
    private static final Sql REPLIES_GONE = ProcessSql.NODE.statement("process_replies_gone");
    private static final Sql RING = ProcessSql.STEP.statement("step_ring");
    private static final Sql SERVES = ProcessSql.NODE.statement("process_serves");
    private static final String WORK = "howdah_process";

    private final StepRunner node;
    private final String incarnation;
    private final NodeMembership membership;
    private final ServerWatch server;
    private long runSoFar;

    /** @param incarnation of the node */
    ProcessMember(StepRunner node, String incarnation, NodeMembership membership, ServerWatch server) {
        this.node = node;
        this.incarnation = incarnation;
        this.membership = membership;
        this.server = server;
    }

    StepRunner node() {
        return node;
    }

    /** A part that only calls has claimed nothing: what is claimed as this node is another part's. */
    private boolean isCaller() {
        return node.served().isEmpty();
    }

    /** Says in the row of the node what it works; a part that only calls leaves what another one says. */
    void say(DedicatedSession open, boolean leaves) throws SQLException {
        open.update(
                SERVES,
                node.id(),
                incarnation,
                leaves
                        ? new String[0]
                        : node.worked().map(each -> each.namespace().name()).toArray(String[]::new),
                leaves
                        ? new Integer[0]
                        : node.worked()
                                .map(each -> each.namespace().concurrency())
                                .toArray(Integer[]::new),
                ProcessMember.class.getPackage().getImplementationVersion(),
                !isCaller());
    }

    @Override
    public String feature() {
        return ProcessSql.FEATURE;
    }

    @Override
    public ServerWatch server() {
        return server;
    }

    private String answers() {
        return WORK + "_" + node.id();
    }

    @Override
    public List<String> channels() {
        return List.of(WORK, answers());
    }

    @Override
    public Map<AdvisoryLock, String> locks() {
        return Map.of(
                AdvisoryLock.OUTBOX_PUBLISHER,
                "howdah_internal.process",
                AdvisoryLock.PROCESS_MAINTENANCE,
                "howdah_internal.process");
    }

    @Override
    public void back() {
        node.signal().ring();
    }

    @Override
    public void heard(DedicatedSession open, PGNotification[] notifications) throws SQLException {
        Set<Long> ended = new HashSet<>();
        boolean rung = false;
        for (PGNotification each : notifications) {
            if (each.getName().equals(WORK)) rung = true;
            else if (each.getName().equals(answers())) NodePresence.addNumber(each.getParameter(), ended);
        }
        if (rung) node.signal().ring();
        if (!ended.isEmpty()) node.callers().heard(ended, open);
    }

    @Override
    public boolean isIdle() {
        long before = runSoFar;
        runSoFar = node.everRun();
        return runSoFar == before && node.isIdle();
    }

    @Override
    public Set<Integer> look(DedicatedSession open, boolean thorough) throws SQLException {
        Set<Integer> orphans = new HashSet<>();
        if (thorough) {
            try (ResultSet row = open.query(ORPHANS)) {
                while (row.next()) orphans.add(row.getInt(1));
            }
            open.update(REPLIES_GONE);
        }
        // What a part that has left took in its last moment is given back by one that only calls; none joins during a
        // look.
        if ((node.fence().isSuspicious() || thorough) && (!isCaller() || !membership.isClaimed()))
            tryGiveBackForgotten(open);
        return orphans;
    }

    @Override
    public void looked(long nanos) {
        for (NamespaceSlots each : node.served().values()) each.meter().watched(nanos);
    }

    private void tryGiveBackForgotten(DedicatedSession open) throws SQLException {
        try {
            if (!node.fence().tryCompare(() -> giveBackForgotten(open)))
                node.fence().suspect();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Processes that the node took without knowing: a session was lost before the answer came. Nothing of them has begun. */
    private void giveBackForgotten(DedicatedSession open) throws SQLException {
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
        node.signal().ring();
    }

    @Override
    public ClaimRecovery recovery(int dead) {
        return new ProcessRecovery(node, dead);
    }

    /** Processes whose steps have not ended go on elsewhere, as after a crash. */
    @Override
    public void leave(DedicatedSession open, boolean present) throws SQLException {
        if (present && !isCaller()) {
            say(open, true);
            ClaimRecovery rest = new ProcessRecovery(node, node.id());
            while (rest.next(open, true)) log.debug("node {} gives back more", node.id());
        }
        open.update(RING, (Object) node.served().keySet().toArray(Integer[]::new));
    }
}
