package dev.howdah.job.internal.execute;

import dev.howdah.internal.connection.BorrowedConnection;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.TransactionSession;
import dev.howdah.internal.error.AttemptLog;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.run.LogContext;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.internal.trace.Tracing;
import dev.howdah.job.FatalException;
import dev.howdah.job.JobsException;
import dev.howdah.job.Outcome;
import dev.howdah.job.internal.batch.AttemptResult;
import dev.howdah.job.internal.batch.BatchMetrics;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.batch.ClaimedJob;
import dev.howdah.job.internal.lane.LaneRegistry;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.store.JobMetrics;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls the handler of a job and says how that ended. Whatever a handler throws ends here. Safe for use by many threads. */
public final class JobExecutor {
    private static final Logger log = LoggerFactory.getLogger(JobExecutor.class);
    private static final String BEFORE_IT_BEGAN = "cancelled before it began";
    private static final Tracing TRACING = Tracing.find(JobExecutor.class);
    private static final int LONGEST_CHAIN = 50;
    private static final long NO_CONNECTION_MICROS = 5_000_000;

    private final ConnectionSource source;
    private final PayloadCodec codec;
    private final Map<String, HandlerRegistration<?>> works;
    private final LaneRegistry lanes;
    private final BatchMetrics metrics;
    private final AttemptLog attempts;
    private final JobNotes notes = new JobNotes();
    private volatile Set<Long> cancelled = Set.of();
    private final List<Seat> seats = new CopyOnWriteArrayList<>();

    /** The place of one thread that runs jobs, where others see what it runs. */
    public static final class Seat {
        private volatile @Nullable RunningJob running;
    }

    /** @param attempts where failed attempts are logged */
    public JobExecutor(
            ConnectionSource source,
            PayloadCodec codec,
            Map<String, HandlerRegistration<?>> works,
            LaneRegistry lanes,
            JobMetrics meter,
            Logger attempts) {
        this.source = source;
        this.lanes = lanes;
        this.codec = codec;
        this.works = Map.copyOf(works);
        this.metrics = new BatchMetrics(meter);
        this.attempts = new AttemptLog(attempts);
    }

    /** The listeners of jobs. */
    public BatchMetrics metrics() {
        return metrics;
    }

    /** What the handlers say of their jobs. */
    public JobNotes notes() {
        return notes;
    }

    /** The kinds that it can work. */
    public Set<String> kinds() {
        return works.keySet();
    }

    /** The kinds of which each job needs a batch of its own. */
    public String[] aloneKinds() {
        return works.values().stream()
                .filter(HandlerRegistration::transactional)
                .map(work -> work.kind().name())
                .toArray(String[]::new);
    }

    /** A place for a thread that runs jobs. */
    public Seat seat() {
        Seat seat = new Seat();
        seats.add(seat);
        return seat;
    }

    /** That thread runs no more. */
    void leave(Seat seat) {
        seats.remove(seat);
    }

    /**
     * Runs a job of a batch to its end, in this thread; returns whether it was the last one of the batch. Throws nothing that a handler,
     * codec, retry policy or data source has thrown, whatever it is.
     */
    public boolean run(Seat seat, ClaimedBatch batch, int i) {
        long began = System.nanoTime();
        AttemptResult result = AttemptResult.UNEXPECTED;
        try {
            result = attempt(seat, batch, i, began);
        } catch (Throwable e) {
            try {
                result = unexpected(e, batch.job(i));
            } catch (Throwable another) {
                // Such as no memory: it stays what it is.
            }
        }
        return batch.end(i, result, began, System.nanoTime());
    }

    private AttemptResult attempt(Seat seat, ClaimedBatch batch, int i, long began) {
        ClaimedJob job = batch.job(i);
        String kind = batch.kind(i);
        HandlerRegistration<?> work = works.get(kind);
        if (work == null) throw new IllegalStateException("no handler for " + kind);
        RunningJob run = new RunningJob(
                batch,
                i,
                codec,
                work.retries(),
                notes,
                work.transactional() ? null : source,
                job.timeout(work.timeout()),
                began);
        seat.running = run;
        try (LogContext context = context(run)) {
            // A cancellation is recorded first, and only then are running jobs looked up.
            if (!cancelled.isEmpty() && cancelled.contains(job.id())) return AttemptResult.cancelled(BEFORE_IT_BEGAN);
            return work.transactional() ? inTransaction(work, batch, job, run) : call(work, job, run, null);
        } finally {
            seat.running = null;
            run.over();
        }
    }

    private static LogContext context(RunningJob run) {
        if (LogContext.isOff()) return LogContext.off();
        return LogContext.of(
                "feature",
                "jobs",
                "queue",
                run.queue(),
                "kind",
                run.kind(),
                "id",
                Long.toString(run.id()),
                "attempt",
                Integer.toString(run.attempt()));
    }

    /** Something else than user code has failed, or there is no memory left: the standard policy holds. */
    private AttemptResult unexpected(Throwable thrown, ClaimedJob job) {
        ErrorText error = ErrorText.of(thrown);
        Duration delay = RetryPolicy.standard().delay(job.attempt() + 1, thrown).orElse(null);
        attempts.failed(error, thrown, "attempt {} of job {} could not be made", job.attempt() + 1, job.id());
        if (delay == null || job.attempt() + 1 >= job.attempts()) return AttemptResult.failed(error.text());
        return AttemptResult.retry(Durations.micros(delay), error.text());
    }

    private AttemptResult call(
            HandlerRegistration<?> work, ClaimedJob job, RunningJob run, @Nullable Connection connection) {
        String payload = job.payload();
        if (payload == null) return failed(ErrorText.of("its payload is missing in howdah.body"), null, run);
        try {
            Map<String, String> trace = job.trace();
            Outcome outcome = trace.isEmpty()
                    ? work.run(codec, payload, run, connection)
                    : TRACING.within(trace, () -> work.run(codec, payload, run, connection));
            return result(outcome, work.retries(), job, run);
        } catch (Throwable e) {
            return failure(e, work.retries(), job, run);
        }
    }

    private AttemptResult inTransaction(
            HandlerRegistration<?> work, ClaimedBatch batch, ClaimedJob job, RunningJob run) {
        ConnectionSource sessions = work.source() == null ? source : work.source();
        TransactionSession session;
        try {
            session = sessions.transactionSession();
        } catch (SQLException | RuntimeException e) {
            // Its handler was not called: this was no attempt.
            if (run.reason() != null) return failure(e, work.retries(), job, run);
            log.warn(
                    "job {} ({}) got no connection for its transaction and waits: {}",
                    job.id(),
                    run.kind(),
                    e.getMessage());
            return AttemptResult.snooze(NO_CONNECTION_MICROS);
        }
        AttemptResult result = null;
        boolean begun = false;
        boolean committed = false;
        try (session) {
            Connection connection = session.connection();
            connection.setAutoCommit(false);
            JobTransaction own = new JobTransaction(connection, batch, job, work.source() != null);
            if (!own.begin()) {
                log.warn("job {} ({}) is not this node's any more, and was not begun", job.id(), run.kind());
                return AttemptResult.WRITTEN;
            }
            begun = true;
            result = call(work, job, run, BorrowedConnection.of(connection, "job"));
            // A handler that was interrupted and has nevertheless returned normally has done its work.
            run.over();
            if (!result.isSuccess()) return result;
            if (result.next() != null) makeLane(result.next(), job);
            own.end(result, run.began());
            connection.commit();
            committed = true;
            return AttemptResult.WRITTEN;
        } catch (Throwable e) {
            // The session was lost while it was not in use.
            if (!begun && session.isReused() && e instanceof SQLException) {
                sessions.closeSpareSessions();
                return inTransaction(work, batch, job, run);
            }
            // What is committed stands, and so does a failure, whatever the session says behind it.
            if (committed) return AttemptResult.WRITTEN;
            if (result != null && !result.isSuccess()) return result;
            AttemptResult.Step next = result == null ? null : result.next();
            if (next != null && e instanceof SQLException s && isBadData(s))
                return failed(ErrorText.of(e, next.refusal(), true), e, run);
            return failure(e, work.retries(), job, run);
        }
    }

    private static boolean isBadData(SQLException e) {
        return SqlErrors.isBadData(e);
    }

    /** In a session of its own: made in the job's transaction it would hold up others. */
    private void makeLane(AttemptResult.Step next, ClaimedJob job) throws SQLException {
        lanes.forJob(next.queue(), next.kind(), job.priority());
    }

    @SuppressWarnings("ConstantValue") // handlers are not held to promise that they never say null
    private AttemptResult result(Outcome outcome, RetryPolicy retries, ClaimedJob job, RunningJob run) {
        if (outcome == null) throw new NullPointerException("its handler said null instead of how the job ended");
        if (outcome instanceof Outcome.Snooze snooze) return AttemptResult.snooze(Durations.micros(snooze.delay()));
        if (outcome instanceof Outcome.Retry retry) return asked(retry, retries, job, run);
        if (outcome instanceof Outcome.Fail fail) return failed(ErrorText.of(fail.reason()), null, run);
        if (outcome instanceof Outcome.MoveTo move)
            return AttemptResult.next(new AttemptResult.Step(move.queue(), move.kind(), codec.encode(move.payload())));
        if (outcome instanceof Outcome.Next)
            return failed(
                    ErrorText.of("its handler said next, but " + run.kind() + " is no stage of a pipeline"), null, run);
        String result = run.result();
        return result == null ? AttemptResult.DONE : AttemptResult.done(result);
    }

    /** The handler says when the next attempt is; whether there is one says the policy, as for what it throws. */
    private AttemptResult asked(Outcome.Retry retry, RetryPolicy retries, ClaimedJob job, RunningJob run) {
        ErrorText error = ErrorText.of(retry.reason());
        try {
            boolean more = retries.delay(job.attempt() + 1, new JobsException(retry.reason()))
                    .isPresent();
            return again(more ? retry.delay() : null, error, null, job, run);
        } catch (Throwable e) {
            return failed(withPolicy(error, e), e, run);
        }
    }

    private AttemptResult failure(Throwable thrown, RetryPolicy retries, ClaimedJob job, RunningJob run) {
        RunningJob.Reason reason = run.reason();
        if (reason == RunningJob.Reason.CANCELLED) return AttemptResult.cancelled(reason.words());
        if (reason == RunningJob.Reason.STOPPING || reason == RunningJob.Reason.LOST) return AttemptResult.GIVEN_BACK;
        String before = reason == RunningJob.Reason.TIMEOUT ? reason.words() + ": " : "";
        Throwable fatal = fatal(thrown);
        if (thrown instanceof PayloadException unreadable) return failed(ErrorText.of(unreadable.reason()), null, run);
        ErrorText error = ErrorText.of(thrown, before, thrown == fatal || thrown instanceof JobsException);
        if (fatal != null) return failed(error, thrown, run);
        Duration delay;
        try {
            delay = retries.delay(job.attempt() + 1, thrown)
                    .map(Durations::check)
                    .orElse(null);
        } catch (Throwable e) {
            return failed(withPolicy(error, e), thrown, run);
        }
        return again(delay, error, thrown, job, run);
    }

    private static ErrorText withPolicy(ErrorText error, Throwable e) {
        return error.with("; and its retry policy failed: " + ErrorText.line(e));
    }

    /** The {@link FatalException} among a throwable and its causes; null if there is none. */
    private static @Nullable Throwable fatal(Throwable thrown) {
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        try {
            for (Throwable each = thrown; each != null && seen.add(each) && seen.size() <= LONGEST_CHAIN; )
                if (each instanceof FatalException) return each;
                else each = each.getCause();
        } catch (Throwable e) {
            // A cause that cannot be asked for is none.
        }
        return null;
    }

    /** Unless there is no delay, or the job itself says that this was its last attempt. */
    private AttemptResult again(
            @Nullable Duration delay, ErrorText error, @Nullable Throwable thrown, ClaimedJob job, RunningJob run) {
        if (delay == null || job.attempt() + 1 >= job.attempts()) return failed(error, thrown, run);
        attempts.retry(
                error,
                "attempt {} of job {} ({}, {}) failed, next one in {}",
                run.attempt(),
                run.id(),
                run.queue(),
                run.kind(),
                delay);
        return AttemptResult.retry(Durations.micros(delay), error.text());
    }

    private AttemptResult failed(ErrorText error, @Nullable Throwable thrown, RunningJob run) {
        attempts.failed(
                error,
                thrown,
                "job {} ({}, {}) failed for good with attempt {}",
                run.id(),
                run.queue(),
                run.kind(),
                run.attempt());
        return AttemptResult.failed(error.text());
    }

    private List<RunningJob> running() {
        List<RunningJob> all = new ArrayList<>();
        for (Seat seat : seats) {
            RunningJob run = seat.running;
            if (run != null) all.add(run);
        }
        return all;
    }

    /** Closes sessions that were kept for transactions and that none has used for long. */
    public void closeIdleSessions() {
        sources().forEach(ConnectionSource::closeIdleSessions);
    }

    /** Keeps no sessions for transactions from now on. */
    public void close() {
        sources().forEach(ConnectionSource::keepNoSessions);
    }

    private Set<ConnectionSource> sources() {
        Set<ConnectionSource> all = new HashSet<>(Set.of(source));
        for (HandlerRegistration<?> each : works.values()) if (each.source() != null) all.add(each.source());
        return all;
    }

    /** Interrupts what runs past its time. */
    public void interruptOverdue() {
        long now = System.nanoTime();
        for (RunningJob each : running()) if (each.isOverdue(now)) each.interrupt(RunningJob.Reason.TIMEOUT);
    }

    /** Interrupts those jobs, because they are cancelled; those that have not begun will not. */
    public void cancel(Set<Long> jobs) {
        cancelled = Set.copyOf(jobs);
        for (RunningJob each : running()) if (jobs.contains(each.id())) each.interrupt(RunningJob.Reason.CANCELLED);
    }

    /** Interrupts the jobs of a batch that is not this node's any more. */
    public void lost(ClaimedBatch batch) {
        for (RunningJob each : running()) if (each.isOf(batch)) each.interrupt(RunningJob.Reason.LOST);
    }

    /** Interrupts everything. */
    public void interruptAll(RunningJob.Reason reason) {
        for (RunningJob each : running()) each.interrupt(reason);
    }

    /** Whether nothing runs. */
    boolean isIdle() {
        return running().isEmpty();
    }
}
