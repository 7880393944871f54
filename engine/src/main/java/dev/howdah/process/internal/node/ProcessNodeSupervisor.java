package dev.howdah.process.internal.node;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.node.NodeMembership;
import dev.howdah.internal.node.NodeSeat;
import dev.howdah.internal.node.NodeSupervisor;
import dev.howdah.internal.run.Threads;
import dev.howdah.process.internal.request.ReplyRegistry;
import dev.howdah.process.internal.step.NamespaceSlots;
import dev.howdah.process.internal.step.ProcessMetrics;
import dev.howdah.process.internal.store.ProcessSql;
import dev.howdah.process.internal.worker.BatchWriter;
import dev.howdah.process.internal.worker.DuePoller;
import dev.howdah.process.internal.worker.StepRunner;
import dev.howdah.process.internal.worker.WriteQueue;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps a node of processes running, and the threads of its periodic work. */
public final class ProcessNodeSupervisor {
    private static final Logger log = LoggerFactory.getLogger(ProcessNodeSupervisor.class);
    private static final int SCRIBES = 2;
    private static final int CLOCKS = 4;
    private static final long OVERDUE_MILLIS = 100;
    private static final long POLL_MILLIS = 250;
    private static final long LAST_MILLIS = 5_000;

    private final ConnectionSource sessions;
    private final ConnectionSource source;
    private final String name;
    private final List<NamespaceSlots> namespaces;
    private final WriteQueue inbox = new WriteQueue();
    private final ReplyRegistry callers;
    private final ProcessMetrics meters;
    private final Threads.Maker threads;
    private final NodeSupervisor<Life> nodes;

    /** A node and the threads that are its own. */
    private record Life(ConnectionSource source, StepRunner node, NodeSeat<ProcessMember> seat, List<Thread> threads) {
        int number() {
            return node.id();
        }

        /** Writes nothing more, and waits for no statement: others have what it worked on. */
        void abandon() {
            node.over();
            source.abortAll();
            node.abandon();
            seat.abandon();
        }
    }

    /** @param sessions where those come from that are kept */
    public ProcessNodeSupervisor(
            ConnectionSource sessions,
            ConnectionSource source,
            String name,
            List<NamespaceSlots> namespaces,
            ProcessMetrics meters,
            Threads.Maker threads) {
        this.threads = threads;
        this.sessions = sessions;
        this.source = source;
        this.name = name;
        this.namespaces = namespaces;
        this.meters = meters;
        NodeMembership membership = new NodeMembership(sessions, name, ProcessSql.FEATURE, !namespaces.isEmpty());
        // An answer to a caller at the own node is told there, and nowhere else.
        this.callers = membership.common(ReplyRegistry.class, ReplyRegistry::new);
        this.nodes = new NodeSupervisor<>(
                "howdah-process-clock",
                CLOCKS,
                membership,
                this::begin,
                Life::number,
                life -> life.node().obstacle(),
                Life::abandon);
    }

    public WriteQueue inbox() {
        return inbox;
    }

    public ReplyRegistry callers() {
        return callers;
    }

    public void start() throws SQLException {
        nodes.start();
        nodes.every(OVERDUE_MILLIS, OVERDUE_MILLIS, TimeUnit.MILLISECONDS, this::endOverdue);
        nodes.every(POLL_MILLIS, POLL_MILLIS, TimeUnit.MILLISECONDS, this::poll);
        if (namespaces.isEmpty()) return;
        nodes.every(
                1,
                FinishedProcessCleaner.PAUSE_SECONDS,
                TimeUnit.SECONDS,
                new FinishedProcessCleaner(sessions, namespaces));
        if (!meters.isOff())
            nodes.every(0, DepthReporter.PAUSE_SECONDS, TimeUnit.SECONDS, new DepthReporter(source, namespaces));
    }

    /** Why it does not work now; null: it does. */
    public @Nullable String obstacle() {
        return nodes.obstacle();
    }

    private Life begin(NodeMembership membership, Runnable lost) throws SQLException {
        ConnectionSource own = sessions.forNode();
        Map<Integer, NamespaceSlots> fresh = new HashMap<>();
        for (NamespaceSlots each : namespaces) fresh.put(each.id(), each.fresh());
        NodeSeat<ProcessMember> seat = membership.join(own, lost, (identity, session) -> {
            StepRunner node = new StepRunner(
                    identity.id(),
                    Map.copyOf(fresh),
                    inbox,
                    callers,
                    threads.named(Threads.prefix(
                            "howdah-process",
                            namespaces.stream()
                                    .map(each -> each.namespace().name())
                                    .toList())));
            ProcessMember member = new ProcessMember(node, identity.incarnation(), membership, own.server());
            member.say(session, false);
            return member;
        });
        StepRunner node = seat.member().node();
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < SCRIBES; i++)
            workers.add(Threads.loop("howdah-process-writer-" + i, new BatchWriter(own, node)));
        if (node.worked().findAny().isPresent())
            workers.add(Threads.loop("howdah-process-poller", new DuePoller(own, node)));
        workers.forEach(Thread::start);
        log.info("node {} ({}) {} processes", node.id(), name, fresh.isEmpty() ? "calls" : "works on");
        return new Life(own, node, seat, workers);
    }

    private void endOverdue() {
        try {
            Life now = nodes.node();
            if (now != null) now.node().endOverdue();
        } catch (RuntimeException e) {
            log.warn("steps that take too long could not be ended: {}", e.toString());
        }
    }

    private void poll() {
        try {
            callers.poll(source);
        } catch (RuntimeException e) {
            log.debug("answers could not be asked for: {}", e.toString());
        }
    }

    /** The number of the node; 0 if there is none now. */
    public int node() {
        return nodes.id();
    }

    /** The namespace as the node works it; null if it does not, or there is no node now. */
    @Nullable
    public NamespaceSlots served(int namespace) {
        Life now = nodes.node();
        return now == null ? null : now.node().served().get(namespace);
    }

    /** There is something to do. */
    public void ring() {
        Life now = nodes.node();
        if (now != null) now.node().signal().ring();
    }

    /** Returns whether there is a node now, whose session can be used. */
    public boolean isWell() {
        return nodes.node() != null;
    }

    /** Takes no more, waits for what runs, interrupts what runs longer, and leaves. */
    public void close(Duration grace) {
        Life last = nodes.close();
        if (last == null) return;
        try {
            stop(last, grace);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            last.seat().abandon();
        } finally {
            last.node().over();
            nodes.end();
        }
    }

    private void stop(Life last, Duration grace) throws InterruptedException {
        StepRunner node = last.node();
        node.stopping();
        if (!awaitIdle(node, TimeUnit.SECONDS.toNanos(Math.min(grace.toSeconds(), 1_000_000)) + grace.toNanosPart()))
            log.info(
                    "node {} gives back {} processes that run for too long",
                    node.id(),
                    node.abandon().size());
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LAST_MILLIS);
        while (!inbox.isEmpty() && System.nanoTime() - until < 0) TimeUnit.MILLISECONDS.sleep(2);
        node.over();
        for (Thread each : last.threads()) each.join(LAST_MILLIS);
        last.seat().leave();
    }

    private static boolean awaitIdle(StepRunner node, long nanos) throws InterruptedException {
        long began = System.nanoTime();
        while (!node.isIdle() && System.nanoTime() - began < nanos) TimeUnit.MILLISECONDS.sleep(2);
        return node.isIdle();
    }
}
