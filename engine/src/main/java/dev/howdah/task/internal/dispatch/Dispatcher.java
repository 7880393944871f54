package dev.howdah.task.internal.dispatch;

import dev.howdah.internal.run.Background;
import dev.howdah.spi.reach.ReachPermit;
import dev.howdah.task.internal.dispatch.TaskStore.Start;
import dev.howdah.task.internal.model.ClaimedTask;
import dev.howdah.task.internal.model.SessionResult;
import dev.howdah.task.internal.model.TaskResult;
import dev.howdah.task.internal.model.WaitingTask;
import dev.howdah.task.internal.queue.GroupQueue;
import dev.howdah.task.internal.queue.WaitingTasks;
import dev.howdah.task.internal.quota.SessionQuota;
import dev.howdah.task.internal.session.SessionPool;
import dev.howdah.task.internal.session.TaskSession;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings waiting tasks and sessions together: which task may start, in which session, and what becomes of both when a task ends.
 * Belongs to the scheduler's thread.
 */
public final class Dispatcher {
    private static final Logger log = LoggerFactory.getLogger(Dispatcher.class);

    /** So many groups that wait for a session a round considers, if there are fewer sessions: some may turn out to have nothing to start. */
    private static final int FEWEST_CONSIDERED = 16;

    private final WaitingTasks backlog;
    private final RunningTasks running;
    private final SessionPool sessions;
    private final TaskStore store;
    private final Background background;
    private final TaskMetrics meter;
    private final RemoteStarts arrivals;

    /** A target that had no room for one more task may have it now: another round, which finds its lanes ready. */
    private final Runnable room;

    /** Lanes with sessions that wait for their next task. */
    private final Set<GroupQueue> lingering = new HashSet<>();

    private long lingerNanos;
    private int mostTasks;
    private int mostOfOwner;

    /** Whether tasks waited in the last round because as many ran as may. */
    private boolean full;

    private boolean stopping;

    /**
     * @param mostTasks that run at once
     * @param mostOfOwner most of them that one owner has, other than the scheduler's role
     */
    public Dispatcher(
            WaitingTasks backlog,
            RunningTasks running,
            SessionPool sessions,
            TaskStore store,
            Background background,
            TaskMetrics meter,
            int mostTasks,
            int mostOfOwner) {
        this.backlog = backlog;
        this.running = running;
        this.sessions = sessions;
        this.store = store;
        this.background = background;
        this.meter = meter;
        this.arrivals =
                new RemoteStarts(backlog, running, sessions, store, background, meter, () -> stopping, this::run);
        this.room = () -> background.post(() -> {});
        this.mostTasks = mostTasks;
        this.mostOfOwner = mostOfOwner;
    }

    /** So many tasks run at once from now on; those that run go on. */
    public void mostTasks(int most) {
        mostTasks = most;
    }

    /** So many tasks of one owner run at once from now on; those that run go on. */
    public void mostOfOwner(int most) {
        mostOfOwner = most;
    }

    /**
     * For how long a session whose task may be followed by others of its lane waits for the next one, so that it does not
     * depend on how fast its tasks are whether those that are added one after the other share it.
     */
    public void lingerFor(Duration time) {
        lingerNanos = time.toNanos();
    }

    /** When the first session has waited long enough for a task of its lane, or is needed elsewhere; null if none waits. */
    @Nullable
    public Duration nextRetirement() {
        long first = Long.MAX_VALUE;
        for (GroupQueue lane : lingering)
            // A lane that wants a session may have come after this one in the same round.
            first = sessions.isShort(lane.key.isRemote()) ? 0 : Math.min(first, lane.nanosToLinger());
        return first == Long.MAX_VALUE ? null : Duration.ofNanos(Math.max(first, 0));
    }

    /** Lanes whose sessions have waited long enough, or are needed elsewhere, get their turn. */
    private void endLingering() {
        if (lingering.isEmpty()) return;
        Iterator<GroupQueue> each = lingering.iterator();
        while (each.hasNext()) {
            GroupQueue lane = each.next();
            long left = lane.nanosToLinger();
            boolean none = left == Long.MAX_VALUE;
            if (!none && left > 0 && !sessions.isShort(lane.key.isRemote())) continue;
            each.remove();
            if (!none) backlog.touched(lane);
        }
    }

    /** From now on what is cancelled runs again, elsewhere or later. What is done elsewhere than in a PostgreSQL goes on. */
    public void stop() {
        stopping = true;
        sessions.cancelAll();
    }

    /** Begins tasks whose session at another server has come, unless their state has been changed meanwhile. */
    public void beginArrived() throws SQLException {
        arrivals.begin(stopping);
    }

    /**
     * Writes what has ended and starts what may; says whether there was anything to do.
     *
     * @param watched whether a user's trigger watches every step of a task
     */
    public boolean dispatch(boolean watched) throws SQLException {
        endLingering();
        Choice choice = new Choice();
        choice.consider(backlog.ready(Math.max(sessions.most(), FEWEST_CONSIDERED)));
        try {
            return begin(choice, watched);
        } catch (SQLException | RuntimeException e) {
            // Those that have begun give theirs back a second time, without effect.
            choice.reach.forEach(each -> each.permit().close());
            throw e;
        }
    }

    private boolean begin(Choice choice, boolean watched) throws SQLException {
        // A task that looks for its own row by its session's pid must not find the one before it there.
        boolean together =
                choice.starts.stream().anyMatch(start -> running.shortEnds().holds(start.session()));
        List<TaskResult> ends = together ? running.takeAllEnds() : running.takeEnds();
        launch(choice.starts, store.write(ends, choice.starts, watched, running.unwritten()));
        // Behind the claims, which do not wait for the disk: what begins need not wait for what has ended.
        List<TaskResult> shortEnds = running.shortEnds().takeDue();
        store.write(shortEnds, List.of(), watched, running.unwritten());
        arrivals.connect(choice.remote);
        arrivals.reach(choice.reach, watched);
        arrivals.refuse(choice.refused);
        sessions.openWanted();
        return !ends.isEmpty()
                || !shortEnds.isEmpty()
                || !choice.starts.isEmpty()
                || !choice.remote.isEmpty()
                || !choice.reach.isEmpty()
                || !choice.refused.isEmpty();
    }

    /** The tasks to start in one round. */
    private final class Choice {
        private final List<Start> starts = new ArrayList<>();
        private final List<RemoteStarts.Remote> remote = new ArrayList<>();
        private final List<RemoteStarts.Remote> reach = new ArrayList<>();
        private final List<RemoteStarts.Refused> refused = new ArrayList<>();
        private final OwnerShares shares = new OwnerShares(running, mostOfOwner);

        /** Lanes get what there is in turn, one task each: none waits for all tasks of another. */
        void consider(List<GroupQueue> lanes) {
            for (boolean remotely : new boolean[] {false, true})
                if (full || sessions.isShort(remotely)) shares.compete(lanes, remotely, sessions);
            full = false;
            boolean waitsLong = !lanes.isEmpty() && lanes.get(0).waitsLong();
            for (GroupQueue lane : lanes) goOn(lane, waitsLong);
            List<GroupQueue> next = lanes;
            while (!next.isEmpty())
                next = next.stream().filter(this::startClean).toList();
            lanes.forEach(backlog::considered);
        }

        private boolean isFull() {
            boolean now = running.size() + starts.size() + remote.size() + reach.size() + refused.size() >= mostTasks;
            full |= now;
            return now;
        }

        /**
         * Sessions that have run a task of the lane pick the next themselves, if they may (section 10), and if no task
         * of another group has waited too long for a session. What a session keeps for the next task is not taken from it.
         */
        private void goOn(GroupQueue lane, boolean waitsLong) {
            Iterator<TaskSession> open = lane.open();
            while (open.hasNext()) {
                TaskSession session = open.next();
                boolean yields = !session.keepsState()
                        && ((waitsLong && !lane.waitsLong())
                                || sessions.wouldYield()
                                || !shares.mayStart(session.owner(), lane.key.isRemote()));
                WaitingTask next = session.isUsable() && !yields ? lane.startableIn(session) : null;
                if (next == null && session.isUsable() && !yields && lane.needsPeek()) continue;
                if (next != null && isFull()) continue;
                if (next == null && !yields && lingers(lane, session)) continue;
                open.remove();
                if (next == null) retire(lane, session);
                else start(lane, next, session);
            }
        }

        private boolean lingers(GroupQueue lane, TaskSession session) {
            boolean lingers =
                    session.isUsable() && session.nanosToLinger() > 0 && !sessions.isShort(lane.key.isRemote());
            if (lingers) lingering.add(lane);
            return lingers;
        }

        /** Starts one task of the lane, if one may start and there is a session for it. */
        private boolean startClean(GroupQueue lane) {
            WaitingTask next = lane.startable();
            if (next == null || !shares.mayStart(next.owner(), lane.key.isRemote())) return false;
            String target = lane.key.remote();
            boolean started;
            if (isFull()) started = false;
            else if (target == null) started = startLocal(lane, next);
            else if (!sessions.reach().takes(target)) started = startRemote(lane, next, remote, ReachPermit.FREE);
            else {
                ReachPermit permit = sessions.reach().permit(target, next.owner(), next.firstLine(), room);
                // It waits for its target, and not for what others have.
                if (permit == null) return false;
                started = startRemote(lane, next, reach, permit);
            }
            if (!started) lane.passedOver();
            return started;
        }

        private boolean startRemote(
                GroupQueue lane, WaitingTask task, List<RemoteStarts.Remote> starting, ReachPermit permit) {
            SessionQuota.Place place = sessions.remote().take();
            if (place == null) {
                permit.close();
                return false;
            }
            lane.forget(task);
            lane.started();
            shares.started(task.owner(), true);
            starting.add(new RemoteStarts.Remote(task, lane, place, permit));
            return true;
        }

        private boolean startLocal(GroupQueue lane, WaitingTask task) {
            String refusal = sessions.refusal(task.owner());
            if (refusal != null) {
                lane.forget(task);
                lane.started();
                refused.add(new RemoteStarts.Refused(task, lane, refusal));
                return true;
            }
            TaskSession session = sessions.acquire(lane.key, task.owner());
            if (session == null) sessions.want(lane::startable);
            else start(lane, task, session);
            return session != null;
        }

        private void start(GroupQueue lane, WaitingTask task, TaskSession session) {
            lane.forget(task);
            lane.started();
            shares.started(task.owner(), lane.key.isRemote());
            session.assigned(lane.key, task.max());
            starts.add(new Start(task, lane, session));
        }
    }

    /** No further task of the lane uses a session that was kept for it. */
    private void retire(GroupQueue lane, TaskSession session) {
        if (lane.key.isRemote() || !session.isUsable()) sessions.discard(session);
        else background.run(session::restore, restored -> sessions.release(session));
    }

    private void launch(List<Start> starts, List<ClaimedTask> begun) {
        Map<Long, ClaimedTask> tasks = new HashMap<>();
        begun.forEach(task -> tasks.put(task.id(), task));
        for (Start start : starts) {
            ClaimedTask task = tasks.get(start.task().id());
            if (task == null) notClaimed(start);
            else if (!start.session().isOf(task.owner())) changedOwner(start);
            else run(task, laneOf(start, task), start.session());
        }
    }

    /** The lane of the row as it was claimed: two groups may share a hash, and a row may have changed its group. */
    private GroupQueue laneOf(Start start, ClaimedTask task) {
        if (start.lane().key.equals(task.lane())) return start.lane();
        start.lane().ended();
        backlog.touched(start.lane());
        GroupQueue lane = backlog.lane(task.lane(), start.task().hash());
        lane.started();
        return lane;
    }

    /** The row is a task of another owner by now: it is claimed, but its session has not the privileges for it. */
    private void changedOwner(Start start) {
        running.took(start.task().id(), start.lane());
        running.gaveUp(start.task().id());
        notClaimed(start);
    }

    /** Another session has changed, stopped, deleted or locked the row since it was read. */
    private void notClaimed(Start start) {
        TaskSession session = start.session();
        session.unassigned();
        backlog.left(start.task(), start.lane());
        if (session.done() > 0) start.lane().keepOpen(session);
        else sessions.release(session);
    }

    private void run(ClaimedTask task, GroupQueue lane, TaskSession session) {
        running.took(task.id(), lane, task.owner());
        running.began(task.id(), session);
        running.limit(task);
        long begun = System.nanoTime();
        background.run(meter.traced(task, () -> session.run(task)), end -> {
            long took = System.nanoTime() - begun;
            lane.took(took);
            meter.ended(end, took);
            ended(task, session, end);
        });
    }

    /** Where the network is to blame the server may go on with the text: it runs again only when that is over. */
    private void ended(ClaimedTask task, TaskSession session, SessionResult end) {
        if (!end.silent() || stopping) {
            left(task, session, end);
            return;
        }
        background.run(
                () -> {
                    boolean ended = sessions.endElsewhere(task.lane().remote(), task.owner(), List.of(session.left()));
                    if (!ended) log.debug("session {} is left to the next scheduler", session.pid());
                    return end;
                },
                lost -> left(task, session, lost));
    }

    private void left(ClaimedTask task, TaskSession session, SessionResult end) {
        // A cancel that is on its way must not meet the next task.
        boolean stopped = running.isStopped(task.id());
        GroupQueue lane = running.ended(task, end, stopping);
        lane.ended();
        // It waits again, or its end changes the plans of those that wait.
        if (task.max() < 0 || end.outcome() == null) lane.doubt();
        backlog.touched(lane);
        if (stopped || !session.isUsable()) sessions.discard(session);
        else if (task.mayGoOn() && !stopping) keepOpen(lane, session, task);
        else if (lane.key.isRemote()) sessions.discard(session);
        else sessions.release(session);
    }

    private void keepOpen(GroupQueue lane, TaskSession session, ClaimedTask task) {
        session.keepsState(task.save());
        session.lingers(lingerNanos);
        lane.keepOpen(session);
    }
}
