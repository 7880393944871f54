package dev.howdah.task.internal.scheduler;

import dev.howdah.internal.run.LogContext;
import dev.howdah.internal.run.Mailbox;
import dev.howdah.internal.run.Threads;
import dev.howdah.internal.wire.WireException;
import dev.howdah.task.TaskScheduler;
import dev.howdah.task.TaskTableException;
import dev.howdah.task.TaskTuning;
import dev.howdah.task.internal.leader.DatabaseSessions;
import dev.howdah.task.internal.leader.Elector;
import dev.howdah.task.internal.leader.LeaderSession;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of a scheduler from its start to its close: connects, stands by until it is elected, serves a {@link LeaderTerm}, and
 * begins anew whenever it has lost its session. {@link #run} belongs to one thread; the rest may be called by any.
 */
public final class SchedulerLoop implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(SchedulerLoop.class);

    /** What a scheduler that lets go of its lock rings. */
    private static final String VACANT = "vacant";

    private static final Duration FIRST_RETRY = Duration.ofMillis(100);
    private static final Duration LAST_RETRY = Duration.ofSeconds(5);
    private static final Duration REFUSED_RETRY = Duration.ofSeconds(10);

    private final TermSetup.Terms terms;
    private final DatabaseSessions shared;
    private final TaskScheduler.Listener listener;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final CountDownLatch served = new CountDownLatch(1);
    private volatile TaskTuning tuning;
    private volatile boolean draining;
    private volatile @Nullable LeaderSession leaderSession;
    private volatile @Nullable LeaderTerm term;
    private Duration retry = FIRST_RETRY;

    public SchedulerLoop(
            TermSetup.Terms terms, DatabaseSessions shared, TaskTuning tuning, TaskScheduler.Listener listener) {
        this.terms = terms;
        this.shared = shared;
        this.tuning = tuning;
        this.listener = listener;
    }

    /** Waits until it serves, or stands by for another one that does; false if that takes longer. */
    public boolean awaitServed(Duration timeout) throws InterruptedException {
        return served.await(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS);
    }

    /** As {@link TaskScheduler#drain}. */
    public void drain() {
        draining = true;
        LeaderTerm serving = term;
        if (serving != null) serving.drain();
        else stop();
    }

    /** Cancels the tasks that run, and ends; returns at once. */
    public void stop() {
        closed.countDown();
        LeaderTerm serving = term;
        LeaderSession keeping = leaderSession;
        if (serving != null) serving.stop();
        else if (keeping != null) keeping.abort();
    }

    /** Waits for nothing any more. */
    public void abort() {
        LeaderSession keeping = leaderSession;
        if (keeping != null) keeping.abort();
    }

    /** As {@link TaskScheduler#tune}. */
    public void tune(TaskTuning now) {
        tuning = now;
        LeaderTerm serving = term;
        if (serving != null) serving.tune(now);
    }

    @Override
    public void run() {
        // Several may be served, in several databases.
        try (LogContext named = context()) {
            serveUntilClosed();
        } finally {
            if (isOpen()) terms.meter().leaves();
            else terms.meter().over();
        }
    }

    private LogContext context() {
        return LogContext.isOff()
                ? LogContext.off()
                : LogContext.of(
                        "database",
                        terms.acting().database(),
                        "table",
                        terms.table().toString());
    }

    private void serveUntilClosed() {
        while (isOpen()) {
            try (LeaderSession opened = shared.open(terms.acting(), terms.table(), terms.lease())) {
                leaderSession = opened;
                serveOrLose(opened);
            } catch (TaskTableException e) {
                listener.refused(String.valueOf(e.getMessage()));
                pause(REFUSED_RETRY);
            } catch (SQLException | WireException e) {
                lost(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (RuntimeException | Error e) {
                log.error("the scheduler of {} starts again after an error of its own", terms.table(), e);
                Threads.survived(e);
                pause(LAST_RETRY);
            } finally {
                leaderSession = null;
            }
        }
    }

    public boolean isOpen() {
        return closed.getCount() > 0;
    }

    private void lost(Exception e) {
        if (!isOpen()) return;
        String state = e instanceof SQLException sql ? sql.getSQLState() : ((WireException) e).sqlState();
        if ("42501".equals(state)) listener.refused(String.valueOf(e.getMessage()));
        else listener.waiting(String.valueOf(e.getMessage()));
        pause(retry);
        retry = retry.multipliedBy(2).compareTo(LAST_RETRY) > 0 ? LAST_RETRY : retry.multipliedBy(2);
    }

    private void pause(Duration duration) {
        try {
            if (closed.await(duration.toMillis(), TimeUnit.MILLISECONDS)) log.debug("closed while pausing");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void serveOrLose(LeaderSession opened) throws SQLException, WireException, InterruptedException {
        try {
            serve(opened);
        } catch (SQLException e) {
            if (opened.isLoss(e)) opened.lost();
            throw e;
        }
    }

    private void serve(LeaderSession opened) throws SQLException, WireException, InterruptedException {
        Mailbox mailbox = new Mailbox();
        AtomicBoolean rings = new AtomicBoolean();
        AtomicBoolean pending = new AtomicBoolean();
        // A standby hears that the lock has become free; and a leader that it is asked for a sign of life, at any time.
        try (DatabaseSessions.Listening doorbell =
                shared.listen(terms.database(), opened.server(), this::knows, payload -> rung(pending, mailbox))) {
            Elector elector = new Elector(opened, terms.table(), terms.lease(), mailbox);
            if (elector.await(this::isOpen, this::standsBy, this::isPaused)) serve(opened, doorbell, mailbox);
        }
    }

    /** A scheduler at work hears of what was written to its table; one that stands by, that the office may be vacant. */
    private boolean knows(String payload) {
        LeaderTerm serving = term;
        return serving != null ? serving.isFor(payload) : payload.equals(VACANT);
    }

    /** However often it is rung, one letter at most waits in the mailbox. */
    private void rung(AtomicBoolean pending, Mailbox mailbox) {
        if (!pending.compareAndSet(false, true)) return;
        mailbox.post(() -> {
            pending.set(false);
            LeaderTerm serving = term;
            if (serving != null) serving.rung();
        });
    }

    private void serve(LeaderSession opened, DatabaseSessions.Listening doorbell, Mailbox mailbox)
            throws SQLException, WireException, InterruptedException {
        try (TermSetup prepared = terms.prepare(opened, doorbell, mailbox, tuning)) {
            LeaderTerm serving = prepared.term();
            serving.tellOfRefusals(listener::sessionsRefused);
            serving.tellOfPause(this::isPaused);
            term = serving;
            if (!isOpen()) serving.stop();
            else if (draining) serving.drain();
            retry = FIRST_RETRY;
            served.countDown();
            String stranger = opened.pause().stranger();
            if (stranger != null) log.error("{}", stranger);
            terms.meter().paused(false);
            listener.active();
            prepared.tidyUp();
            serving.serve();
            if (draining) closed.countDown();
        } finally {
            term = null;
        }
    }

    private void isPaused(String why) {
        retry = FIRST_RETRY;
        served.countDown();
        terms.meter().paused(true);
        listener.paused(why);
    }

    private void standsBy(String holder) {
        retry = FIRST_RETRY;
        served.countDown();
        terms.meter().paused(false);
        listener.standby(holder);
    }
}
