package dev.howdah.process.internal.worker;

import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.process.ProcessException;
import dev.howdah.process.TaskType;
import dev.howdah.process.internal.request.PendingRequest;
import dev.howdah.process.internal.request.RequestStore;
import dev.howdah.process.internal.request.RequestStore.Accepted;
import dev.howdah.process.internal.step.NamespaceSlots;
import dev.howdah.process.internal.step.ProcessStore;
import dev.howdah.process.internal.step.Step;
import dev.howdah.process.internal.store.ProcessSqlErrors;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes requests, and begins the steps of those whose processes the node may take. A request that cannot be written is not tried again: its
 * caller is told. Used by a writer's thread.
 */
final class RequestWriter {
    private final WriterSession session;
    private final StepRunner stepRunner;

    RequestWriter(WriterSession session, StepRunner stepRunner) {
        this.session = session;
        this.stepRunner = stepRunner;
    }

    void write(List<PendingRequest> requests) {
        List<PendingRequest> inits =
                requests.stream().filter(each -> each.type() == TaskType.INIT).toList();
        List<PendingRequest> others =
                requests.stream().filter(each -> each.type() != TaskType.INIT).toList();
        if (!others.isEmpty()) writeAlike(others);
        if (!inits.isEmpty()) writeAlike(inits);
    }

    private void writeAlike(List<PendingRequest> requests) {
        try {
            accept(requests);
        } catch (SQLException e) {
            boolean unknown = SqlErrors.isConnectionLost(e);
            if (unknown) session.close();
            if (!unknown && requests.size() > 1) {
                for (PendingRequest each : requests) writeAlike(List.of(each));
                return;
            }
            String why =
                    unknown ? "the connection was lost, and it is not known whether the request was accepted: " : "";
            fail(requests, database(why + ProcessSqlErrors.clear(e), e));
        } catch (RuntimeException | Error e) {
            session.close();
            Throwable why = e instanceof OutOfMemoryError
                    ? database("there is too little memory for what was asked: " + e.getMessage(), e)
                    : e;
            fail(requests, why);
        }
    }

    private static ProcessException database(String message, Throwable cause) {
        return new ProcessException(ProcessException.Reason.DATABASE, message, cause);
    }

    private void fail(List<PendingRequest> requests, Throwable why) {
        stepRunner.mayHaveForgotten();
        for (PendingRequest each : requests) each.reply().completeExceptionally(why);
    }

    private void accept(List<PendingRequest> requests) throws SQLException {
        stepRunner.claiming().lock();
        try {
            DedicatedSession open = session.open();
            Boolean[] take = reserve(requests);
            Map<PendingRequest, Accepted> accepted;
            List<Step> steps = List.of();
            try {
                accepted = RequestStore.write(open, stepRunner.id(), requests, take);
                List<Long> taken = register(accepted);
                if (!taken.isEmpty())
                    steps = new ProcessStore(open, stepRunner.id(), stepRunner.served()).load(taken, Map.of());
            } finally {
                giveBackRoom(requests, take, steps);
            }
            answer(requests, accepted);
            for (Step step : steps) stepRunner.run(step);
        } finally {
            stepRunner.claiming().unlock();
        }
    }

    /** Reserves a place for each request where the node has one left; the result says for which. */
    private Boolean[] reserve(List<PendingRequest> requests) {
        Boolean[] take = new Boolean[requests.size()];
        for (int i = 0; i < take.length; i++) {
            NamespaceSlots served = requests.get(i).served();
            take[i] = served != null && !stepRunner.isStopping() && served.reserve(1) > 0;
        }
        return take;
    }

    /** Registers the callers that wait for an answer; returns the processes that the node has taken. */
    private List<Long> register(Map<PendingRequest, Accepted> accepted) {
        List<Long> taken = new ArrayList<>();
        accepted.forEach((request, to) -> {
            if (request.waits()) stepRunner.callers().add(to.process(), to.task(), request.token(), request.reply());
            if (to.taken()) taken.add(to.process());
        });
        return taken;
    }

    private void answer(List<PendingRequest> requests, Map<PendingRequest, Accepted> accepted) {
        boolean left = false;
        for (PendingRequest each : requests) {
            Accepted to = accepted.get(each);
            if (to == null) each.reply().complete(PendingRequest.Reply.REJECTED);
            else if (!each.waits()) each.reply().complete(PendingRequest.Reply.of(null, null));
            left |= to != null && !to.taken() && each.served() != null;
        }
        // The poller may have had all places in this moment.
        if (left) stepRunner.signal().ring();
    }

    private static void giveBackRoom(List<PendingRequest> requests, Boolean[] take, List<Step> steps) {
        Map<NamespaceSlots, Integer> rest = new HashMap<>();
        for (int i = 0; i < take.length; i++) {
            NamespaceSlots served = requests.get(i).served();
            if (take[i] && served != null) rest.merge(served, 1, Integer::sum);
        }
        for (Step step : steps) rest.merge(step.served(), -1, Integer::sum);
        rest.forEach(NamespaceSlots::release);
    }
}
