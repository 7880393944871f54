package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.node.NodeSql;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.batch.ScanBounds;
import dev.howdah.job.internal.store.JobSql;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The recovery of the jobs of a crashed node, statement by statement: crashes together with keys, order keys and other features. */
@PostgresTest
class JobRecoveryTest {
    private static final Sql KEYS_LATE = JobSql.NODE.statement("key_settle_late");
    private static final Sql ORPHANS = JobSql.NODE.statement("batch_orphans");
    private static final Sql END_OWN = JobSql.NODE.statement("transaction_end_own");
    private static final Sql STILL_MINE = JobSql.JOB.statement("batch_still_mine");
    private static final Sql BEGIN_DELEGATED = JobSql.JOB.statement("delegated_begin");
    private static final Sql DEATH = NodeSql.NODE.statement("node_death");
    private static final Sql IS_THERE = NodeSql.NODE.statement("node_is_there");
    private static final Sql LEAVE = NodeSql.NODE.statement("node_leave");

    private final JobsDatabase database;
    private final PassiveNode node;
    private final PassiveNode other;

    JobRecoveryTest(TestDatabase database) throws SQLException {
        this.database = JobsDatabase.in(database);
        node = new PassiveNode(this.database);
        other = new PassiveNode(this.database);
    }

    @AfterEach
    void stop() {
        node.close();
        other.close();
    }

    private String add(String payload, String options) {
        return database.text("SELECT added FROM howdah.add('default', 'work', '" + payload + "', " + options + ")");
    }

    /** The third node crashes with each job that is due. */
    private void crashWithAllForTheThirdTime() throws SQLException {
        database.execute("UPDATE howdah_internal.job SET deaths = 2");
        for (ClaimedBatch each : node.claim()) node.begin(each);
        assertThat(node.recoverBy(other)).isTrue();
        assertThat(database.text("SELECT string_agg(DISTINCT state, ' ') FROM howdah_internal.failed"))
                .isEqualTo("failed");
        assertThat(database.waiting()).isZero();
    }

    @Test
    void keyedJob_failsBecauseNodesCrashed_itsKeyIsFree() throws SQLException {
        assertThat(add("1", "key => 'doc'")).isEqualTo("t");
        crashWithAllForTheThirdTime();
        assertThat(add("2", "key => 'doc'")).isEqualTo("t");
        assertThat(database.text("SELECT payload FROM howdah_internal.job")).isEqualTo("2");
    }

    @Test
    void keyedJob_failsBecauseNodesCrashed_theNewerVersionRuns() throws SQLException {
        add("1", "key => 'doc', version => '2026-01-01'");
        database.execute("UPDATE howdah_internal.job SET deaths = 2");
        for (ClaimedBatch each : node.claim()) node.begin(each);
        assertThat(add("2", "key => 'doc', version => '2026-01-02'")).isEqualTo("t");
        assertThat(database.waiting())
                .as("it waits for the end of the older one")
                .isZero();
        assertThat(node.recoverBy(other)).isTrue();
        other.ask(KEYS_LATE);
        assertThat(database.text("SELECT payload FROM howdah_internal.job")).isEqualTo("2");
    }

    @Test // also where the crashed job would be tried again
    void keyedJob_crashedOnce_theNewerVersionTakesItsPlace() throws SQLException {
        add("1", "key => 'doc', version => '2026-01-01'");
        assertThat(node.claim()).hasSize(1);
        add("2", "key => 'doc', version => '2026-01-02'");
        assertThat(node.recoverBy(other)).isTrue();
        other.ask(KEYS_LATE);
        assertThat(database.text("SELECT payload FROM howdah_internal.job")).isEqualTo("2");
        assertThat(database.text("SELECT error FROM howdah_internal.failed"))
                .isEqualTo("a newer version took its place");
    }

    @Test // another node claims the job after the recovery, and before its key is looked at
    void keyedJob_runsAgainBeforeItsKeyIsSettled_keepsItsKey() throws SQLException {
        add("1", "key => 'doc'");
        node.claim();
        assertThat(node.recoverBy(other)).isTrue();
        assertThat(other.claim()).hasSize(1);
        other.ask(KEYS_LATE);
        assertThat(add("2", "key => 'doc'")).isEqualTo("f");
    }

    @Test
    void orderedJob_failsBecauseNodesCrashed_theNextOfItsKeyIsLetIn() throws SQLException {
        add("1", "priority => 0");
        database.execute(
                "UPDATE howdah_internal.job SET more = '{\"ordered\": \"customer\"}';"
                        + " INSERT INTO howdah_internal.order_key (queue, key, job) SELECT 'default', 'customer', j.id FROM howdah_internal.job j;"
                        + " INSERT INTO howdah_internal.ordered (id, queue, key, fresh, run_at, lane, priority, kind, payload, more)"
                        + " SELECT j.id + 1, 'default', 'customer', false, j.run_at, j.lane, 0, 'work', '2', j.more FROM howdah_internal.job j");
        crashWithAllForTheThirdTime();
        other.ask(JobSql.ORDER.statement("order_let_in"), 100);
        assertThat(database.text("SELECT payload FROM howdah_internal.job")).isEqualTo("2");
    }

    @Test // a node that works on jobs and processes was taken for dead in the moment of a claim
    void openBatch_ofANodeOfAnotherFeature_isRecovered() throws SQLException {
        add("1", "priority => 0");
        node.claim();
        assertThat(other.ask(ORPHANS)).isNull();
        database.execute("UPDATE howdah_internal.node SET features = '{process}' WHERE id = " + node.id());
        assertThat(other.ask(ORPHANS)).isEqualTo(String.valueOf(node.id()));
        assertThat(node.recoverBy(other)).isTrue();
        assertThat(other.ask(ORPHANS)).isNull();
        assertThat(database.waiting()).isEqualTo(1);
    }

    @Test
    void openLease_ofANodeOfAnotherFeature_isRecovered() throws SQLException {
        database.execute("SELECT howdah.queue('events', 'log'); SELECT howdah.add('events', 'work', '1')");
        assertThat(node.store().claimLog(node.lane("events"), 10, false).jobs()).isEqualTo(1);
        assertThat(other.ask(ORPHANS)).isNull();
        database.execute("UPDATE howdah_internal.node SET features = '{process}' WHERE id = " + node.id());
        assertThat(other.ask(ORPHANS)).isEqualTo(String.valueOf(node.id()));
        assertThat(node.recoverBy(other)).isTrue();
        assertThat(other.ask(ORPHANS)).isNull();
        assertThat(database.waiting()).isEqualTo(1);
    }

    @Test // the presence of its processes goes on, and says nothing of its jobs
    void node_thatCameBackWithoutJobs_isDeadForJobsAndNotForProcesses() throws SQLException {
        database.execute(
                "UPDATE howdah_internal.node SET features = '{process}', returned = 1 WHERE id = " + node.id());
        assertThat(other.ask(DEATH, node.id(), 0, false, "job")).isEqualTo("t");
        assertThat(other.ask(DEATH, node.id(), 0, false, "process")).isEqualTo("f");
    }

    @Test // its jobs are recovered first, and its processes are another recovery's
    void node_crashedWithTwoFeatures_keepsTheOneThatIsNotRecoveredYet() throws SQLException {
        database.execute("UPDATE howdah_internal.node SET features = '{process,job}' WHERE id = " + node.id());
        String features =
                "SELECT string_agg(array_to_string(n.features, ' '), ', ') FROM howdah_internal.node n WHERE n.id = "
                        + node.id();
        other.session().update(LEAVE, node.id(), "job", null);
        assertThat(database.text(features)).isEqualTo("process");
        other.session().update(LEAVE, node.id(), "job", null);
        assertThat(database.text(features)).isEqualTo("process");
        other.session().update(LEAVE, node.id(), "process", null);
        assertThat(database.number("SELECT count(*) FROM howdah_internal.node WHERE id = " + node.id()))
                .isZero();
    }

    /** Ids of nodes come again after a failover that lost WAL, or after a restore. */
    @Test
    void nodeOfTheSameId_withAnotherToken_neitherLeavesNorIsThere() throws SQLException {
        String token = database.text("SELECT incarnation FROM howdah_internal.node WHERE id = " + node.id());
        String[] features = {"job"};
        UUID another = UUID.randomUUID();
        assertThat(other.ask(IS_THERE, node.id(), token, features)).isEqualTo("t");
        assertThat(other.ask(IS_THERE, node.id(), another.toString(), features)).isEqualTo("f");
        other.session().update(LEAVE, node.id(), "job", another.toString());
        assertThat(other.ask(IS_THERE, node.id(), token, features)).isEqualTo("t");
        other.session().update(LEAVE, node.id(), "job", token);
        assertThat(other.ask(IS_THERE, node.id(), token, features)).isEqualTo("f");
    }

    @Test // the statement before the work in the job's own transaction
    void job_inItsOwnTransaction_isNotGivenBackBeforeThatEnds() throws SQLException {
        add("1", "priority => 0");
        ClaimedBatch batch = node.claim().get(0);
        node.session().connection().setAutoCommit(false);
        assertThat(node.ask(STILL_MINE, node.id(), batch.batch(), batch.token()))
                .isNotNull();
        assertThat(node.recoverBy(other)).as("the batch is locked").isFalse();
        assertThat(database.waiting()).isZero();
        node.session().connection().rollback();
        assertThat(node.recoverBy(other)).isTrue();
        assertThat(node.ask(STILL_MINE, node.id(), batch.batch(), batch.token()))
                .isNull();
        node.session().connection().rollback();
        assertThat(database.waiting()).isEqualTo(1);
    }

    @Test // so that a handler that hangs does not keep its job
    void session_inTheTransactionOfAJob_isEndedByTheRecovery() throws SQLException {
        add("1", "priority => 0");
        ClaimedBatch batch = node.claim().get(0);
        node.session().connection().setAutoCommit(false);
        node.ask(STILL_MINE, node.id(), batch.batch(), batch.token());
        assertThat(other.ask(END_OWN, other.id()))
                .as("sessions of another node")
                .isEqualTo("0");
        assertThat(other.ask(END_OWN, node.id())).isEqualTo("1");
        JobsDatabase.awaiting("its batch is free").until(() -> node.recoverBy(other));
        assertThat(database.waiting()).isEqualTo(1);
    }

    @Test // the same where the role of the handler has no privileges on the tables
    void job_inTheTransactionOfADelegate_isNotGivenBackBeforeThatEnds() throws SQLException {
        add("1", "priority => 0");
        database.execute("SELECT howdah.delegate('default', 'work', 'postgres')");
        ClaimedBatch batch = node.storeOf("work")
                .claim(List.of(), node.lane("default"), 1, ScanBounds.NONE)
                .batches()
                .get(0);
        node.session().connection().setAutoCommit(false);
        assertThat(node.ask(BEGIN_DELEGATED, node.id(), batch.batch(), batch.token()))
                .isEqualTo("t");
        assertThat(node.recoverBy(other)).as("the batch is locked").isFalse();
        node.session().connection().rollback();
        assertThat(node.recoverBy(other)).isTrue();
        assertThat(database.waiting()).isEqualTo(1);
    }
}
