package dev.howdah.job.internal.execute;

import dev.howdah.internal.connection.BorrowedConnection;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.TransactionSession;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.job.internal.attempt.AttemptResult;
import dev.howdah.job.internal.attempt.ClaimedJob;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.handler.HandlerRegistration;
import dev.howdah.job.internal.lane.LaneRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Attempts whose handler works in the job's own transaction, which commits with the outcome. Safe for use by many threads. */
final class TransactionalAttempts {
    private static final Logger log = LoggerFactory.getLogger(TransactionalAttempts.class);
    private static final long NO_CONNECTION_MICROS = 5_000_000;

    private final ConnectionSource source;
    private final LaneRegistry lanes;
    private final AttemptResolver resolver;

    /** Calls the handler with the connection of the transaction. Throws nothing. */
    interface Call {
        AttemptResult call(Connection connection);
    }

    TransactionalAttempts(ConnectionSource source, LaneRegistry lanes, AttemptResolver resolver) {
        this.source = source;
        this.lanes = lanes;
        this.resolver = resolver;
    }

    AttemptResult run(HandlerRegistration<?> work, ClaimedBatch batch, ClaimedJob job, RunningJob run, Call handler) {
        ConnectionSource sessions = work.source() == null ? source : work.source();
        TransactionSession session;
        try {
            session = sessions.transactionSession();
        } catch (SQLException | RuntimeException e) {
            // Its handler was not called: this was no attempt.
            if (run.reason() != null) return resolver.failure(e, work.retries(), job, run);
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
            run.connection().begin(connection);
            try {
                result = handler.call(BorrowedConnection.of(connection, "job"));
            } finally {
                run.connection().end();
            }
            // Nothing is committed of a handler that was abandoned.
            if (!run.over() || !result.isSuccess()) return result;
            if (result.next() != null) makeLane(result.next(), job);
            own.commit(result, run.began());
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
            AttemptResult.Step next = result == null ? null : result.next();
            if (next != null && e instanceof SQLException s && SqlErrors.isBadData(s))
                return resolver.failed(ErrorText.of(e, next.refusal(), true), e, run);
            return resolver.failure(e, work.retries(), job, run);
        }
    }

    /** In a session of its own: made in the job's transaction it would hold up others. */
    private void makeLane(AttemptResult.Step next, ClaimedJob job) throws SQLException {
        lanes.forJob(next.queue(), next.kind(), job.priority());
    }
}
