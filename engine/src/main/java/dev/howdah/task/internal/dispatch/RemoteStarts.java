package dev.howdah.task.internal.dispatch;

import dev.howdah.internal.error.AttemptLog;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.run.Background;
import dev.howdah.spi.reach.Cancellation;
import dev.howdah.spi.reach.FirstLine;
import dev.howdah.spi.reach.ReachPermit;
import dev.howdah.task.internal.model.ClaimedTask;
import dev.howdah.task.internal.model.SessionResult;
import dev.howdah.task.internal.model.WaitingTask;
import dev.howdah.task.internal.queue.GroupQueue;
import dev.howdah.task.internal.queue.WaitingTasks;
import dev.howdah.task.internal.quota.SessionQuota;
import dev.howdah.task.internal.reach.ReachFacts;
import dev.howdah.task.internal.session.RemoteSessionPool;
import dev.howdah.task.internal.session.SessionPool;
import dev.howdah.task.internal.session.TaskSession;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tasks that are taken before their session is there: those for other servers, and those that can have none. Belongs to
 * the scheduler's thread.
 */
final class RemoteStarts {
    private static final Logger log = LoggerFactory.getLogger(RemoteStarts.class);
    private static final AttemptLog FAILURES = new AttemptLog(log);

    /**
     * A task of a lane whose sessions are at another server, and the right to open one.
     *
     * @param permit of a target that has limits
     */
    record Remote(WaitingTask task, GroupQueue lane, SessionQuota.Place place, ReachPermit permit) {
        void giveBack() {
            permit.close();
            place.close();
        }
    }

    /** A task that can have no session, and its error. */
    record Refused(WaitingTask task, GroupQueue lane, String error) {}

    /** Runs a task that is ours in its session. */
    interface Runner {
        void run(ClaimedTask task, GroupQueue lane, TaskSession session);
    }

    private final WaitingTasks backlog;
    private final RunningTasks running;
    private final SessionPool sessions;
    private final TaskStore store;
    private final Runner runner;
    private final Background background;
    private final TaskMetrics meter;
    private final BooleanSupplier stopping;

    RemoteStarts(
            WaitingTasks backlog,
            RunningTasks running,
            SessionPool sessions,
            TaskStore store,
            Background background,
            TaskMetrics meter,
            BooleanSupplier stopping,
            Runner runner) {
        this.stopping = stopping;
        this.background = background;
        this.meter = meter;
        this.backlog = backlog;
        this.running = running;
        this.sessions = sessions;
        this.store = store;
        this.runner = runner;
    }

    /** Tasks for other servers are taken first, and begin when their session is there. */
    void connect(List<Remote> chosen) throws SQLException {
        if (chosen.isEmpty()) return;
        List<Long> taken = store.take(chosen.stream().map(Remote::task).toList());
        for (Remote each : chosen) {
            String remote = each.lane().key.remote();
            if (remote == null || !taken.contains(each.task().id())) {
                each.giveBack();
                backlog.left(each.task(), each.lane());
            } else {
                running.took(each.task().id(), each.lane(), each.task().owner());
                sessions.remote().open(remote, each.task().owner(), each.place(), new Connecting(each));
            }
        }
    }

    /** Tasks that are done elsewhere than in a PostgreSQL begin at once. */
    void reach(List<Remote> chosen, boolean watched) throws SQLException {
        if (chosen.isEmpty()) return;
        Map<Long, ClaimedTask> begun = new HashMap<>();
        List<ClaimedTask> claimed =
                store.claimForReach(chosen.stream().map(Remote::task).toList(), watched);
        claimed.forEach(task -> begun.put(task.id(), task));
        Map<Long, ReachFacts> facts = store.reachFacts(claimed);
        for (Remote each : chosen) {
            ClaimedTask task = begun.get(each.task().id());
            ReachFacts known = facts.get(each.task().id());
            // Its permit is that of the path which was read then.
            boolean meant = task != null
                    && Objects.equals(task.lane().remote(), each.lane().key.remote())
                    && Objects.equals(
                            FirstLine.of(task.lane().remote(), task.input()),
                            each.task().firstLine());
            if (task != null) running.took(task.id(), each.lane(), task.owner());
            if (task != null && meant && known != null) {
                reach(task, known, each);
            } else {
                if (task != null) running.gaveUp(task.id());
                each.giveBack();
                backlog.left(each.task(), each.lane());
            }
        }
    }

    private void reach(ClaimedTask task, ReachFacts facts, Remote chosen) {
        Cancellation cancellation = new Cancellation();
        running.began(task.id(), cancellation);
        running.limit(task);
        long begun = System.nanoTime();
        Supplier<SessionResult> work = () -> {
            try {
                return sessions.reach().run(task, facts, cancellation);
            } finally {
                // Also when nothing of this scheduler hears of its end any more.
                chosen.permit().close();
            }
        };
        background.run(meter.traced(task, work), end -> {
            long took = System.nanoTime() - begun;
            meter.ended(end, took);
            chosen.place().close();
            GroupQueue lane = running.ended(task, end, stopping.getAsBoolean());
            lane.took(took);
            lane.ended();
            if (task.max() < 0 || end.outcome() == null) lane.doubt();
            backlog.touched(lane);
        });
    }

    /** Tasks that can have no session end as if they had begun, and leave the others alone. */
    void refuse(List<Refused> chosen) throws SQLException {
        if (chosen.isEmpty()) return;
        List<Long> taken = store.take(chosen.stream().map(Refused::task).toList());
        for (Refused each : chosen) {
            if (taken.contains(each.task().id())) {
                running.took(each.task().id(), each.lane(), each.task().owner());
                failedToBegin(each.task(), each.lane(), each.error());
            } else {
                backlog.left(each.task(), each.lane());
            }
        }
    }

    private void failedToBegin(WaitingTask task, GroupQueue lane, String error) {
        // Without the error itself, which may hold what does not belong into a log.
        FAILURES.retry(
                ErrorText.of("it could not begin, the column error of its row says why"),
                "task {} has failed",
                task.id());
        running.failedToBegin(task.id(), error);
        lane.ended();
        backlog.touched(lane);
    }

    /** A task that waits for its session at another server. */
    private final class Connecting implements RemoteSessionPool.Opening {
        private final WaitingTask task;
        private final GroupQueue lane;

        Connecting(Remote chosen) {
            this.task = chosen.task();
            this.lane = chosen.lane();
        }

        @Override
        public void opened(TaskSession session) {
            running.arrived(new RunningTasks.Arrival(task, lane, session));
        }

        @Override
        public void busy(String reason) {
            log.info("task {} waits, its server accepts no more connections: {}", task.id(), reason);
            running.gaveUp(task.id());
            backlog.left(task, lane);
        }

        @Override
        public void failed(String error) {
            failedToBegin(task, lane, error);
        }
    }

    /** Returns whether the row is still the task for which the session was opened, and not another one in its place. */
    private static boolean isMeant(ClaimedTask task, RunningTasks.Arrival arrival) {
        return arrival.session().isOf(task.owner())
                && Objects.equals(task.lane().remote(), arrival.lane().key.remote());
    }

    /**
     * Begins tasks whose session at another server has come, unless their state has been changed meanwhile.
     *
     * @param stopping whether nothing begins any more
     */
    void begin(boolean stopping) throws SQLException {
        for (RunningTasks.Arrival arrival : running.takeArrivals()) {
            TaskSession session = arrival.session();
            session.assigned(arrival.lane().key, arrival.task().max());
            ClaimedTask task = stopping ? null : store.begin(arrival.task().id(), session.pid());
            if (task != null && isMeant(task, arrival)) {
                runner.run(task, arrival.lane(), session);
            } else {
                running.gaveUp(arrival.task().id());
                backlog.left(arrival.task(), arrival.lane());
                sessions.discard(session);
            }
        }
    }
}
