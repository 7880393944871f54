package dev.howdah.process.internal.node;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.node.ForeignLocks;
import dev.howdah.internal.node.NodeIdentity;
import dev.howdah.internal.node.NodePresence;
import dev.howdah.internal.sql.AdvisoryLock;
import dev.howdah.internal.sql.Sql;
import dev.howdah.process.internal.step.NamespaceSlots;
import dev.howdah.process.internal.store.ProcessSql;
import dev.howdah.process.internal.worker.StepRunner;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps a node of processes among the living; every two seconds it looks for nodes that have died. */
final class ProcessPresence extends NodePresence<DedicatedSession> {
    private static final Logger log = LoggerFactory.getLogger(ProcessPresence.class);
    private static final Sql ENTER = ProcessSql.NODE.statement("process_node_enter");
    private static final Sql PRESENT = ProcessSql.NODE.statement("process_node_present");
    private static final Sql WATCH = ProcessSql.NODE.statement("process_node_watch");
    private static final Sql ENTER_ELSEWHERE = ProcessSql.NODE.statement("process_node_enter_elsewhere");
    private static final Sql REPLACED = ProcessSql.NODE.statement("process_node_replaced");
    private static final Sql IS_THERE = ProcessSql.NODE.statement("process_node_is_there");
    private static final Sql DEATH = ProcessSql.NODE.statement("process_node_death");
    private static final Sql LEAVE = ProcessSql.NODE.statement("process_node_leave");
    private static final Sql ORPHANS = ProcessSql.NODE.statement("process_node_orphans");
    private static final Sql REAP = ProcessSql.NODE.statement("process_node_reap");
    private static final Sql MINE = ProcessSql.NODE.statement("process_node_mine");
    private static final Sql GIVE_BACK = ProcessSql.NODE.statement("process_node_give_back");
    private static final Sql REPLIES_GONE = ProcessSql.NODE.statement("process_node_replies_gone");
    private static final Sql RING = ProcessSql.STEP.statement("step_ring");
    private static final String WORK = "howdah_process";
    private static final int WATCH_MILLIS = 2_000;
    private static final int REAPED = 500;
    private static final int ORPHANS_EVERY = 10;
    private static final int FOREIGN_EVERY = 3;
    private static final long PATIENCE_MILLIS = 50;

    private final ConnectionSource source;
    private final StepRunner node;
    private final ForeignLocks foreignLocks = new ForeignLocks(
            AdvisoryLock.PROCESS_NODE,
            "howdah.process_node",
            AdvisoryLock.OUTBOX_PUBLISHER,
            AdvisoryLock.PROCESS_MAINTENANCE);
    private int watches;

    /**
     * @param session from {@link #open}, in which the node has entered
     * @param successor whether this program was another node before
     * @param lost called once, in the thread of the presence, when the node is not there any more
     */
    ProcessPresence(
            ConnectionSource source,
            NodeIdentity identity,
            DedicatedSession session,
            StepRunner node,
            boolean successor,
            Runnable lost) {
        super(identity, source.server(), session, successor, lost);
        this.source = source;
        this.node = node;
    }

    /** A session whose silence ends it. */
    static DedicatedSession open(ConnectionSource source) throws SQLException {
        DedicatedSession opened = new DedicatedSession(source.forListening().getConnection());
        try {
            opened.endWhenSilent(SILENCE_MILLIS);
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
    static NodeIdentity enter(DedicatedSession session, String name, @Nullable NodeIdentity former)
            throws SQLException {
        if (former != null) session.update(REPLACED, former.id(), former.incarnation());
        NodeIdentity entered = NodeIdentity.enter(session, ENTER, ENTER_ELSEWHERE, LEAVE, name);
        listen(session, entered.id());
        return entered;
    }

    private static void listen(DedicatedSession session, int node) throws SQLException {
        try (Statement statement = session.connection().createStatement()) {
            statement.execute("LISTEN " + WORK);
            statement.execute("LISTEN " + WORK + "_" + node);
        }
    }

    @Override
    protected boolean isOver() {
        return node.isOver();
    }

    @Override
    protected DedicatedSession open() throws SQLException {
        DedicatedSession opened = open(source);
        try {
            listen(opened, node.id());
            return opened;
        } catch (SQLException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    @Override
    protected Sql present() {
        return PRESENT;
    }

    @Override
    protected void back() {
        node.alarm().ring();
    }

    @Override
    protected void heard(DedicatedSession open, PGNotification[] notes) throws SQLException {
        Set<Long> ended = new HashSet<>();
        boolean rung = false;
        for (PGNotification note : notes) {
            if (note.getName().equals(WORK)) rung = true;
            else addNumber(note.getParameter(), ended);
        }
        if (rung) node.alarm().ring();
        if (!ended.isEmpty()) node.callers().heard(ended, open);
    }

    @Override
    protected int watch(DedicatedSession open) throws SQLException {
        long began = System.nanoTime();
        Map<Integer, Integer> free;
        try (ResultSet row = open.query(WATCH, id(), incarnation())) {
            row.next();
            if (!row.getBoolean(1)) throw takenForDead();
            free = freeLocks(row, 2, 3);
        }
        Set<Integer> dead = deaths().dead(free);
        boolean thorough = watches % ORPHANS_EVERY == 0;
        if (thorough) {
            try (ResultSet row = open.query(ORPHANS)) {
                while (row.next()) dead.add(row.getInt(1));
            }
            open.update(REPLIES_GONE);
        }
        if (node.mayHaveForgottenSince() || thorough) giveBackForgotten(open);
        for (int each : dead) bringHome(open, each, free.getOrDefault(each, 0), false);
        if (watches++ % FOREIGN_EVERY == 0) {
            endSilent(open, AdvisoryLock.PROCESS_NODE);
            for (int each : foreignLocks.look(open)) bringHome(open, each, 0, true);
        }
        long nanos = System.nanoTime() - began;
        for (NamespaceSlots each : node.served().values()) each.meter().watched(nanos);
        return deaths().pause(WATCH_MILLIS);
    }

    /** Processes that the node took without knowing: a session was lost before the answer came. Nothing of them has begun. */
    private void giveBackForgotten(DedicatedSession open) throws SQLException {
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

    /**
     * @param returned how often it had come back when its lock was seen free
     * @param foreign whether a session that is no node's holds its lock
     */
    private void bringHome(DedicatedSession open, int dead, int returned, boolean foreign) throws SQLException {
        if (dead == node.id()) return;
        Boolean counts = null;
        Connection connection = open.connection();
        Map<Integer, Integer> namespaces = new LinkedHashMap<>();
        connection.setAutoCommit(false);
        try {
            for (int reaped = REAPED; reaped >= REAPED; ) {
                try (ResultSet row = open.query(DEATH, dead, returned, foreign)) {
                    if (!row.next() || !row.getBoolean(1)) return;
                    // Its row says so only until it is deleted.
                    if (counts == null) counts = row.getBoolean(2);
                }
                // First of all: once a part of what it had is gone it must not come back.
                open.update(LEAVE, dead);
                reaped = reap(open, dead, counts, namespaces);
                connection.commit();
            }
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
        int processes = namespaces.values().stream().mapToInt(each -> each).sum();
        log.info("node {} crashed; the {} processes that it had continue", dead, processes);
        namespaces.forEach((namespace, count) -> {
            NamespaceSlots served = node.served().get(namespace);
            if (served != null) served.meter().recovered(count);
        });
        if (!namespaces.isEmpty())
            open.update(RING, (Object) namespaces.keySet().toArray(Integer[]::new));
        // Its timers were nobody's concern yet who sleeps: all look again.
        node.alarm().ring();
    }

    /** @param namespaces how many processes of each, to be added to */
    private static int reap(DedicatedSession open, int dead, boolean counts, Map<Integer, Integer> namespaces)
            throws SQLException {
        int reaped = 0;
        try (ResultSet row = open.query(REAP, dead, REAPED, counts)) {
            while (row.next()) {
                namespaces.merge(row.getInt(1), 1, Integer::sum);
                reaped++;
            }
        }
        return reaped;
    }

    /** The node leaves. What it could not end goes on elsewhere, as after its death. */
    void leave() {
        Map<Integer, Integer> namespaces = new LinkedHashMap<>();
        try (DedicatedSession last = new DedicatedSession(source.getConnection())) {
            if (isThere(last, IS_THERE)) {
                while (reap(last, node.id(), true, namespaces) >= REAPED)
                    log.debug("node {} gives back more", node.id());
                last.update(LEAVE, node.id());
            }
            Integer[] all = node.served().keySet().toArray(Integer[]::new);
            last.update(RING, (Object) all);
        } catch (SQLException e) {
            log.warn("node {} could not say that it leaves; others will notice: {}", node.id(), e.getMessage());
        }
        close();
    }
}
