package dev.howdah.job.internal.execute;

import dev.howdah.internal.connection.BorrowedConnection;
import dev.howdah.internal.connection.CallerTransaction;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.TransactionSession;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.job.internal.attempt.AttemptResult;
import dev.howdah.job.internal.attempt.ClaimedJob;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.handler.HandlerRegistration;
import dev.howdah.job.internal.lane.LaneRegistry;
import dev.howdah.spi.TransactionBridge;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Attempts whose handler works in the job's own transaction, which commits with the outcome. Safe for use by many threads. */
final class TransactionalAttempts {
    private static final Logger log = LoggerFactory.getLogger(TransactionalAttempts.class);
    private static final long NO_CONNECTION_MICROS = 5_000_000;
    /** Those that were in each other's way do not come again at the same moment. */
    private static final long LONGEST_PAUSE_MICROS = 100_000;

    private final ConnectionSource source;
    private final LaneRegistry lanes;
    private final AttemptResolver resolver;
    private final @Nullable TransactionBridge bridge;

    /** Calls the handler with the connection of the transaction. Throws nothing. */
    interface Call {
        AttemptResult call(Connection connection);
    }

    /** Its transaction is rolled back, and its result written as that of others. */
    private static final class NotCommitted extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final transient AttemptResult result;

        NotCommitted(AttemptResult result) {
            super(null, null, false, false);
            this.result = result;
        }
    }

    /** @param bridge begins the transactions of handlers that have no sessions of their own; null: none */
    TransactionalAttempts(
            ConnectionSource source, LaneRegistry lanes, AttemptResolver resolver, @Nullable TransactionBridge bridge) {
        this.bridge = bridge;
        this.source = source;
        this.lanes = lanes;
        this.resolver = resolver;
    }

    AttemptResult run(HandlerRegistration<?> work, ClaimedBatch batch, ClaimedJob job, RunningJob run, Call handler) {
        if (bridge != null && work.source() == null) return bridged(bridge, work, batch, job, run, handler);
        ConnectionSource sessions = work.source() == null ? source : work.source();
        TransactionSession session;
        try {
            session = sessions.transactionSession();
        } catch (SQLException | RuntimeException e) {
            return withoutTransaction(e, work, job, run);
        }
        AttemptResult result = null;
        boolean begun = false;
        boolean committed = false;
        try (session) {
            Connection connection = session.connection();
            connection.setAutoCommit(false);
            JobTransaction own = new JobTransaction(connection, batch, job, work.source() != null);
            if (!isBegun(own, job, run)) return AttemptResult.WRITTEN;
            begun = true;
            run.connection().begin(connection, work.source() == null);
            try {
                result = handler.call(BorrowedConnection.of(connection, "job"));
            } finally {
                run.connection().end();
            }
            // Nothing is committed of a handler that was abandoned.
            if (!run.over() || !result.isSuccess()) return result;
            if (result.next() != null) makeLane(work.source() == null ? connection : null, result.next(), job);
            own.commit(session, result, run.began());
            committed = true;
            return AttemptResult.WRITTEN;
        } catch (Throwable e) {
            // The session was lost while it was not in use.
            if (!begun && session.isReused() && e instanceof SQLException) {
                sessions.closeSpareSessions();
                return run(work, batch, job, run, handler);
            }
            // What is committed stands, and so does a failure, whatever the session says behind it.
            if (committed) return AttemptResult.WRITTEN;
            if (result != null && !result.isSuccess()) return result;
            if (!begun && isRefused(e)) return refused(job, run);
            return notWritten(e, result, work, job, run);
        }
    }

    /** In a transaction of a framework, which commits it. */
    private AttemptResult bridged(
            TransactionBridge framework,
            HandlerRegistration<?> work,
            ClaimedBatch batch,
            ClaimedJob job,
            RunningJob run,
            Call handler) {
        AtomicBoolean begun = new AtomicBoolean();
        AtomicReference<@Nullable AttemptResult> succeeded = new AtomicReference<>();
        try {
            return framework.begin(job.timeout(work.timeout()), given -> {
                Connection connection = CallerTransaction.usable(given, framework);
                begun.set(true);
                JobTransaction own = new JobTransaction(source.inSchema(connection), batch, job, false);
                try {
                    if (!isBegun(own, job, run)) return AttemptResult.WRITTEN;
                } catch (SQLException e) {
                    if (isRefused(e)) throw new NotCommitted(refused(job, run));
                    throw e;
                }
                run.connection().begin(connection, true);
                AttemptResult result;
                try {
                    result = handler.call(BorrowedConnection.of(connection, "job"));
                } finally {
                    run.connection().end();
                }
                if (!run.over() || !result.isSuccess()) throw new NotCommitted(result);
                succeeded.set(result);
                if (result.next() != null) makeLane(source.inSchema(connection), result.next(), job);
                own.end(result, run.began());
                return AttemptResult.WRITTEN;
            });
        } catch (NotCommitted e) {
            return e.result;
        } catch (Throwable e) {
            return begun.get() ? notWritten(e, succeeded.get(), work, job, run) : withoutTransaction(e, work, job, run);
        }
    }

    private static boolean isBegun(JobTransaction own, ClaimedJob job, RunningJob run) throws SQLException {
        if (own.begin()) return true;
        log.warn("job {} ({}) is not this node's any more, and was not begun", job.id(), run.kind());
        return false;
    }

    /** Its handler was not called: this was no attempt. */
    private AttemptResult withoutTransaction(Throwable e, HandlerRegistration<?> work, ClaimedJob job, RunningJob run) {
        if (run.reason() != null) return resolver.failure(e, work.retries(), job, run);
        log.warn(
                "job {} ({}) got no connection for its transaction and waits: {}",
                job.id(),
                run.kind(),
                ErrorText.message(e));
        return AttemptResult.snooze(NO_CONNECTION_MICROS);
    }

    /**
     * PostgreSQL refused what is written at the beginning and at the end of the transaction, or its commit, because of another
     * transaction at the same time: of the levels REPEATABLE READ and SERIALIZABLE. It is to be repeated, and was no attempt.
     */
    private static boolean isRefused(Throwable e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause())
            if (cause instanceof SQLException s && SqlErrors.isSerializationFailure(s)) return true;
        return false;
    }

    private static AttemptResult refused(ClaimedJob job, RunningJob run) {
        log.debug("the transaction of job {} ({}) is repeated after a conflict", job.id(), run.kind());
        return AttemptResult.snooze(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_MICROS));
    }

    /** @param result that of the handler, if that has come to its end */
    private AttemptResult notWritten(
            Throwable e, @Nullable AttemptResult result, HandlerRegistration<?> work, ClaimedJob job, RunningJob run) {
        if (result != null && isRefused(e)) return refused(job, run);
        AttemptResult.Step next = result == null ? null : result.next();
        if (next != null && e instanceof SQLException s && SqlErrors.isBadData(s))
            return resolver.failed(ErrorText.of(e, next.refusal(), true), e, run);
        return resolver.failure(e, work.retries(), job, run);
    }

    /** @param transaction the job's; null: its role may not make lanes */
    private void makeLane(@Nullable Connection transaction, AttemptResult.Step next, ClaimedJob job)
            throws SQLException {
        lanes.forJob(transaction, next.queue(), next.kind(), job.priority(), true);
    }
}
