package dev.howdah.job.internal.execute;

import dev.howdah.internal.connection.TransactionSession;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.job.internal.attempt.AttemptResult;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.store.ByDay;
import dev.howdah.job.internal.store.JobSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One transaction for the only jobs of several batches of one claim. For one thread. */
final class SharedTransaction {
    private static final ByDay<OfDay> OF_DAY = new ByDay<>(OfDay::new);

    /** The statements about the rows of the batches. */
    private record OfDay(Sql stillMine, TransactionSession.End endAndCommit) {
        OfDay(SqlFile file) {
            this(
                    file.statement("batch_still_mine_all"),
                    TransactionSession.End.of(
                            file.statement("batch_end_own_all").then(JobSql.JOB.statement("transaction_commit"))));
        }
    }

    private final List<ClaimedBatch> batches;
    private final Long[] ids;
    private final @Nullable String[] results;
    private final Integer[] begins;
    private final Integer[] runs;
    private final OfDay ofDay;
    private int ended;

    SharedTransaction(List<ClaimedBatch> batches) {
        this.batches = batches;
        ids = batches.stream().map(ClaimedBatch::batch).toArray(Long[]::new);
        results = new @Nullable String[ids.length];
        begins = new Integer[ids.length];
        runs = new Integer[ids.length];
        String day = batches.get(0).day();
        ofDay = OF_DAY.of(batches.stream().allMatch(batch -> day != null && day.equals(batch.day())) ? day : null);
    }

    /** Keeps the jobs for this transaction; false if the node does not have all of them any more. */
    boolean begin(Connection connection) throws SQLException {
        ClaimedBatch first = batches.get(0);
        try (PreparedStatement statement = ofDay.stillMine().prepare(connection, first.node(), ids, first.token());
                ResultSet row = statement.executeQuery()) {
            return row.next() && row.getBoolean(1);
        }
    }

    /**
     * The next job is done.
     *
     * @param began when its handler did, by {@link System#nanoTime}
     */
    void done(AttemptResult result, long began) {
        results[ended] = result.result();
        begins[ended] = batches.get(ended).micros(began);
        runs[ended] = ClaimedBatch.toMicros(System.nanoTime() - began);
        ended++;
    }

    /** Writes that all are done, and commits, in one message. */
    void commit(TransactionSession session) throws SQLException {
        ClaimedBatch first = batches.get(0);
        session.end(ofDay.endAndCommit(), first.node(), ids, results, begins, runs, first.token());
    }
}
