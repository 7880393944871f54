package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.attempt.AttemptResult;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.batch.ScanBounds;
import dev.howdah.job.internal.store.JobSql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each statement by which a node writes to a batch, called while the batch is its own, and after that. */
@PostgresTest
class JobFenceTest {
    private static final Sql BEGIN = JobSql.JOB.statement("batch_begin");
    private static final Sql STILL_MINE = JobSql.JOB.statement("batch_still_mine");
    private static final Sql END = JobSql.JOB.statement("batch_end");
    private static final Sql END_OWN = JobSql.JOB.statement("batch_end_own");

    private final JobsDatabase database;
    private final PassiveNode node;

    JobFenceTest(TestDatabase database) throws SQLException {
        this.database = JobsDatabase.in(database);
        node = new PassiveNode(this.database);
    }

    @AfterEach
    void stop() {
        node.close();
    }

    private interface Write {
        void to(ClaimedBatch batch) throws SQLException;
    }

    private ClaimedBatch claimed() throws SQLException {
        database.execute("SELECT howdah.add('default', 'work', '1')");
        return node.claim().get(0);
    }

    /** The place of the row in its table, which each change of the row changes. */
    private String place(long batch) throws SQLException {
        try (Statement statement = node.session().connection().createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT b.ctid FROM howdah_internal.batch b WHERE b.id = " + batch)) {
            row.next();
            return row.getString(1);
        }
    }

    /** Whether a statement changes the row of the batch; in the transaction of the batch's job, and undone. */
    private boolean writes(ClaimedBatch batch, Write write) throws SQLException {
        Connection connection = node.session().connection();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT set_config('howdah.own', '" + batch.token() + "', true)");
            String before = place(batch.batch());
            try {
                write.to(batch);
            } catch (SQLException e) {
                assertThat(e.getMessage()).contains("not the transaction of the job");
                return false;
            }
            return !place(batch.batch()).equals(before);
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    /** Which statements change the batch. */
    private List<String> accepted(ClaimedBatch batch) throws SQLException {
        batch.end(0, AttemptResult.failed("no"), 0, 0);
        long job = batch.job(0).id();
        List<String> accepted = new ArrayList<>();
        if (node.ask(STILL_MINE, node.id(), batch.batch(), batch.token()) != null) accepted.add("still mine");
        if (writes(batch, each -> node.session().update(BEGIN, node.id(), each.batch(), each.token())))
            accepted.add("begin");
        if (writes(batch, each -> node.ask(END, node.id(), each.batch(), job, null, 0, 0, each.token())))
            accepted.add("end");
        if (writes(batch, each -> node.ask(END_OWN, node.id(), each.batch(), job, null, 0, 0, each.token())))
            accepted.add("end own");
        if (writes(batch, each -> node.store().claim(List.of(each), node.lane("default"), 1, ScanBounds.NONE)))
            accepted.add("claim");
        if (writes(batch, node.store()::settle)) accepted.add("settle");
        if (writes(batch, node::giveBack)) accepted.add("give back");
        return accepted;
    }

    @Test
    void batch_ofTheNode_isWrittenByEachStatement() throws SQLException {
        assertThat(accepted(claimed()))
                .containsExactly("still mine", "begin", "end", "end own", "claim", "settle", "give back");
    }

    @ParameterizedTest // the number was given again, to another node too; or the batch was given back
    @ValueSource(strings = {"token = token + 1", "token = token - 1", "node = node + 1", "ended = clock_timestamp()"})
    void batch_thatIsNotTheNodesAnyMore_isWrittenByNone(String change) throws SQLException {
        ClaimedBatch batch = claimed();
        database.execute("UPDATE howdah_internal.batch SET " + change);
        assertThat(accepted(batch)).isEmpty();
        assertThat(database.waiting()).isZero();
        assertThat(database.number("SELECT count(*) FROM howdah_internal.failed"))
                .isZero();
    }

    @Test
    void job_outsideOfItsTransaction_isNotEndedThere() throws SQLException {
        ClaimedBatch batch = claimed();
        assertThat(node.ask(END, node.id(), batch.batch(), batch.job(0).id(), null, 0, 0, batch.token()))
                .isNull();
        assertThat(database.number("SELECT count(*) FROM howdah_internal.batch WHERE ended IS NULL"))
                .isEqualTo(1);
    }
}
