package dev.howdah.process.internal.worker;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.doorbell.SleepLock;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.run.Threads;
import dev.howdah.internal.sql.AdvisoryLock;
import dev.howdah.internal.sql.Sql;
import dev.howdah.process.internal.step.NamespaceSlots;
import dev.howdah.process.internal.step.ProcessStore;
import dev.howdah.process.internal.step.Step;
import dev.howdah.process.internal.store.ProcessRows;
import dev.howdah.process.internal.store.ProcessSql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes processes that are due, as many as there is room for; then sleeps until the next timer, a ring, or room. Before it
 * sleeps it says so, and looks once more: see package {@code dev.howdah.internal.doorbell}.
 */
public final class DuePoller implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(DuePoller.class);
    private static final SleepLock LOCK = new SleepLock(AdvisoryLock.PROCESS_ASLEEP);
    private static final Sql NEXT_DUE = ProcessSql.STEP.statement("step_next_due");
    private static final Sql RING = ProcessSql.STEP.statement("step_ring");
    private static final long POLL_MILLIS = 60_000;
    /** Another node holds the doorbell: it may have woken, or crashed. */
    private static final long SECOND_MILLIS = 1_000;
    /** Timers that are due in one moment are taken together. */
    private static final long NAP_MILLIS = 4;

    private static final long AGAIN_MILLIS = 200;

    private final ConnectionSource source;
    private final StepRunner stepRunner;
    private long helpAsked = System.nanoTime() - TimeUnit.SECONDS.toNanos(1);

    public DuePoller(ConnectionSource source, StepRunner stepRunner) {
        this.source = source;
        this.stepRunner = stepRunner;
    }

    @Override
    public void run() {
        while (!stepRunner.isStopping()) {
            try (DedicatedSession session = new DedicatedSession(source.getConnection())) {
                look(session);
            } catch (SQLException | RuntimeException | Error e) {
                if (stepRunner.isStopping()) return;
                Threads.survived(e);
                if (e instanceof SQLException)
                    stepRunner.outage().failed("processes that are due cannot be claimed", ErrorText.line(e));
                else log.warn("node {} looks again for what is due: {}", stepRunner.id(), ErrorText.line(e));
                stepRunner.mayHaveForgotten();
                if (!pause()) return;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private static boolean pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(AGAIN_MILLIS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void look(DedicatedSession session) throws SQLException, InterruptedException {
        ProcessStore store = new ProcessStore(session, stepRunner.id(), stepRunner.served());
        while (!stepRunner.isStopping()) {
            boolean more = take(store);
            stepRunner.outage().worked();
            if (more && hasRoom()) continue;
            stepRunner.signal().wantsRoom(more);
            if (more) {
                askForHelp(session);
                stepRunner.signal().await(SECOND_MILLIS);
            } else {
                sleep(session, store);
            }
        }
    }

    private boolean hasRoom() {
        return stepRunner.served().values().stream().anyMatch(each -> each.free() > 0);
    }

    /** Returns whether there may be more. */
    private boolean take(ProcessStore store) throws SQLException {
        Map<Integer, Integer> room = new HashMap<>();
        boolean more = false;
        stepRunner.claiming().lock();
        try {
            for (NamespaceSlots each : stepRunner.served().values()) {
                int places = each.reserve(Integer.MAX_VALUE);
                if (places > 0) room.put(each.id(), places);
                else more |= each.namespace().concurrency() > 0;
            }
            if (room.isEmpty()) return more;
            Map<Integer, List<Long>> taken = Map.of();
            List<Step> steps = List.of();
            try {
                long began = System.nanoTime();
                taken = store.claim(room);
                scanned(room.keySet(), System.nanoTime() - began);
                List<Long> all = new ArrayList<>();
                taken.values().forEach(all::addAll);
                if (!all.isEmpty()) steps = store.load(all, Map.of());
            } finally {
                giveBackRoom(room, steps);
            }
            for (Map.Entry<Integer, Integer> each : room.entrySet()) {
                boolean full = taken.getOrDefault(each.getKey(), List.of()).size() >= each.getValue();
                crowded(each.getKey(), full);
                more |= full;
            }
            for (Step step : steps) stepRunner.run(step);
        } finally {
            stepRunner.claiming().unlock();
        }
        return more;
    }

    private void scanned(Set<Integer> namespaces, long nanos) {
        for (int each : namespaces) {
            NamespaceSlots served = stepRunner.served().get(each);
            if (served != null) served.meter().scanned(nanos);
        }
    }

    private void crowded(int namespace, boolean yes) {
        NamespaceSlots served = stepRunner.served().get(namespace);
        if (served != null) served.crowded(yes);
    }

    private void giveBackRoom(Map<Integer, Integer> room, List<Step> steps) {
        Map<Integer, Integer> rest = new HashMap<>(room);
        for (Step step : steps) rest.merge(step.served().id(), -1, Integer::sum);
        rest.forEach((namespace, places) -> {
            NamespaceSlots served = stepRunner.served().get(namespace);
            if (served != null) served.release(places);
        });
    }

    /** There is more than this node has room for: others may sleep. */
    private void askForHelp(DedicatedSession session) throws SQLException {
        if (System.nanoTime() - helpAsked < TimeUnit.SECONDS.toNanos(1)) return;
        helpAsked = System.nanoTime();
        session.update(RING, (Object) namespaces());
    }

    private Integer[] namespaces() {
        return stepRunner.served().values().stream()
                .filter(each -> each.namespace().concurrency() > 0)
                .map(NamespaceSlots::id)
                .toArray(Integer[]::new);
    }

    private void sleep(DedicatedSession session, ProcessStore store) throws SQLException, InterruptedException {
        Integer[] all = namespaces();
        Long due = nextDue(session, all);
        if (due != null && due <= NAP_MILLIS) {
            stepRunner.signal().await(NAP_MILLIS);
            return;
        }
        List<Integer> held = LOCK.fallAsleep(session, all).held();
        try {
            if (take(store)) return;
            due = nextDue(session, all);
            long rest = held.size() == all.length ? POLL_MILLIS : SECOND_MILLIS;
            stepRunner.signal().await(due == null ? rest : Math.min(Math.max(due, 1), rest));
        } finally {
            LOCK.wakeUp(session, held);
        }
    }

    private static @Nullable Long nextDue(DedicatedSession session, Integer[] namespaces) throws SQLException {
        try (ResultSet row = session.query(NEXT_DUE, (Object) namespaces)) {
            return row.next() ? ProcessRows.longOrNull(row, 1) : null;
        }
    }
}
