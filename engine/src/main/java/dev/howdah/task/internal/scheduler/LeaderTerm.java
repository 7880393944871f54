package dev.howdah.task.internal.scheduler;

import dev.howdah.internal.pause.PauseMark;
import dev.howdah.internal.run.Background;
import dev.howdah.internal.run.Mailbox;
import dev.howdah.task.TaskTuning;
import dev.howdah.task.internal.dispatch.CancelWatch;
import dev.howdah.task.internal.dispatch.DeferredWrites;
import dev.howdah.task.internal.dispatch.DependencyResolver;
import dev.howdah.task.internal.dispatch.Dispatcher;
import dev.howdah.task.internal.dispatch.FinishedTaskCleaner;
import dev.howdah.task.internal.dispatch.FollowUps;
import dev.howdah.task.internal.dispatch.OrphanRecovery;
import dev.howdah.task.internal.dispatch.RunningTasks;
import dev.howdah.task.internal.dispatch.ScanLoop;
import dev.howdah.task.internal.dispatch.TaskMetrics;
import dev.howdah.task.internal.dispatch.TaskStore;
import dev.howdah.task.internal.leader.DatabaseSessions;
import dev.howdah.task.internal.leader.LeaderSession;
import dev.howdah.task.internal.leader.SchedulerSettings;
import dev.howdah.task.internal.owner.SessionVersions;
import dev.howdah.task.internal.queue.CronAligner;
import dev.howdah.task.internal.queue.CronTimetable;
import dev.howdah.task.internal.queue.DueTaskQueries;
import dev.howdah.task.internal.queue.DueTaskScanner;
import dev.howdah.task.internal.queue.GroupPeek;
import dev.howdah.task.internal.queue.SessionZone;
import dev.howdah.task.internal.queue.WaitingTasks;
import dev.howdah.task.internal.session.SessionPool;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One term of office of the scheduler of a table: from its election to the loss of its session or its stop.
 *
 * <p>It goes in rounds. A round looks what is due when that is worth while, chooses what may start, and writes the ends
 * of tasks and the claims of new ones in one message. When a round has nothing to do the scheduler {@linkplain SchedulerIdleWait waits}.
 *
 * <p>All state belongs to the thread that calls {@link #serve}; sessions report by the mailbox.
 */
final class LeaderTerm {
    private static final Logger log = LoggerFactory.getLogger(LeaderTerm.class);

    private static final Duration STOP_PATIENCE = Duration.ofSeconds(5);

    /** What another system was sent cannot be taken back, and would be sent once more: so long it has to answer. */
    private static final Duration REACH_GRACE = Duration.ofSeconds(5);

    /** While tasks run their silence may be that of the network, which only a statement finds out. */
    private static final Duration BUSY_POLL = Duration.ofSeconds(2);

    /** So often a scheduler that does something asks at most whether everything is paused; each claim asks as well. */
    private static final Duration PAUSE_ASKED_EVERY = Duration.ofMillis(100);

    private final LeaderSession leaderSession;
    private final String number;
    private SchedulerSettings settings;
    private @Nullable TaskTuning retuned;
    private final SessionVersions versions;
    private final SessionZone zone;
    private final SessionPool sessions;
    private final Mailbox mailbox;
    private final Background background;
    private final TaskStore store;
    private final ScanLoop scanLoop;
    private final DependencyResolver dependents;
    private final FinishedTaskCleaner cleaner;
    private final RunningTasks running = new RunningTasks();
    private final WaitingTasks waiting = new WaitingTasks(id -> running.isOurs(id) || isLeft(id));
    private final Dispatcher dispatcher;
    private final DeferredWrites deferredWrites;
    private final OrphanRecovery recovery;
    private final CancelWatch cancelWatch;
    private final SchedulerIdleWait idleWait;
    private final TaskMetrics metrics;
    private final TaskDepthReporter depth;
    private final TaskClockWatch clock;

    private volatile boolean stopping;
    private boolean draining;
    private boolean paused;
    private long pauseAsked = System.nanoTime() - PAUSE_ASKED_EVERY.toNanos();
    private boolean rung = true;
    private boolean heard;
    private long resetAt = System.nanoTime();
    private Consumer<@Nullable String> refusals = reason -> {};
    private @Nullable String refusal;
    private Consumer<String> pauses = why -> {};

    /**
     * @param leaderSession the session that holds the scheduler's lock
     * @param mailbox what the caller of {@link #serve} reads; {@code background} reports to it
     */
    LeaderTerm(
            LeaderSession leaderSession,
            SchedulerIdleWait.Completion completion,
            long oid,
            SchedulerSettings settings,
            SessionZone zone,
            SessionVersions versions,
            SessionPool sessions,
            DatabaseSessions.Listening doorbell,
            Mailbox mailbox,
            Background background,
            TaskMetrics metrics) {
        this.leaderSession = leaderSession;
        this.number = Long.toString(oid);
        this.settings = settings;
        this.versions = versions;
        this.sessions = sessions;
        this.mailbox = mailbox;
        this.background = background;
        this.zone = zone;
        this.metrics = metrics;
        this.depth = new TaskDepthReporter(leaderSession, sessions, metrics);
        this.clock = new TaskClockWatch(leaderSession);
        CronTimetable timetable = new CronTimetable(zone);
        FollowUps followUps =
                new FollowUps(leaderSession, oid, timetable, () -> this.settings.shortestRepeat(), clock::planned);
        this.store = new TaskStore(leaderSession, followUps);
        this.dependents = new DependencyResolver(leaderSession, followUps);
        this.cleaner = new FinishedTaskCleaner(leaderSession, () -> this.settings.retention());
        this.idleWait = new SchedulerIdleWait(leaderSession, oid, completion, doorbell, mailbox, cleaner);
        this.deferredWrites = new DeferredWrites(running, store);
        this.cancelWatch = new CancelWatch(leaderSession, running, background, () -> this.settings.cancel());
        DueTaskQueries queries = new DueTaskQueries(leaderSession, oid, timetable, versions);
        this.scanLoop = new ScanLoop(
                new DueTaskScanner(queries),
                new GroupPeek(queries),
                dependents,
                new CronAligner(leaderSession, timetable, clock::aligned),
                waiting,
                running,
                store);
        this.recovery = new OrphanRecovery(leaderSession, sessions, background, running);
        this.dispatcher = new Dispatcher(
                waiting, running, sessions, store, background, metrics, settings.run(), settings.runPerOwner());
        dispatcher.lingerFor(settings.poll());
    }

    /** Returns whether a ring is for this one: its table's. */
    boolean isFor(String payload) {
        return payload.equals(number);
    }

    /** The table was written while the scheduler slept, or may have been. */
    void rung() {
        rung = true;
        heard = true;
    }

    /** Other settings hold from now on; from any thread. */
    void tune(TaskTuning tuning) {
        mailbox.post(() -> retuned = tuning);
    }

    private void retune() throws SQLException {
        TaskTuning tuning = retuned;
        if (tuning == null) return;
        retuned = null;
        settings = SchedulerSettings.read(leaderSession, tuning);
        if (!draining && !paused) dispatcher.mostTasks(settings.run());
        dispatcher.mostOfOwner(settings.runPerOwner());
        dispatcher.lingerFor(settings.poll());
    }

    /** No new task begins, and {@link #serve} returns when those that run have ended; from any thread. */
    void drain() {
        mailbox.post(() -> {
            draining = true;
            dispatcher.mostTasks(0);
        });
    }

    /** No new task begins; from any thread. */
    void stop() {
        stopping = true;
        mailbox.post(() -> {});
    }

    /**
     * Serves until {@link #stop}, or until everything in the database is paused and what runs has ended; fails when its session is
     * lost.
     */
    void serve() throws SQLException, InterruptedException {
        try {
            metrics.leads();
            readable(() -> {
                recovery.begin(waiting);
                reset();
                return true;
            });
            while (!stopping && !((draining || paused) && running.size() == 0)) {
                mailbox.handleAll();
                if (!readable(this::round)) rest();
            }
            finishUp();
        } finally {
            // Without its session another scheduler may lead, which does them again.
            running.cancelReaching();
            sessions.keepOutputs(id -> false);
            metrics.leaves();
        }
    }

    private interface Work {
        boolean run() throws SQLException, InterruptedException;
    }

    /** Begins anew when rows that cannot be read have been set aside: they fail, and no other task is affected. */
    private boolean readable(Work work) throws SQLException, InterruptedException {
        for (; ; ) {
            try {
                return work.run();
            } catch (SQLException e) {
                if (leaderSession.isLoss(e) || !store.setAside(e)) throw e;
                rung = true;
            }
        }
    }

    private void reset() throws SQLException {
        int put = putBack(recovery.withRunning());
        if (put > 0) log.info("{} tasks without a session wait again", put);
        deferredWrites.adopt();
        if (hasExpiredDocuments()) background.run(sessions.reach()::removeExpired);
        resetAt = System.nanoTime();
    }

    /** They are removed in a session of their own, which is not opened for nothing. */
    private boolean hasExpiredDocuments() throws SQLException {
        List<Boolean> found = new ArrayList<>();
        try {
            leaderSession
                    .message()
                    .add("document_table_found", row -> found.add(row.getBoolean("there")))
                    .sendOnce();
            if (!found.contains(true)) return false;
            found.clear();
            // Where another session has locked the table it is not waited for.
            leaderSession
                    .message()
                    .add("document_expired", row -> found.add(row.getBoolean("found")))
                    .sendOnce();
        } catch (SQLException e) {
            if (leaderSession.isLoss(e)) throw e;
            log.debug("documents are not looked at: {}", e.getMessage());
            return false;
        }
        return found.contains(true);
    }

    /** TAKE or WORK to PLAN for tasks that no session runs; one by one where a row keeps the others from it. Returns how many. */
    private int putBack(Long[] ours) throws SQLException {
        try {
            return leaderSession
                    .query("task_reset", row -> row.getLong("id"), (Object) ours)
                    .size();
        } catch (SQLException e) {
            if (leaderSession.isLoss(e)) throw e;
            List<Long> stranded = leaderSession.query("task_stranded", row -> row.getLong("id"), (Object) ours);
            log.debug("{} tasks are put back one by one: {}", stranded.size(), e.getMessage());
            return stranded.size() - store.giveBack(stranded).size();
        }
    }

    /** Does what can be done now; says whether that was anything. */
    private boolean round() throws SQLException {
        retune();
        if (isPaused()) return settlePaused();
        boolean wrote = settle();
        cancelWatch.step(rung);
        if (heard) idleWait.active();
        if (zone.takeRead()) rung = true; // tasks without a zone of their own, which the last look left out
        if (rung || scanLoop.nanosToScan() <= 0) look();
        rung |= scanLoop.peek();
        wrote |= scanLoop.takeExpired();
        if (wrote) idleWait.active();
        boolean busy = dispatcher.dispatch(scanLoop.watched());
        if (versions.takeMissing()) rung = true; // tasks of an owner of whom nothing is known yet
        if (dependents.ended(store.takeEnded())) rung = true;
        if (store.takeReplaced()) rung = true;
        sessions.keepOutputs(running::holds);
        tellOfRefusal();
        cleaner.step();
        depth.step(running.size());
        if (clock.step()) rung = true;
        if (busy) idleWait.busy();
        idleWait.stayAwake(wrote || busy);
        return busy;
    }

    private boolean isPaused() throws SQLException {
        if (paused || System.nanoTime() - pauseAsked < PAUSE_ASKED_EVERY.toNanos()) return paused;
        pauseAsked = System.nanoTime();
        paused = leaderSession.one("task_paused", row -> row.getBoolean("paused"));
        if (!paused) return false;
        dispatcher.mostTasks(0);
        PauseMark mark = leaderSession.pause().mark();
        pauses.accept(mark == null ? "paused" : mark.toString());
        return true;
    }

    /** What runs comes to its end, and can be cancelled; all else waits. */
    private boolean settlePaused() throws SQLException {
        dispatcher.beginArrived();
        deferredWrites.settle();
        cancelWatch.step(rung);
        rung = false;
        heard = false;
        boolean busy = dispatcher.dispatch(scanLoop.watched());
        sessions.keepOutputs(running::holds);
        depth.step(running.size());
        return busy;
    }

    /** From the beginning on that is told why no session can be opened, and null when one was. */
    void tellOfRefusals(Consumer<@Nullable String> listener) {
        refusals = listener;
    }

    /** From the beginning on that is told when everything in the database is paused. */
    void tellOfPause(Consumer<String> listener) {
        pauses = listener;
    }

    private void tellOfRefusal() {
        String now = sessions.loginRefusal();
        if (Objects.equals(now, refusal)) return;
        refusal = now;
        refusals.accept(now);
    }

    /** Returns whether an earlier scheduler's session may still run it. */
    private boolean isLeft(long id) {
        return recovery.contains(id);
    }

    /** Says whether something was written of tasks that have ended, or wait again. */
    private boolean settle() throws SQLException {
        recovery.goOn(waiting);
        dispatcher.beginArrived();
        boolean wrote = deferredWrites.settle();
        if (!paused && System.nanoTime() - resetAt >= settings.reset().toNanos()) reset();
        return wrote;
    }

    private void look() throws SQLException {
        boolean anew = rung;
        rung = false;
        rung |= scanLoop.scan(anew, idleWait.isAsleep() && heard);
        sessions.dropOutdated();
        if (heard) idleWait.awoken();
        heard = false;
    }

    private void rest() throws SQLException, InterruptedException {
        sessions.closeIdle();
        if (paused) {
            mailbox.await(PAUSE_ASKED_EVERY);
            return;
        }
        if (!running.shortEnds().isEmpty()) {
            mailbox.await(Duration.ofNanos(
                    Math.min(scanLoop.nanosToScan(), running.shortEnds().nanosToHold())));
            return;
        }
        boolean restless = !scanLoop.walkedAll() || rung;
        // Not |= at once: it may ring meanwhile.
        boolean anew = idleWait.rest(scanLoop.nanosToScan(), restless, this::timeToSleep, () -> !stopping);
        rung |= anew;
    }

    private Duration timeToSleep() {
        return Stream.of(
                        settings.slowPoll(),
                        settings.reset().minusNanos(System.nanoTime() - resetAt),
                        running.size() > 0 ? BUSY_POLL : null,
                        scanLoop.next(),
                        waiting.nextTry(),
                        deferredWrites.nextTry(),
                        recovery.nextTry(),
                        cancelWatch.nextTry(),
                        depth.next(),
                        sessions.nextTry(),
                        dispatcher.nextRetirement(),
                        sessions.nextClose())
                .filter(Objects::nonNull)
                .min(Comparator.naturalOrder())
                .orElse(settings.slowPoll());
    }

    /** Cancels running tasks and gives them back; those that do not end in time are left to the next leader. */
    private void finishUp() throws SQLException, InterruptedException {
        long asked = System.nanoTime();
        dispatcher.stop();
        if (running.isReaching()) log.info("tasks that reach out have {} s to end", REACH_GRACE.toSeconds());
        awaitEnds(() -> running.isReaching() && System.nanoTime() - asked < REACH_GRACE.toNanos());
        running.cancelReaching();
        long cancelled = System.nanoTime();
        awaitEnds(() -> running.size() > 0 && System.nanoTime() - cancelled < STOP_PATIENCE.toNanos());
        settle();
        store.write(running.takeAllEnds(), List.of(), false, running.unwritten());
    }

    /** Writes ends as they come: a program that is killed before it has stopped has written those it has heard of. */
    private void awaitEnds(BooleanSupplier on) throws SQLException, InterruptedException {
        while (on.getAsBoolean()) {
            if (!mailbox.await(SchedulerIdleWait.PULSE.dividedBy(5))) {
                sessions.cancelAll();
                continue;
            }
            dispatcher.beginArrived();
            deferredWrites.settle();
            store.write(running.takeAllEnds(), List.of(), false, running.unwritten());
        }
    }
}
