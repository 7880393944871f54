package dev.howdah.job.internal.execute;

import dev.howdah.internal.connection.TransactionSession;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.job.internal.attempt.AttemptResult;
import dev.howdah.job.internal.attempt.ChildEnds;
import dev.howdah.job.internal.attempt.ClaimedJob;
import dev.howdah.job.internal.attempt.TurnEnds;
import dev.howdah.job.internal.batch.BatchOutcomes;
import dev.howdah.job.internal.batch.BatchStore;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.batch.WorkflowCounts;
import dev.howdah.job.internal.store.ByDay;
import dev.howdah.job.internal.store.JobSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The transaction of a job's own, in which its handler works: what is written at its beginning and at its end. For one job
 * and one thread.
 */
final class JobTransaction {
    private static final ByDay<OfDay> OF_DAY = new ByDay<>(OfDay::new);
    /** The beginning of the value that the error of that statement names. */
    private static final String NOT_OWN = "howdah: not the transaction of the job";

    private static final Sql SETTLE_OWN = BatchStore.SETTLE.then(JobSql.JOB.statement("transaction_check"));
    private static final Sql DROP_BODY = JobSql.JOB.statement("body_delete");
    private static final Sql PASS_ON = JobSql.ORDER.statement("order_pass_on");
    private static final Sql KEYS_SETTLE = JobSql.JOB.statement("key_settle");
    private static final Sql COUNT_OWN = JobSql.WORKFLOW.statement("workflow_count_own");
    private static final Sql BEGIN_DELEGATED = JobSql.JOB.statement("delegated_begin");
    private static final Sql END_DELEGATED = JobSql.JOB.statement("delegated_end");

    /** The statements about the row of the batch. */
    private record OfDay(Sql stillMine, Sql endAlone, TransactionSession.End endAndCommit) {
        OfDay(SqlFile file) {
            this(
                    file.statement("batch_still_mine"),
                    file.statement("batch_end"),
                    TransactionSession.End.of(
                            file.statement("batch_end_own").then(file.statement("transaction_commit"))));
        }
    }

    private final Connection connection;
    private final ClaimedBatch batch;
    private final ClaimedJob job;
    private final boolean delegated;

    /**
     * @param connection not in autocommit mode
     * @param delegated whether it is a session of a role that has no rights on the tables
     */
    JobTransaction(Connection connection, ClaimedBatch batch, ClaimedJob job, boolean delegated) {
        this.connection = connection;
        this.batch = batch;
        this.job = job;
        this.delegated = delegated;
    }

    private OfDay ofDay() {
        return OF_DAY.of(batch.day());
    }

    /** Keeps the job for this transaction; false if the node does not have it any more. */
    boolean begin() throws SQLException {
        return isTrue(delegated ? BEGIN_DELEGATED : ofDay().stillMine(), batch.node(), batch.batch(), batch.token());
    }

    /**
     * Writes that the job is done, or goes on to its next stage, and commits.
     *
     * @param session whose connection that is
     * @param result a success
     * @param began when its handler did, by {@link System#nanoTime}
     * @throws SQLException also if this is not the transaction any more in which it began
     */
    void commit(TransactionSession session, AttemptResult result, long began) throws SQLException {
        if (isPlain(result)) {
            endAndCommit(session, result, began);
            return;
        }
        end(result, began);
        connection.commit();
    }

    /** Whether nothing but its end is written. */
    private boolean isPlain(AttemptResult result) {
        return result.next() == null
                && !delegated
                && !job.large()
                && !job.isOrdered()
                && !job.isKeyed()
                && job.parent() == 0
                && !job.cancelsChildren()
                && job.workflow() == 0;
    }

    /** In one message. */
    private void endAndCommit(TransactionSession session, AttemptResult result, long began) throws SQLException {
        int begin = batch.micros(began);
        int ran = ClaimedBatch.toMicros(System.nanoTime() - began);
        try {
            session.end(
                    ofDay().endAndCommit(),
                    batch.node(),
                    batch.batch(),
                    job.id(),
                    result.result(),
                    begin,
                    ran,
                    batch.token());
        } catch (SQLException e) {
            throw isNotOwn(e) ? ended() : e;
        }
    }

    /** Whether a statement was refused because its transaction is another one than the one that began for the job. */
    static boolean isNotOwn(Throwable e) {
        return String.valueOf(e.getMessage()).contains(NOT_OWN);
    }

    private static SQLException ended() {
        return new SQLException(
                "its handler has ended the job's transaction: a handler must not run COMMIT or ROLLBACK, neither as"
                        + " SQL nor on the connection below",
                "25000");
    }

    /**
     * Writes what {@link #commit} writes, and leaves the commit to the caller.
     *
     * @throws SQLException also if this is not the transaction any more in which it began
     */
    void end(AttemptResult result, long began) throws SQLException {
        int begin = batch.micros(began);
        int ran = ClaimedBatch.toMicros(System.nanoTime() - began);
        boolean mine = result.next() == null ? done(result.result(), begin, ran) : goesOn(result, begin, ran);
        if (!mine) throw ended();
        if (delegated) return;
        if (job.large() && result.next() == null) isTrue(DROP_BODY, job.id());
        if (job.isOrdered() && result.next() == null)
            isTrue(
                    PASS_ON,
                    new TurnEnds()
                            .add(job, AttemptResult.done(null))
                            .values(batch.node(), batch.batch(), batch.token(), null));
        if (job.workflow() != 0 && result.next() == null)
            isTrue(
                    COUNT_OWN,
                    job.workflow(),
                    job.isNamed() ? "[" + WorkflowCounts.done(job.id(), result.result()) + "]" : null);
        if ((job.parent() != 0 || job.cancelsChildren()) && result.next() == null)
            isTrue(
                    ChildEnds.WRITE,
                    new ChildEnds()
                            .add(job, batch.kind(0), job.cancelsChildren(), AttemptResult.done(result.result()))
                            .values());
        if (job.isKeyed()) isTrue(KEYS_SETTLE, (Object) new Long[] {job.id()});
    }

    private boolean done(@Nullable String result, int begin, int ran) throws SQLException {
        return isTrue(
                delegated ? END_DELEGATED : ofDay().endAlone(),
                batch.node(),
                batch.batch(),
                job.id(),
                result,
                begin,
                ran,
                batch.token());
    }

    private boolean goesOn(AttemptResult result, int begin, int ran) throws SQLException {
        BatchOutcomes settlement = new BatchOutcomes();
        settlement.add(job, result, begin, ran);
        @Nullable Object[] values = settlement.values(connection, batch.node(), batch.claim());
        @Nullable Object[] all = Arrays.copyOf(values, values.length + 1);
        all[values.length] = batch.token();
        return isTrue(SETTLE_OWN, all);
    }

    private static boolean isTrue(PreparedStatement statement) throws SQLException {
        try (ResultSet result = statement.getResultSet()) {
            return result.next() && !"f".equals(result.getString(1));
        }
    }

    /** Whether the statement, or each of two, answers with a row that does not begin with false. */
    private boolean isTrue(Sql sql, @Nullable Object... values) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, values)) {
            statement.execute();
            return isTrue(statement) && (!statement.getMoreResults() || isTrue(statement));
        }
    }
}
