package dev.howdah.process;

import dev.howdah.internal.node.NodePresence;
import dev.howdah.internal.sql.ConnectionSource;
import dev.howdah.internal.sql.KeptSession;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps a node of processes among the living; every two seconds it looks for nodes that have died. */
final class Presence extends NodePresence<KeptSession> {
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
    private static final int REAPED = 500;
    private static final int ORPHANS_EVERY = 10;
    private static final long PATIENCE_MILLIS = 50;

    private final ConnectionSource source;
    private final Node node;
    private int watches;

    /**
     * @param session from {@link #open}, in which the node has entered
     * @param lost called once, in the thread of the presence, when the node is not there any more
     */
    Presence(ConnectionSource source, KeptSession session, Node node, Runnable lost) {
        super(session, lost);
        this.source = source;
        this.node = node;
    }

    /** A session whose silence ends it. */
    static KeptSession open(ConnectionSource source) throws SQLException {
        KeptSession opened = new KeptSession(source.forListening().getConnection());
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
    protected int id() {
        return node.id();
    }

    @Override
    protected boolean isOver() {
        return node.isOver();
    }

    @Override
    protected KeptSession open() throws SQLException {
        KeptSession opened = open(source);
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
    protected void heard(KeptSession open, PGNotification[] notes) throws SQLException {
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

    @Override
    protected int watch(KeptSession open) throws SQLException {
        long began = System.nanoTime();
        Set<Integer> dead = new LinkedHashSet<>();
        try (ResultSet row = open.query(WATCH, node.id())) {
            row.next();
            if (!row.getBoolean(1)) throw takenForDead();
            for (Integer each : (Integer[]) row.getArray(2).getArray()) dead.add(each);
        }
        boolean thorough = watches++ % ORPHANS_EVERY == 0;
        if (thorough) {
            if (open.connection().getMetaData().getDatabaseMajorVersion() < 14)
                end(open, SILENT, Integer.toString(SILENCE_MILLIS));
            try (ResultSet row = open.query(ORPHANS)) {
                while (row.next()) dead.add(row.getInt(1));
            }
            open.update(REPLIES_GONE);
        }
        if (node.mayHaveForgottenSince() || thorough) giveBackForgotten(open);
        for (int each : dead) bringHome(open, each);
        long nanos = System.nanoTime() - began;
        for (Served each : node.served().values()) each.meter().watched(nanos);
        return WATCH_MILLIS;
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
        Map<Integer, Integer> namespaces = new LinkedHashMap<>();
        connection.setAutoCommit(false);
        try {
            for (int reaped = REAPED; reaped >= REAPED; ) {
                try (ResultSet row = open.query(DEATH, dead)) {
                    if (!row.next() || !row.getBoolean(1)) return;
                }
                // First of all: once a part of what it had is gone it must not come back.
                open.update(LEAVE, dead);
                reaped = reap(open, dead, namespaces);
                connection.commit();
            }
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
        int processes = namespaces.values().stream().mapToInt(each -> each).sum();
        log.info("node {} has died; {} processes that it worked on go on", dead, processes);
        namespaces.forEach((namespace, count) -> {
            Served served = node.served().get(namespace);
            if (served != null) served.meter().recovered(count);
        });
        if (!namespaces.isEmpty())
            open.update(RING, (Object) namespaces.keySet().toArray(Integer[]::new));
        // Its timers were nobody's concern yet who sleeps: all look again.
        node.alarm().ring();
    }

    /** @param namespaces how many processes of each, to be added to */
    private static int reap(KeptSession open, int dead, Map<Integer, Integer> namespaces) throws SQLException {
        int reaped = 0;
        try (ResultSet row = open.query(REAP, dead, REAPED)) {
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
}
