package dev.howdah.job;

import dev.howdah.internal.sql.BorrowedConnection;
import dev.howdah.internal.sql.ConnectionSource;
import dev.howdah.internal.trace.Tracing;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls the handler of a job and says how that ended. Whatever a handler throws ends here. Safe for use by many threads. */
final class JobRunner {
    private static final Logger log = LoggerFactory.getLogger(JobRunner.class);
    private static final String BEFORE_IT_BEGAN = "cancelled before it began";
    private static final Tracing TRACING = Tracing.find(JobRunner.class);
    private static final int LONGEST_ERROR = 10_000;

    private final ConnectionSource source;
    private final PayloadCodec codec;
    private final Map<String, Work<?>> works;
    private final Lanes lanes;
    private final Meter meter;
    private volatile Set<Long> cancelled = Set.of();
    private final List<Seat> seats = new CopyOnWriteArrayList<>();

    /** The place of one thread that runs jobs, where others see what it runs. */
    static final class Seat {
        private volatile @Nullable Running running;
    }

    JobRunner(ConnectionSource source, PayloadCodec codec, Map<String, Work<?>> works, Lanes lanes, Meter meter) {
        this.source = source;
        this.lanes = lanes;
        this.codec = codec;
        this.works = Map.copyOf(works);
        this.meter = meter;
    }

    /** Who is told of jobs. */
    Meter meter() {
        return meter;
    }

    /** The kinds that it can work. */
    Set<String> kinds() {
        return works.keySet();
    }

    /** The kinds of which each job needs a batch of its own. */
    String[] aloneKinds() {
        return works.values().stream()
                .filter(Work::transactional)
                .map(work -> work.kind().name())
                .toArray(String[]::new);
    }

    /** A place for a thread that runs jobs. */
    Seat seat() {
        Seat seat = new Seat();
        seats.add(seat);
        return seat;
    }

    /** That thread runs no more. */
    void leave(Seat seat) {
        seats.remove(seat);
    }

    /** Runs a job of a lease to its end, in this thread; returns whether it was the last one of the lease. */
    boolean run(Seat seat, Lease lease, int i) {
        TakenJob job = lease.job(i);
        long began = System.nanoTime();
        String kind = lease.kind(i);
        Work<?> work = works.get(kind);
        if (work == null) throw new IllegalStateException("no handler for " + kind);
        Running run = new Running(lease, i, codec, job.timeout(work.timeout()), began);
        seat.running = run;
        Verdict verdict;
        try {
            // Whoever cancels says so first, and then looks who runs.
            if (!cancelled.isEmpty() && cancelled.contains(job.id())) verdict = Verdict.cancelled(BEFORE_IT_BEGAN);
            else verdict = work.transactional() ? inTransaction(work, lease, job, run) : call(work, job, run, null);
        } finally {
            seat.running = null;
            run.over();
        }
        return lease.end(i, verdict, began, System.nanoTime());
    }

    private Verdict call(Work<?> work, TakenJob job, Running run, @Nullable Connection connection) {
        String payload = job.payload();
        if (payload == null) return Verdict.failed("its payload is missing in howdah.body");
        try {
            Map<String, String> trace = job.trace();
            Outcome outcome = trace.isEmpty()
                    ? work.run(codec, payload, run, connection)
                    : TRACING.within(trace, () -> work.run(codec, payload, run, connection));
            return verdict(outcome, job, run);
        } catch (Throwable e) {
            return failure(e, work.retries(), job, run);
        }
    }

    private Verdict inTransaction(Work<?> work, Lease lease, TakenJob job, Running run) {
        Verdict verdict = null;
        ConnectionSource sessions = work.source() == null ? source : work.source();
        try (Connection connection = sessions.getConnection()) {
            connection.setAutoCommit(false);
            OwnTransaction own = new OwnTransaction(connection, lease, job, work.source() != null);
            try {
                if (!own.begin()) {
                    log.warn("job {} ({}) is not this node's any more, and was not begun", job.id(), run.kind());
                    return Verdict.WRITTEN;
                }
                verdict = call(work, job, run, BorrowedConnection.of(connection, "job"));
                // Who was told to end and has nevertheless done his work has done it.
                run.over();
                if (!verdict.isSuccess()) return verdict;
                if (verdict.next() != null) makeLane(verdict.next(), job);
                own.end(verdict, run.began());
                connection.commit();
                return Verdict.WRITTEN;
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            // A failure stands, whatever the session says behind it.
            if (verdict != null && !verdict.isSuccess()) return verdict;
            Verdict.Step next = verdict == null ? null : verdict.next();
            if (next != null && isBadData(e)) return next.refused(String.valueOf(e.getMessage()));
            return failure(e, work.retries(), job, run);
        }
    }

    private static boolean isBadData(SQLException e) {
        return e.getSQLState() != null && e.getSQLState().startsWith(Ledger.BAD_DATA);
    }

    /** In a session of its own: made in the job's transaction it would hold up others. */
    private void makeLane(Verdict.Step next, TakenJob job) throws SQLException {
        lanes.forJob(next.queue(), next.kind(), job.priority());
    }

    @SuppressWarnings("ConstantValue") // handlers are not held to promise that they never say null
    private Verdict verdict(Outcome outcome, TakenJob job, Running run) {
        if (outcome == null) throw new NullPointerException("its handler said null instead of how the job ended");
        if (outcome instanceof Outcome.Snooze snooze) return Verdict.snooze(Delays.micros(snooze.delay()));
        if (outcome instanceof Outcome.Retry retry) return again(job, retry.delay(), retry.reason());
        if (outcome instanceof Outcome.Fail fail) return Verdict.failed(text(fail.reason()));
        if (outcome instanceof Move move)
            return Verdict.next(new Verdict.Step(move.queue(), move.kind(), codec.encode(move.payload())));
        if (outcome instanceof Outcome.Next)
            return Verdict.failed("its handler said next, but " + run.kind() + " is no stage of a pipeline");
        String result = run.result();
        return result == null ? Verdict.DONE : new Verdict('d', 0, null, result);
    }

    private static Verdict failure(Throwable thrown, RetryPolicy retries, TakenJob job, Running run) {
        Running.Reason reason = run.reason();
        if (reason == Running.Reason.CANCELLED) return Verdict.cancelled(reason.words());
        if (reason == Running.Reason.STOPPING || reason == Running.Reason.LOST) return Verdict.GIVEN_BACK;
        String error = reason == Running.Reason.TIMEOUT ? reason.words() + ": " + describe(thrown) : describe(thrown);
        log.debug("attempt {} of job {} ({}) failed", job.attempt() + 1, job.id(), run.kind(), thrown);
        if (thrown instanceof FatalException) return Verdict.failed(text(error));
        Duration delay;
        try {
            delay = retries.delay(job.attempt() + 1, thrown).map(Delays::check).orElse(null);
        } catch (RuntimeException e) {
            return Verdict.failed(text(error + "; and its retry policy failed: " + describe(e)));
        }
        return again(job, delay, error);
    }

    /** Unless there is no delay, or the job itself says that this was its last attempt. */
    private static Verdict again(TakenJob job, @Nullable Duration delay, String error) {
        if (delay == null || job.attempt() + 1 >= job.attempts()) return Verdict.failed(text(error));
        return Verdict.retry(Delays.micros(delay), text(error));
    }

    private static String describe(Throwable thrown) {
        String message = thrown.getMessage();
        return message == null || message.isBlank() ? thrown.getClass().getName() : message;
    }

    /** PostgreSQL's text has no character 0, and nobody reads a megabyte. */
    private static String text(String error) {
        String clean = error.replace('\0', '\uFFFD');
        return clean.length() <= LONGEST_ERROR ? clean : clean.substring(0, LONGEST_ERROR) + "...";
    }

    private List<Running> running() {
        List<Running> all = new ArrayList<>();
        for (Seat seat : seats) {
            Running run = seat.running;
            if (run != null) all.add(run);
        }
        return all;
    }

    /** Interrupts what runs past its time. */
    void interruptOverdue() {
        long now = System.nanoTime();
        for (Running each : running()) if (each.isOverdue(now)) each.interrupt(Running.Reason.TIMEOUT);
    }

    /** Interrupts those jobs, because somebody cancelled them; what has not begun will not. Of others it was said before. */
    void cancel(Set<Long> jobs) {
        cancelled = Set.copyOf(jobs);
        for (Running each : running()) if (jobs.contains(each.id())) each.interrupt(Running.Reason.CANCELLED);
    }

    /** Interrupts the jobs of a lease that is not this node's any more. */
    void lost(Lease lease) {
        for (Running each : running()) if (each.isOf(lease)) each.interrupt(Running.Reason.LOST);
    }

    /** Interrupts everything. */
    void interruptAll(Running.Reason reason) {
        for (Running each : running()) each.interrupt(reason);
    }

    /** Whether nothing runs. */
    boolean isIdle() {
        return running().isEmpty();
    }
}
