package dev.howdah.process.internal.worker;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.process.HistoryRange;
import dev.howdah.process.Payload;
import dev.howdah.process.ProcessException;
import dev.howdah.process.TaskType;
import dev.howdah.process.internal.request.PendingRequest;
import dev.howdah.process.internal.request.RequestStore;
import dev.howdah.process.internal.step.NamespaceSlots;
import dev.howdah.process.internal.step.ProcessStore;
import dev.howdah.process.internal.step.Step;
import dev.howdah.process.internal.step.StepDisposition;
import dev.howdah.process.internal.step.StepEvaluator;
import dev.howdah.process.internal.step.StepResult;
import dev.howdah.process.internal.store.ProcessSqlErrors;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes down steps that have ended, and requests, each time all that there are; then lets their processes go on, and tells
 * callers. While the database cannot be reached it waits with what it has.
 */
public final class BatchWriter implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(BatchWriter.class);
    private static final long WAIT_MILLIS = 1_000;
    private static final long AGAIN_MILLIS = 200;
    /** So many immediate steps belong to the trace of the call that they come of. */
    private static final int TRACED = 100;

    private final ConnectionSource source;
    private final StepRunner node;
    private @Nullable DedicatedSession session;

    public BatchWriter(ConnectionSource source, StepRunner node) {
        this.source = source;
        this.node = node;
    }

    @Override
    public void run() {
        try {
            while (!node.isOver()) {
                WriteQueue.Batch batch = node.inbox().take(WAIT_MILLIS);
                if (!batch.ended().isEmpty()) end(batch.ended());
                if (!batch.entries().isEmpty()) enter(batch.entries());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            close();
        }
    }

    private DedicatedSession session() throws SQLException {
        DedicatedSession open = session;
        if (open == null) session = open = new DedicatedSession(source.getConnection());
        return open;
    }

    private void close() {
        DedicatedSession open = session;
        session = null;
        if (open != null) open.close();
    }

    private void end(List<Step> steps) throws InterruptedException {
        while (!node.isOver()) {
            try {
                write(steps);
                node.outage().worked();
                return;
            } catch (SQLException e) {
                if (!ProcessSqlErrors.isPassing(e)) {
                    alone(steps, ProcessSqlErrors.clear(e));
                    return;
                }
                node.outage().failed("steps that have ended cannot be written", ErrorText.line(e));
                // Whatever of it was written is refused the next time.
                node.mayHaveForgotten();
                if (SqlErrors.isConnectionLost(e)) close();
                TimeUnit.MILLISECONDS.sleep(AGAIN_MILLIS);
            } catch (RuntimeException | Error e) {
                // What is too large to be sent shall not end this thread. The state of the session is unknown.
                close();
                alone(steps, ErrorText.line(e));
                return;
            }
        }
    }

    /** One of them holds what the database does not take: it shall fail, and the others shall not. */
    private void alone(List<Step> steps, String reason) throws InterruptedException {
        if (steps.size() > 1) {
            for (Step step : steps) end(List.of(step));
            return;
        }
        Step step = steps.get(0);
        log.warn(
                "process {} of {}: {}",
                step.subject().id(),
                step.served().namespace().name(),
                reason);
        if (step.isRefused()) {
            // Not even that it has failed can be written; the node that rescues this one finds it.
            node.closed(step);
            return;
        }
        step.refuse(StepEvaluator.refused(step, reason));
        end(steps);
    }

    private void write(List<Step> steps) throws SQLException {
        List<Step> going = new ArrayList<>(steps.size());
        List<Step> gone = new ArrayList<>();
        // Processes are locked in this order, so that no two writers wait for each other.
        List<Step> ordered = new ArrayList<>(steps);
        ordered.sort(Comparator.comparingLong(Step::number));
        for (Step step : ordered) (step.outcome().removes() ? gone : going).add(step);
        node.claiming().lock();
        try {
            if (!going.isEmpty()) goOn(going);
            if (!gone.isEmpty()) remove(gone);
        } finally {
            node.claiming().unlock();
        }
    }

    private void goOn(List<Step> steps) throws SQLException {
        ProcessStore store = new ProcessStore(session(), node.id(), node.served());
        long began = System.nanoTime();
        Map<Step, ProcessStore.Next> written = store.commit(steps, !node.isStopping());
        long nanos = System.nanoTime() - began;
        Map<Long, Integer> chains = new HashMap<>();
        List<Step> unknown = new ArrayList<>();
        for (Step step : steps) {
            ProcessStore.Next next = written.get(step);
            if (next == null) {
                refused(step);
                continue;
            }
            step.served().meter().completed(step, nanos);
            StepResult outcome = step.outcome();
            if (!step.errand().timer()) answer(step.errand(), outcome);
            if (next.dueMillis() != null) node.alarm().ringIn(next.dueMillis());
            if (next.go() == null) node.closed(step);
            else if (!next.stays()) {
                node.closed(step);
                node.alarm().ring();
            } else {
                Step following = following(step, next);
                if (following != null) {
                    node.run(following);
                } else {
                    chains.put(step.number(), step.chain() + 1);
                    unknown.add(step);
                }
            }
        }
        if (!chains.isEmpty()) reload(store, chains, unknown);
    }

    private static @Nullable Step following(Step step, ProcessStore.Next next) {
        HistoryRange usual = step.served().namespace().history();
        if ("c".equals(next.go())) {
            if (next.call() == null) return null;
            Instant timer = next.type() == null ? null : next.at();
            return step.next(next.call(), next.range() == null ? usual : next.range(), timer, next.written());
        }
        if (next.type() == null || next.at() == null) return null;
        step.served().meter().late(Duration.between(next.at(), next.written()).toNanos());
        Payload context = step.outcome().disposition() == StepDisposition.SCHEDULED
                ? step.errand().context()
                : Payload.of(next.context(), step.served().codec());
        Payload none = Payload.of(null, step.served().codec());
        String trace = step.chain() < TRACED ? step.errand().trace() : null;
        Step.Errand todo = new Step.Errand(
                next.task(),
                TaskType.of(next.type()),
                true,
                none,
                context,
                next.at(),
                next.attempts(),
                false,
                trace,
                null);
        return step.next(todo, usual, null, next.written());
    }

    /** Steps follow of which only the database knows what they see. */
    private void reload(ProcessStore store, Map<Long, Integer> chains, List<Step> former) throws SQLException {
        List<Step> loaded = List.of();
        try {
            loaded = store.load(chains.keySet(), chains);
        } finally {
            // The place goes on to the step that follows; without one it is free, and what was forgotten is given back.
            for (Step step : former) {
                boolean followed = loaded.stream().anyMatch(each -> each.number() == step.number());
                if (!followed) {
                    node.closed(step);
                    node.mayHaveForgotten();
                }
            }
        }
        for (Step step : loaded) node.run(step);
    }

    private void remove(List<Step> steps) throws SQLException {
        long began = System.nanoTime();
        ProcessStore.Gone gone = new ProcessStore(session(), node.id(), node.served()).remove(steps);
        long nanos = System.nanoTime() - began;
        for (Step step : steps) {
            if (!gone.numbers().contains(step.number())) {
                refused(step);
                continue;
            }
            step.served().meter().removed(step, nanos);
            StepResult outcome = step.outcome();
            if (!step.errand().timer()) answer(step.errand(), outcome);
            node.closed(step);
        }
        for (ProcessStore.Waiting each : gone.callers())
            node.callers().answer(each.task(), each.token(), null, ProcessException.Reason.PROCESS_NOT_FOUND.message());
    }

    private void answer(Step.Errand errand, StepResult outcome) {
        node.callers().answer(errand.id(), errand.token(), outcome.response(), outcome.error());
    }

    /** Another node has its process, or the step was written before and the answer was lost. */
    private void refused(Step step) {
        log.warn(
                "what task {} of process {} came to was refused: its node was taken for dead, or it is written already",
                step.errand().id(),
                step.subject().id());
        step.served().meter().refused(step);
        node.closed(step);
        node.mayHaveForgotten();
    }

    private void enter(List<PendingRequest> entries) {
        List<PendingRequest> inits =
                entries.stream().filter(each -> each.type() == TaskType.INIT).toList();
        List<PendingRequest> others =
                entries.stream().filter(each -> each.type() != TaskType.INIT).toList();
        if (!others.isEmpty()) enterAlike(others);
        if (!inits.isEmpty()) enterAlike(inits);
    }

    private void enterAlike(List<PendingRequest> entries) {
        try {
            accept(entries);
        } catch (SQLException e) {
            if (SqlErrors.isConnectionLost(e)) close();
            boolean unknown = SqlErrors.isConnectionLost(e);
            if (!unknown && entries.size() > 1) {
                for (PendingRequest each : entries) enterAlike(List.of(each));
                return;
            }
            node.mayHaveForgotten();
            String why =
                    unknown ? "the connection was lost, and it is not known whether the request was accepted: " : "";
            ProcessException failed =
                    new ProcessException(ProcessException.Reason.DATABASE, why + ProcessSqlErrors.clear(e), e);
            for (PendingRequest each : entries) each.reply().completeExceptionally(failed);
        } catch (RuntimeException | Error e) {
            close();
            node.mayHaveForgotten();
            Throwable why = e instanceof OutOfMemoryError
                    ? new ProcessException(
                            ProcessException.Reason.DATABASE,
                            "there is too little memory for what was asked: " + e.getMessage(),
                            e)
                    : e;
            for (PendingRequest each : entries) each.reply().completeExceptionally(why);
        }
    }

    private void accept(List<PendingRequest> entries) throws SQLException {
        Boolean[] take = new Boolean[entries.size()];
        node.claiming().lock();
        try {
            Map<PendingRequest, RequestStore.Accepted> accepted = Map.of();
            List<Step> steps = List.of();
            DedicatedSession open = session();
            for (int i = 0; i < take.length; i++) {
                NamespaceSlots served = entries.get(i).served();
                take[i] = served != null && !node.isStopping() && served.reserve(1) > 0;
            }
            try {
                accepted = RequestStore.write(open, node.id(), entries, take);
                List<Long> taken = new ArrayList<>();
                for (Map.Entry<PendingRequest, RequestStore.Accepted> each : accepted.entrySet()) {
                    RequestStore.Accepted to = each.getValue();
                    if (each.getKey().waits())
                        node.callers()
                                .add(
                                        to.process(),
                                        to.task(),
                                        each.getKey().token(),
                                        each.getKey().reply());
                    if (to.taken()) taken.add(to.process());
                }
                if (!taken.isEmpty()) steps = new ProcessStore(open, node.id(), node.served()).load(taken, Map.of());
            } finally {
                giveBackRoom(entries, take, steps);
            }
            boolean left = false;
            for (PendingRequest each : entries) {
                RequestStore.Accepted to = accepted.get(each);
                if (to == null) each.reply().complete(PendingRequest.Reply.REJECTED);
                else if (!each.waits()) each.reply().complete(PendingRequest.Reply.of(null, null));
                left |= to != null && !to.taken() && each.served() != null;
            }
            // The lookout may have had all places in this moment.
            if (left) node.alarm().ring();
            for (Step step : steps) node.run(step);
        } finally {
            node.claiming().unlock();
        }
    }

    private static void giveBackRoom(List<PendingRequest> entries, Boolean[] take, List<Step> steps) {
        Map<NamespaceSlots, Integer> rest = new HashMap<>();
        for (int i = 0; i < take.length; i++) {
            NamespaceSlots served = entries.get(i).served();
            if (take[i] && served != null) rest.merge(served, 1, Integer::sum);
        }
        for (Step step : steps) rest.merge(step.served(), -1, Integer::sum);
        rest.forEach(NamespaceSlots::release);
    }
}
