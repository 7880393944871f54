package dev.howdah.job.internal.execute;

import dev.howdah.internal.connection.TransactionSession;
import dev.howdah.job.internal.attempt.AttemptResult;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.store.ByDay;
import dev.howdah.job.internal.store.JobSql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** One transaction for the only jobs of several batches of one claim. For one thread. */
final class SharedTransaction {
    private static final ByDay<TransactionSession.End> OF_DAY = new ByDay<>(file -> TransactionSession.End.of(
            file.statement("batch_end_own_all").then(JobSql.JOB.statement("transaction_commit"))));

    private final TransactionSession session;
    private final List<Done> done = new ArrayList<>();
    private final long begun = System.nanoTime();

    /**
     * A job that is done.
     *
     * @param began when its handler did, by {@link System#nanoTime}
     * @param over when that has ended
     */
    private record Done(ClaimedBatch batch, AttemptResult result, long began, long over) {}

    SharedTransaction(TransactionSession session) {
        this.session = session;
    }

    /** Begins with the job of that batch; false if the node does not have it any more. Of the others the end says that. */
    boolean begin(ClaimedBatch first) throws SQLException {
        session.connection().setAutoCommit(false);
        return new JobTransaction(session.connection(), first, first.job(0), false).begin();
    }

    /** Whether a handler has ended it, as far as the driver knows without a round trip: not if the handler has begun another one. */
    boolean isEnded() throws SQLException {
        BaseConnection driver = session.connection().unwrap(BaseConnection.class);
        return !driver.isClosed() && driver.getTransactionState() == TransactionState.IDLE;
    }

    /** For how long it has been open. */
    long nanos() {
        return System.nanoTime() - begun;
    }

    /** The job of that batch is done, whose handler began at that time. */
    void done(ClaimedBatch batch, AttemptResult result, long began) {
        done.add(new Done(batch, result, began, System.nanoTime()));
    }

    /**
     * Writes that those are done, and commits, in one message.
     *
     * @throws SQLException also if it is another transaction than the one that began, see {@link JobTransaction#isNotOwn}
     */
    void commit() throws SQLException {
        ClaimedBatch first = done.get(0).batch;
        String day = first.day();
        boolean ofDay = day != null && done.stream().allMatch(each -> day.equals(each.batch.day()));
        session.end(
                OF_DAY.of(ofDay ? day : null),
                first.node(),
                all(Long[]::new, each -> each.batch.batch()),
                all(String[]::new, each -> each.result.result()),
                all(Integer[]::new, each -> each.batch.micros(each.began)),
                all(Integer[]::new, each -> ClaimedBatch.toMicros(each.over - each.began)),
                first.token());
    }

    private <T> @Nullable T[] all(IntFunction<@Nullable T[]> array, Function<Done, @Nullable T> of) {
        return done.stream().map(of).toArray(array);
    }

    /**
     * That is committed.
     *
     * @param ended called with each batch that has ended
     */
    void end(Consumer<ClaimedBatch> ended) {
        for (Done each : done)
            if (each.batch.end(0, AttemptResult.WRITTEN, each.began, each.over)) ended.accept(each.batch);
    }
}
