package dev.howdah.sweep.internal.run;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.node.NodeIdentity;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.sweep.SweepOutageException;
import dev.howdah.sweep.internal.control.BackpressureProbe;
import dev.howdah.sweep.internal.control.ReceiverPause;
import dev.howdah.sweep.internal.control.SweepControl;
import dev.howdah.sweep.internal.control.WorkingHours;
import dev.howdah.sweep.internal.store.SweepSql;
import dev.howdah.sweep.internal.store.SweepSqlErrors;
import dev.howdah.sweep.internal.store.SweepStore;
import dev.howdah.sweep.internal.work.SweepMetrics;
import dev.howdah.sweep.internal.work.SweepWorker;
import dev.howdah.sweep.internal.work.WorkerContext;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in the book what the workers of this process have done, and hears there whether to go on; twice a second, in the session
 * whose lock says that the process lives. Now and then it ends the sessions of processes that do not.
 */
final class ProgressReporter implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(ProgressReporter.class);
    private static final Sql JOIN = SweepSql.SWEEP.statement("sweep_join");
    private static final Sql JOIN_ELSEWHERE = SweepSql.SWEEP.statement("sweep_join_elsewhere");
    private static final Sql SILENCE = SweepSql.SWEEP.statement("sweep_silence");
    private static final Sql TIMEOUT = SweepSql.SWEEP.statement("sweep_statement_timeout");
    private static final Sql REST = SweepSql.SWEEP.statement("sweep_rest");
    private static final Sql FAILED = SweepSql.SWEEP.statement("sweep_failed");
    private static final Sql ORDERS = SweepSql.SWEEP.statement("sweep_orders");
    private static final Sql NOTE = SweepSql.SWEEP.statement("sweep_note");
    private static final Sql LEAVE = SweepSql.SWEEP.statement("sweep_leave");
    private static final Sql STAFF = SweepSql.SWEEP.statement("sweep_staff");
    private static final Sql MOVE = SweepSql.SWEEP.statement("sweep_move");
    private static final Sql TAKE = SweepSql.SWEEP.statement("sweep_take");
    private static final Sql FINISH = SweepSql.SWEEP.statement("sweep_finish");
    private static final long EVERY_MILLIS = 400;
    private static final int DEAD_EVERY = 5;
    /** In rounds: how far the sweep is is written down about twice a minute. */
    private static final int NOTE_EVERY = 75;

    /** In rounds: a count that has failed is made again after that. */
    private static final int COUNT_EVERY = 25;

    private static final int COUNT_MILLIS = 800;

    /** Of the last report, where a lock is in the way: half a minute. */
    private static final int LAST_TRIES = 10;

    private static final int SILENCE_MILLIS = 10_000;

    private final ConnectionSource source;
    private final int sweep;
    private final Entry entry;
    private final SweepControl control;
    private final Consumer<String> orders;
    private final Consumer<Throwable> failures;
    private final SweepMetrics metrics;
    private final Counter counter;
    private final BackpressureProbe probe;
    private final ProgressWriter progress;
    private final DeadProcessRescuer dead;
    private volatile List<SweepWorker> workers = List.of();
    private final Object bell = new Object();
    private volatile int process;
    private volatile boolean over;
    private @Nullable DedicatedSession session;
    private int rounds;
    private int nextCount;

    /** Counts the rows that are to do. */
    interface Counter {
        PreflightCheck.Count count(DedicatedSession session) throws SQLException;
    }

    /**
     * A process as it stands in the book.
     *
     * @param run which of the sweep's runs it takes part in
     * @param name what the process is called
     * @param locks how many rows the process may have locked at the same time
     * @param mostFailed how many rows may fail for good, in all processes, before the sweep fails; 0: any number
     * @param maxOutage how long the receiver may be unavailable before the process leaves; null: without end
     */
    record Entry(
            int sweep,
            int run,
            String name,
            int locks,
            long mostFailed,
            @Nullable Duration maxOutage) {}

    /**
     * @param orders told when the sweep is not to go on here, with its state
     * @param failures told when the sweep is not to go on anywhere
     */
    ProgressReporter(
            ConnectionSource source,
            Entry entry,
            SweepControl control,
            BackpressureProbe probe,
            Counter counter,
            Consumer<String> orders,
            Consumer<Throwable> failures,
            SweepMetrics metrics) {
        this.source = source;
        this.sweep = entry.sweep();
        this.entry = entry;
        this.control = control;
        this.probe = probe;
        this.orders = orders;
        this.failures = failures;
        this.metrics = metrics;
        this.counter = counter;
        this.progress = new ProgressWriter(sweep);
        this.dead = new DeadProcessRescuer(sweep);
    }

    /** The number of this process; another one after its session was lost. */
    int process() {
        return process;
    }

    /** Joins, before any worker begins. */
    void begin(List<SweepWorker> all) throws SQLException {
        workers = all;
        session = open();
        round();
    }

    private DedicatedSession open() throws SQLException {
        DedicatedSession opened = new DedicatedSession(source.getConnection());
        try {
            opened.connection().setNetworkTimeout(Runnable::run, SILENCE_MILLIS);
            try (ResultSet row = opened.query(SILENCE)) {
                row.next();
            }
            int former = process;
            process = NodeIdentity.enter(
                            opened, JOIN, JOIN_ELSEWHERE, LEAVE, sweep, entry.name(), workers.size(), entry.locks())
                    .id();
            opened.update(STAFF, process);
            if (former != 0) {
                if (opened.update(MOVE, former, process) == 0) progress.goOn(opened, process);
                opened.update(LEAVE, former);
            }
            source.server().opened(opened);
            dead.begin(opened, former != 0);
            return opened;
        } catch (SQLException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    @Override
    public void run() {
        while (!over) {
            try {
                if (session == null) session = open();
                round();
                control.databaseOutage().worked();
            } catch (SQLException | RuntimeException e) {
                control.databaseOutage().failed("sweep " + sweep + " cannot be reported on", SweepSqlErrors.text(e));
                // Without its session it would be taken for dead, and is no better off in another one.
                if (!isConflict(e) && !(e instanceof SQLException full && SqlErrors.isOutOfMemory(full))) drop();
            }
            synchronized (bell) {
                try {
                    if (!over) bell.wait(EVERY_MILLIS);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    /** Reports and listens at once. */
    void hurry() {
        try {
            round();
        } catch (SQLException | RuntimeException e) {
            log.debug("sweep {}: {}", sweep, e.getMessage()); // it is tried again in a moment
        }
    }

    /** Reports and listens once. */
    private synchronized void round() throws SQLException {
        DedicatedSession open = session;
        if (open == null) return;
        control.hold(probe.complaint(open));
        progress.write(open, process, workers, control.held());
        tellOfPause(open);
        listen(open);
        source.server().answered();
        if (rounds % NOTE_EVERY == 0) note(open, false);
        if (rounds++ % DEAD_EVERY == 0) dead.rescue(open, process);
    }

    /** For its chart, without which the work goes on. */
    private void note(DedicatedSession open, boolean isEnd) throws SQLException {
        try {
            open.update(NOTE, sweep, isEnd);
        } catch (SQLException e) {
            if (SqlErrors.isConnectionLost(e)) throw e;
            log.debug("how far sweep {} is was not written down: {}", sweep, e.getMessage());
        }
    }

    /** A pause that is not told of because the database is away is none for others: they ask the receiver themselves. */
    private void tellOfPause(DedicatedSession open) throws SQLException {
        ReceiverPause pause = control.takePause();
        if (pause == null) return;
        open.update(REST, sweep, entry.run(), pause.length().toMillis() / 1000.0, pause.why());
    }

    private static void setTimeout(DedicatedSession open, int millis) throws SQLException {
        try (ResultSet row = open.query(TIMEOUT, String.valueOf(millis))) {
            row.next();
        }
    }

    private void listen(DedicatedSession open) throws SQLException {
        boolean isUncounted;
        try (ResultSet row = open.query(ORDERS, process, sweep)) {
            if (!row.next()) {
                orders.accept("removed");
                return;
            }
            String state = row.getString(1);
            double throttle = row.getDouble(2);
            if (row.getInt(4) != entry.run()) {
                orders.accept("started again");
                return;
            }
            if (!row.getBoolean(3)) throw new SQLException("this process was taken for dead", "57P05");
            control.errors(row.getBoolean(6));
            control.throttle(throttle <= 0 ? 0 : Math.max(throttle * row.getDouble(5), 0.001));
            control.pause(state.equals("paused"));
            if (!state.equals("running") && !state.equals("paused")) {
                orders.accept(state);
                return;
            }
            isUncounted = row.getBoolean(7);
            control.close(closed(row.getString(9), row.getTimestamp(8).toInstant()));
            double restSeconds = row.getDouble(10);
            String why = row.getString(11);
            if (restSeconds > 0 && why != null)
                control.rest(new ReceiverPause(why, Duration.ofMillis((long) (restSeconds * 1000))));
            double left = row.getDouble(12);
            metrics.report(row.wasNull() ? Double.NaN : left, state.equals("paused") || control.held() != null);
        }
        checkFailed(open);
        checkOutage();
        if (isUncounted && rounds >= nextCount) countAgain(open);
    }

    /** @param now by the clock of the database */
    private static @Nullable String closed(@Nullable String hours, Instant now) {
        try {
            return hours == null ? null : WorkingHours.of(hours).complaint(now);
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }

    private void checkFailed(DedicatedSession open) throws SQLException {
        long most = entry.mostFailed();
        if (most == 0 || !control.hasErrors()) return;
        try (ResultSet row = open.query(FAILED, sweep, most)) {
            row.next();
            control.failedForGood(row.getLong(1));
            if (row.getLong(1) >= most) failures.accept(WorkerContext.tooManyFailed(row.getLong(1)));
        }
    }

    private void checkOutage() {
        Duration most = entry.maxOutage();
        String reason = most == null ? null : control.outage(most);
        if (most == null || reason == null) return;
        failures.accept(new SweepOutageException(reason + ". That has lasted for " + (most.toMillis() + 500) / 1000
                + " s, so this process has left the sweep. Started again, it goes on"));
    }

    /**
     * The total was counted before this process began to work. A promoted standby may lack it; then what is left is counted.
     * Rows that are in work meanwhile are counted once more or not at all, so that the total is not exact.
     */
    private void countAgain(DedicatedSession open) throws SQLException {
        nextCount = rounds + COUNT_EVERY;
        try {
            long left;
            setTimeout(open, COUNT_MILLIS);
            try {
                left = counter.count(open).rows();
            } finally {
                setTimeout(open, 0);
            }
            SweepStore.total(open, sweep, left, false);
        } catch (SQLException e) {
            if (SqlErrors.isConnectionLost(e)) throw e;
            log.debug("the rows of sweep {} are counted another time: {}", sweep, SweepSqlErrors.text(e));
        }
    }

    /**
     * The last report. Retries for a while: it says what has become of the sweep.
     *
     * @param state in which the sweep ends; null: it goes on without this process
     */
    void end(@Nullable String state, @Nullable String error) {
        synchronized (bell) {
            over = true;
            bell.notifyAll();
        }
        metrics.end();
        int lost = 0;
        for (int tries = 0; tries < LAST_TRIES && lost < 3; tries++) {
            try {
                synchronized (this) {
                    DedicatedSession open = session;
                    if (open == null) {
                        open = open();
                        session = open;
                    }
                    progress.write(open, process, workers, control.held());
                    if (state != null) {
                        dead.rescue(open, process);
                        open.update(TAKE, sweep);
                        open.update(FINISH, sweep, state, error, entry.run());
                    }
                    open.update(LEAVE, process);
                    note(open, true);
                }
                break;
            } catch (SQLException | RuntimeException e) {
                log.warn("the end of sweep {} could not be written: {}", sweep, SweepSqlErrors.text(e));
                if (isConflict(e)) continue;
                lost++;
                drop();
            }
        }
        drop();
    }

    /** The server has refused the statement, as it does when a lock is not free in time; the session is as before. */
    private static boolean isConflict(Exception e) {
        return e instanceof SQLException refused && SqlErrors.isConflict(refused);
    }

    private synchronized void drop() {
        DedicatedSession open = session;
        session = null;
        if (open != null) open.close();
    }
}
