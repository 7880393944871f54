package dev.howdah.job.internal.execute;

import dev.howdah.internal.connection.BorrowedConnection;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.TransactionSession;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrorText;
import dev.howdah.job.FatalException;
import dev.howdah.job.Job;
import dev.howdah.job.JobsException;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.store.JobNames;
import dev.howdah.job.internal.store.JobSql;
import dev.howdah.spi.PayloadCodec;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** The steps of one attempt: those that earlier attempts have done are read when the first is asked for. Safe for use by many threads. */
final class JobSteps {
    private static final Sql READ = JobSql.STEP.statement("step_read");
    private static final Sql WRITE = JobSql.STEP.statement("step_write");
    /** A batch is split while its other jobs end: the statement then looks for the job in the new one. */
    private static final int LOOKS = 3;

    private final ConnectionSource source;
    private final PayloadCodec codec;
    private final ClaimedBatch batch;
    private final Job job;
    private final ConnectionInUse inUse;
    private @Nullable Map<String, @Nullable String> done;

    /** @param inUse told of the transactions of steps */
    JobSteps(ConnectionSource source, PayloadCodec codec, ClaimedBatch batch, Job job, ConnectionInUse inUse) {
        this.inUse = inUse;
        this.source = source;
        this.codec = codec;
        this.batch = batch;
        this.job = job;
    }

    <T> @Nullable T run(String name, Class<T> type, Callable<? extends @Nullable T> work) throws Exception {
        if (isDone(name)) return result(name, type);
        String json = encoded(work.call(), type);
        T result = read(name, json, type);
        try (TransactionSession session = source.statementSession()) {
            write(session.connection(), name, json);
        } catch (SQLException e) {
            throw notRecorded(name, e);
        }
        add(name, json);
        return result;
    }

    <T> @Nullable T runInTransaction(String name, Class<T> type, Job.StepInTransaction<? extends @Nullable T> work)
            throws Exception {
        if (isDone(name)) return result(name, type);
        T result;
        String json;
        // When it is closed, a transaction that is still open is rolled back.
        try (TransactionSession session = source.liveSession()) {
            Connection connection = session.connection();
            connection.setAutoCommit(false);
            inUse.begin(connection, true);
            try {
                result = work.run(BorrowedConnection.of(connection, "step"));
            } finally {
                inUse.end();
            }
            json = encoded(result, type);
            result = read(name, json, type);
            try {
                write(connection, name, json);
                connection.commit();
            } catch (SQLException e) {
                throw notRecorded(name, e);
            }
        }
        add(name, json);
        return result;
    }

    private PayloadCodec.Subject subject() {
        return new PayloadCodec.Subject(PayloadCodec.Use.STEP, job.kind());
    }

    private @Nullable String encoded(@Nullable Object result, Class<?> type) {
        return result == null ? null : codec.encode(result, type, subject());
    }

    /**
     * What later attempts get of a result, so that the first one gets the same.
     *
     * @throws FatalException if it cannot be read: another attempt would only do the work again
     */
    private <T> @Nullable T read(String name, @Nullable String json, Class<T> type) {
        try {
            return json == null ? null : codec.decode(json, type, subject());
        } catch (IllegalArgumentException e) {
            throw new FatalException(
                    "the result of step \"" + name + "\" of job " + job.id() + " cannot be read as " + type.getName()
                            + ", which the step was called with: call the step with a class whose objects the codec"
                            + " reads back: " + e.getMessage(),
                    e);
        }
    }

    private synchronized boolean isDone(String name) throws SQLException {
        JobNames.check("step", name);
        Map<String, @Nullable String> known = done;
        if (known == null) known = done = read();
        return known.containsKey(name);
    }

    private Map<String, @Nullable String> read() throws SQLException {
        Map<String, @Nullable String> read = new HashMap<>();
        try (TransactionSession session = source.statementSession();
                PreparedStatement statement = READ.prepare(session.connection(), job.id(), job.kind());
                ResultSet row = statement.executeQuery()) {
            while (row.next()) read.put(row.getString(1), row.getString(2));
        }
        return read;
    }

    private synchronized <T> @Nullable T result(String name, Class<T> type) {
        String json = done == null ? null : done.get(name);
        return read(name, json, type);
    }

    private synchronized void add(String name, @Nullable String json) {
        if (done != null) done.put(name, json);
    }

    private void write(Connection connection, String name, @Nullable String json) throws SQLException {
        for (int look = 0; look < LOOKS; look++) {
            try (PreparedStatement statement = WRITE.prepare(
                            connection, batch.node(), batch.token(), job.id(), job.kind(), name, job.attempt(), json);
                    ResultSet row = statement.executeQuery()) {
                if (row.next()) return;
            }
        }
        throw new JobsException("step \"" + name + "\" of job " + job.id()
                + " is not recorded: the node does not have the job any more, and another attempt may be running");
    }

    private JobsException notRecorded(String name, SQLException e) {
        return new JobsException(
                "step \"" + name + "\" of job " + job.id() + " is not recorded: " + SqlErrorText.of(e), e);
    }
}
