package dev.howdah.task;

import dev.howdah.internal.doorbell.Doorbell;
import dev.howdah.internal.run.Mailbox;
import dev.howdah.task.Ledger.Start;
import dev.howdah.task.Lookout.Look;
import dev.howdah.task.Lookout.Seen;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One term of office of the scheduler of a table: from its election to the loss of its session or its stop.
 *
 * <p>It goes in rounds. A round looks what is due when that is worth while, chooses what may start, and writes the ends
 * of tasks and the claims of new ones in one message. When a round has nothing to do the scheduler naps, looking again
 * every few milliseconds, so that those who insert under load never have to ring; after a while it takes the lock of the
 * doorbell, looks once more, and sleeps until a ring, the end of a task, or the next plan.
 *
 * <p>All state belongs to the thread that calls {@link #serve}; sessions report by the mailbox.
 */
final class Term {
    private static final Logger log = LoggerFactory.getLogger(Term.class);

    /** Looking may take one part in so many of the time. */
    private static final int LOOK_SHARE = 20;

    private static final long MIN_LOOK_NANOS = Duration.ofMillis(2).toNanos();
    private static final long MAX_LOOK_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long NAP_NANOS = Duration.ofMillis(20).toNanos();
    private static final long MAX_NAP_NANOS = Duration.ofMillis(100).toNanos();
    private static final int PEEK = 200;
    private static final int MAX_PEEK = 10_000;
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(5);
    private static final Duration PULSE = Duration.ofSeconds(1);
    private static final Duration UNWRITTEN_RETRY = Duration.ofMillis(250);

    private final Books books;
    private final TaskSetup setup;
    private final long oid;
    private final Settings settings;
    private final Sessions sessions;
    private final Doorbell doorbell;
    private final Mailbox mailbox;
    private final Executor executor;
    private final int limit;
    private final Ledger ledger;
    private final Lookout lookout;
    private final Backlog backlog;
    private final RunningTasks running;

    private volatile boolean stopping;
    private boolean watched;
    private boolean asleep;
    private boolean rung = true;
    private boolean heard;
    private long lookedAt = System.nanoTime();
    private long lookGap;
    private long activeAt = System.nanoTime();
    private long napGap = MIN_LOOK_NANOS;
    private double nextExpiry = Double.POSITIVE_INFINITY;
    private int peek = PEEK;
    private long resetAt = System.nanoTime();
    private long wroteAt = System.nanoTime();

    Term(
            Books books,
            TaskSetup setup,
            long oid,
            Settings settings,
            Sessions sessions,
            Doorbell doorbell,
            Mailbox mailbox,
            Executor executor,
            int limit) {
        this.books = books;
        this.setup = setup;
        this.oid = oid;
        this.settings = settings;
        this.sessions = sessions;
        this.doorbell = doorbell;
        this.mailbox = mailbox;
        this.executor = executor;
        this.limit = limit;
        this.ledger = new Ledger(books, oid);
        this.lookout = new Lookout(books, oid);
        this.running = new RunningTasks();
        this.backlog = new Backlog(running::contains);
    }

    /** Somebody has written to the table while the scheduler slept. */
    void ring() {
        rung = true;
        heard = true;
    }

    /** No new task begins; from any thread. */
    void stop() {
        stopping = true;
        mailbox.post(() -> {});
    }

    /** Serves until {@link #stop}; fails when its session is lost. */
    void serve() throws SQLException, InterruptedException {
        recover();
        while (!stopping) {
            mailbox.handleAll();
            if (!round()) rest();
        }
        finishUp();
    }

    /** What an earlier scheduler left running is ended, and everything that nobody runs waits again. */
    private void recover() throws SQLException, InterruptedException {
        record Orphan(long id, int pid) {}
        Long[] none = {};
        while (!stopping) {
            List<Orphan> orphans =
                    books.query("orphans", row -> new Orphan(row.getLong("id"), row.getInt("pid")), (Object) none);
            for (Orphan orphan : orphans) {
                log.info(
                        "task {} still runs for an earlier scheduler, ending its session {}",
                        orphan.id(),
                        orphan.pid());
                books.run("terminate", orphan.pid());
            }
            if (orphans.isEmpty()) break;
            mailbox.await(Duration.ofMillis(20));
        }
        reset();
    }

    private void reset() throws SQLException {
        int put = books.query("reset", row -> row.getLong("id"), (Object) running.ids())
                .size();
        if (put > 0) log.info("{} tasks that nobody runs wait again", put);
        resetAt = System.nanoTime();
    }

    /** Does what can be done now; says whether that was anything. */
    private boolean round() throws SQLException {
        settle();
        if (heard) activeAt = System.nanoTime();
        heard = false;
        if (rung || System.nanoTime() - lookedAt >= lookGap) look();
        List<Start> starts = new ArrayList<>();
        List<Lane> takes = new ArrayList<>();
        List<Candidate> taken = new ArrayList<>();
        choose(starts, takes, taken);
        List<Outcome> ends = running.takeEnds();
        List<ClaimedTask> begun = ledger.write(ends, starts, watched, running.unwritten());
        launch(starts, begun);
        take(takes, taken);
        sessions.openWanted();
        boolean busy = !ends.isEmpty() || !starts.isEmpty() || !taken.isEmpty();
        if (busy) {
            activeAt = System.nanoTime();
            napGap = MIN_LOOK_NANOS;
        }
        // Who writes now need not ring for a while.
        if (System.nanoTime() - activeAt < NAP_NANOS) wake();
        return busy;
    }

    /** What has to be written before others may start: tasks given back, ends that repeat or pause, ends left over. */
    private void settle() throws SQLException {
        List<Long> returned = running.takeReturned();
        ledger.giveBack(returned);
        for (RunningTasks.Arrival arrival : running.takeArrivals()) begin(arrival);
        List<Outcome> alone = running.takeEndsAlone();
        if (!alone.isEmpty()) ledger.writeAny(alone, running.unwritten());
        if (!running.unwritten().isEmpty() && System.nanoTime() - wroteAt >= UNWRITTEN_RETRY.toNanos()) {
            List<Outcome> again = List.copyOf(running.unwritten());
            running.unwritten().clear();
            ledger.writeAny(again, running.unwritten());
            wroteAt = System.nanoTime();
        }
        if (System.nanoTime() - resetAt >= settings.reset().toNanos()) reset();
        if (!returned.isEmpty() || !alone.isEmpty()) activeAt = System.nanoTime();
    }

    private void look() throws SQLException {
        if (rung) lookout.startOver();
        rung = false;
        Look look = lookout.look();
        lookedAt = System.nanoTime();
        lookGap = Math.min(Math.max(look.nanos() * LOOK_SHARE, MIN_LOOK_NANOS), MAX_LOOK_NANOS);
        watched = look.watched();
        nextExpiry = Double.POSITIVE_INFINITY;
        expire(look.seen());
        backlog.saw(look);
    }

    private void expire(List<Seen> seen) throws SQLException {
        List<Long> expired = new ArrayList<>();
        for (Seen each : seen) {
            if (running.contains(each.task().id())) continue;
            if (each.expires() <= 0) expired.add(each.task().id());
            else nextExpiry = Math.min(nextExpiry, each.expires());
        }
        if (expired.isEmpty()) return;
        ledger.expire(expired);
        activeAt = System.nanoTime();
    }

    private void choose(List<Start> starts, List<Lane> takes, List<Candidate> taken) throws SQLException {
        List<Lane> unknown = backlog.ready().stream().filter(Lane::needsPeek).toList();
        if (!unknown.isEmpty()) peek(unknown);
        for (Lane lane : backlog.ready()) {
            goOn(lane, starts);
            startInCleanSessions(lane, starts, takes, taken);
            if (lane.startable() == null && !lane.needsPeek()) backlog.settled(lane);
        }
    }

    private void peek(List<Lane> lanes) throws SQLException {
        long begun = System.nanoTime();
        int each = peek;
        List<Seen> answer = lookout.peek(lanes, each);
        // A scan that walks over much to find little is worth fetching more at once.
        if (System.nanoTime() - begun > MIN_LOOK_NANOS && lanes.size() == 1) peek = Math.min(peek * 2, MAX_PEEK);
        else peek = PEEK;
        expire(answer);
        backlog.peeked(lanes, answer, each);
    }

    /** Sessions that have run a task of the lane pick the next themselves, if they may (specification, section 10). */
    private void goOn(Lane lane, List<Start> starts) {
        Iterator<TaskSession> open = lane.open();
        while (open.hasNext()) {
            TaskSession session = open.next();
            Candidate next = session.isUsable() ? lane.startableIn(session) : null;
            if (next == null && session.isUsable() && lane.needsPeek()) continue;
            open.remove();
            if (next == null) retire(lane, session);
            else start(lane, next, session, starts);
        }
    }

    private void retire(Lane lane, TaskSession session) {
        if (lane.key.isRemote() || !session.isUsable()) {
            sessions.discard(session);
        } else {
            executor.execute(() -> {
                session.restore();
                mailbox.post(() -> sessions.release(session));
            });
        }
    }

    private void start(Lane lane, Candidate task, TaskSession session, List<Start> starts) {
        lane.forget(task);
        lane.started();
        session.assigned(lane.key, task.max());
        starts.add(new Start(task, lane, session));
    }

    private void startInCleanSessions(Lane lane, List<Start> starts, List<Lane> takes, List<Candidate> taken) {
        Candidate next = lane.startable();
        while (next != null && running.size() + starts.size() + taken.size() < settings.run()) {
            if (lane.key.isRemote()) {
                if (running.remote() + taken.size() >= limit) return;
                lane.forget(next);
                lane.started();
                takes.add(lane);
                taken.add(next);
            } else {
                TaskSession session = sessions.acquire(lane.key);
                if (session == null) {
                    sessions.want(lane.startableCount(limit));
                    return;
                }
                start(lane, next, session, starts);
            }
            next = lane.startable();
        }
    }

    private void launch(List<Start> starts, List<ClaimedTask> begun) {
        Map<Long, ClaimedTask> tasks = new HashMap<>();
        begun.forEach(task -> tasks.put(task.id(), task));
        for (Start start : starts) {
            ClaimedTask task = tasks.get(start.task().id());
            if (task == null) notClaimed(start);
            else run(task, laneOf(start, task), start.session());
        }
    }

    /** The lane of the row as it was claimed: two groups may share a hash, and a row may change its group. */
    private Lane laneOf(Start start, ClaimedTask task) {
        if (start.lane().key.equals(task.lane())) return start.lane();
        start.lane().ended();
        Lane lane = backlog.lane(task.lane(), start.task().hash());
        lane.started();
        return lane;
    }

    /** Somebody has changed, stopped, deleted or locked it since it was seen. */
    private void notClaimed(Start start) {
        backlog.shun(start.task());
        TaskSession session = start.session();
        Lane lane = start.lane();
        session.unassigned();
        lane.ended();
        lane.doubt();
        backlog.touched(lane);
        if (session.done() > 0) lane.keepOpen(session);
        else sessions.release(session);
    }

    private void run(ClaimedTask task, Lane lane, TaskSession session) {
        running.took(task.id(), lane);
        executor.execute(() -> {
            TaskSession.End end = session.run(task);
            mailbox.post(() -> ended(task, session, end));
        });
    }

    private void ended(ClaimedTask task, TaskSession session, TaskSession.End end) {
        Lane lane = running.ended(task, end, stopping);
        lane.ended();
        // Its end may have changed the plans of those that wait.
        if (task.max() < 0 || end.outcome() == null) lane.doubt();
        backlog.touched(lane);
        if (!session.isUsable()) sessions.discard(session);
        else if (task.mayGoOn() && !stopping) lane.keepOpen(session);
        else if (lane.key.isRemote()) sessions.discard(session);
        else sessions.release(session);
    }

    /** Tasks for other servers are taken first, and begin when their session is there. */
    private void take(List<Lane> lanes, List<Candidate> tasks) throws SQLException {
        if (tasks.isEmpty()) return;
        List<Long> taken = ledger.take(tasks);
        for (int i = 0; i < tasks.size(); i++) {
            Candidate task = tasks.get(i);
            Lane lane = lanes.get(i);
            String remote = lane.key.remote();
            if (remote == null || !taken.contains(task.id())) {
                backlog.shun(task);
                lane.ended();
                lane.doubt();
                backlog.touched(lane);
                continue;
            }
            running.took(task.id(), lane);
            sessions.openRemote(remote, new Connecting(task, lane));
        }
    }

    /** A task that waits for its session at another server. */
    private final class Connecting implements Sessions.RemoteOpening {
        private final Candidate task;
        private final Lane lane;

        Connecting(Candidate task, Lane lane) {
            this.task = task;
            this.lane = lane;
        }

        @Override
        public void opened(TaskSession session) {
            running.arrived(new RunningTasks.Arrival(task, lane, session));
        }

        @Override
        public void busy(String reason) {
            log.info("task {} waits, its server takes no more sessions: {}", task.id(), reason);
            backlog.shun(task);
            running.gaveUp(task.id());
            left();
        }

        @Override
        public void failed(String reason) {
            running.failedToConnect(task.id(), reason);
            left();
        }

        private void left() {
            lane.ended();
            lane.doubt();
            backlog.touched(lane);
        }
    }

    /** Begins a task whose session at another server has come, unless somebody has changed its state meanwhile. */
    private void begin(RunningTasks.Arrival arrival) throws SQLException {
        TaskSession session = arrival.session();
        session.assigned(arrival.lane().key, arrival.task().max());
        ClaimedTask task = ledger.begin(arrival.task().id(), session.pid());
        if (task != null) {
            run(task, arrival.lane(), session);
            return;
        }
        running.gaveUp(arrival.task().id());
        arrival.lane().ended();
        backlog.touched(arrival.lane());
        sessions.discard(session);
    }

    /** Waits for something to do: naps while there was something a moment ago, then sleeps until the bell rings. */
    private void rest() throws SQLException, InterruptedException {
        sessions.closeIdle();
        long now = System.nanoTime();
        if (asleep) {
            sleep();
        } else if (now - activeAt < NAP_NANOS) {
            mailbox.await(Duration.ofNanos(lookedAt + lookGap - now));
        } else if (doorbell.listening() && books.one("fall_asleep", row -> row.getBoolean("asleep"), oid)) {
            asleep = true;
            setup.mendDefaults(oid);
            rung = true; // what was written before the lock was taken did not ring
        } else {
            mailbox.await(Duration.ofNanos(napGap));
            napGap = Math.min(napGap * 2, MAX_NAP_NANOS);
        }
    }

    private void sleep() throws SQLException, InterruptedException {
        long until = System.nanoTime() + timeToSleep().toNanos();
        while (!stopping) {
            long left = until - System.nanoTime();
            if (left <= 0) {
                rung = true;
                return;
            }
            if (mailbox.await(Duration.ofNanos(Math.min(left, PULSE.toNanos())))) return;
            if (books.isLost()) throw new SQLException("the scheduler's session was ended", "08006");
        }
    }

    private Duration timeToSleep() throws SQLException {
        return Stream.of(
                        settings.slowPoll(),
                        settings.reset().minusNanos(System.nanoTime() - resetAt),
                        lookout.nextPlan(),
                        Double.isInfinite(nextExpiry) ? null : Lookout.seconds(nextExpiry),
                        backlog.nextTry(),
                        running.unwritten().isEmpty() ? null : UNWRITTEN_RETRY,
                        sessions.nextTry(),
                        sessions.nextClose())
                .filter(Objects::nonNull)
                .min(Comparator.naturalOrder())
                .orElse(settings.slowPoll());
    }

    private void wake() throws SQLException {
        if (!asleep) return;
        asleep = false;
        books.run("wake", oid);
    }

    /** Cancels what runs and gives it back; what does not end in time is left to who comes next. */
    private void finishUp() throws SQLException, InterruptedException {
        long until = System.nanoTime() + STOP_PATIENCE.toNanos();
        while (running.size() > 0 && System.nanoTime() < until) {
            sessions.cancelAll();
            mailbox.await(PULSE.dividedBy(5));
        }
        settle();
        ledger.write(running.takeEnds(), List.of(), watched, running.unwritten());
    }
}
