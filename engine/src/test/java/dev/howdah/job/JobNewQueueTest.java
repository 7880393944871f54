package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.unique.Unique;
import dev.howdah.job.workflow.Workflow;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Queues and priorities that are new, in transactions that have made or changed them already. */
@PostgresTest
@Timeout(300)
class JobNewQueueTest {
    private static final Kind<Integer> SEND = Kind.of("send", Integer.class);
    private static final Kind<String> SENT = Kind.of("sent", String.class);

    private final JobsDatabase database;
    private final Jobs jobs;
    private final Connection connection;

    JobNewQueueTest(TestDatabase database) throws SQLException {
        this.database = JobsDatabase.in(database);
        this.jobs = Jobs.on(this.database.source()).start();
        this.connection = this.database.connect();
        connection.setAutoCommit(false);
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
        jobs.close();
    }

    private static void run(Connection on, String sql) throws SQLException {
        try (Statement statement = on.createStatement()) {
            statement.execute(sql);
        }
    }

    private long waiting(String queue) {
        return database.number("SELECT count(*) FROM howdah_internal.job j JOIN howdah_internal.lane l ON l.id = j.lane"
                + " WHERE l.queue = '" + queue + "'");
    }

    @Test
    void workflow_callbackAndJobsInOneNewQueue_isAdded() {
        jobs.workflows()
                .add(Workflow.of("newsletter")
                        .jobs(List.of(
                                NewJob.of(SEND, 1).queue("mail"),
                                NewJob.of(SEND, 2).queue("mail")))
                        .whenEnded(NewJob.of(SENT, "all").queue("mail")));
        assertThat(waiting("mail")).isEqualTo(2);
    }

    @Test
    void jobs_callersTransactionHasMadeTheQueueBySql_areAdded() throws SQLException {
        run(connection, "SELECT howdah.add('mail', 'send', '1')");
        jobs.add(connection, NewJob.of(SEND, 2).queue("mail"));
        jobs.addAll(connection, List.of(NewJob.of(SEND, 3).queue("mail")));
        jobs.addEach(connection, List.of(NewJob.of(SEND, 4).queue("mail").key("k")));
        connection.commit();
        assertThat(waiting("mail")).isEqualTo(4);
    }

    @Test
    void job_callersTransactionHasPausedTheNewQueue_isAdded() throws SQLException {
        run(connection, "SELECT howdah.pause('mail')");
        jobs.add(connection, NewJob.of(SEND, 1).queue("mail"));
        connection.commit();
        assertThat(waiting("mail")).isEqualTo(1);
    }

    @Test
    void queue_madeInATransactionThatIsRolledBack_isMadeAgain() throws SQLException {
        run(connection, "SELECT howdah.add('mail', 'send', '1')");
        jobs.add(connection, NewJob.of(SEND, 2).queue("mail").priority(7));
        connection.rollback();
        jobs.add(connection, NewJob.of(SEND, 3).queue("mail").priority(7));
        connection.commit();
        jobs.add(NewJob.of(SEND, 4).queue("mail").priority(7));
        assertThat(waiting("mail")).isEqualTo(2);
        assertThat(database.number(
                        "SELECT count(*) FROM howdah_internal.lane_priority p JOIN howdah_internal.lane l ON l.id = p.lane"
                                + " WHERE l.queue = 'mail' AND p.priority = 7"))
                .isEqualTo(1);
    }

    @Test // as after a savepoint
    void queue_madeInASubtransactionThatIsRolledBack_isMadeAgain() throws SQLException {
        run(connection, "CREATE TABLE an_order (id integer)");
        run(connection, "SAVEPOINT s");
        run(connection, "SELECT howdah.add('mail', 'send', '1')");
        jobs.add(connection, NewJob.of(SEND, 2).queue("mail"));
        run(connection, "ROLLBACK TO s");
        jobs.add(connection, NewJob.of(SEND, 3).queue("mail"));
        connection.commit();
        assertThat(waiting("mail")).isEqualTo(1);
    }

    @Test
    void queue_newOneOfAnOpenTransaction_holdsUpNoOther() throws SQLException {
        jobs.add(connection, NewJob.of(SEND, 1).queue("mail").priority(3));
        jobs.add(NewJob.of(SEND, 2).queue("mail").priority(3));
        assertThat(waiting("mail")).isEqualTo(1);
        connection.commit();
        assertThat(waiting("mail")).isEqualTo(2);
    }

    @Test // as a transaction that is suspended while a new one runs in the same thread
    void queue_madeByATransactionThatDoesNotEnd_isRefusedWithTheReason() throws SQLException {
        run(connection, "SELECT howdah.add('mail', 'send', '1')");
        try (Connection inner = database.connect()) {
            inner.setAutoCommit(false);
            run(inner, "SET lock_timeout = '300ms'");
            assertThatThrownBy(() -> jobs.add(inner, NewJob.of(SEND, 2).queue("mail")))
                    .isInstanceOf(JobsException.class)
                    .hasMessageContaining("another transaction makes queue mail");
        }
        connection.commit();
        jobs.add(NewJob.of(SEND, 3).queue("mail"));
        assertThat(waiting("mail")).isEqualTo(2);
    }

    @Test
    void nextStage_inAQueueThatTheHandlersTransactionHasMade_isReached() {
        try (Jobs node = database.jobs()
                .handleInTransactionWithOutcome(SEND, (payload, job, own) -> {
                    run(own, "SELECT howdah.pause('later')");
                    return new Outcome.MoveTo("later", "sent", "sent");
                })
                .start()) {
            long id = node.add(SEND, 1);
            database.awaitLetters(id, "n");
        }
        assertThat(waiting("later")).isEqualTo(1);
    }

    private Connection begun(String isolation) throws SQLException {
        Connection begun = database.connect();
        begun.setAutoCommit(false);
        run(begun, "SET TRANSACTION ISOLATION LEVEL " + isolation);
        // From here on the transaction sees what is there now.
        run(begun, "SELECT txid_current_snapshot()");
        return begun;
    }

    @ParameterizedTest
    @ValueSource(strings = {"REPEATABLE READ", "SERIALIZABLE"})
    void job_ofATransactionWithAnOlderSnapshot_isAddedToANewQueue(String isolation) throws SQLException {
        List<UnaryOperator<NewJob<Integer>>> all = List.of(
                job -> job,
                job -> job.key("k"),
                job -> job.unique(Unique.byKey("u").replacing()),
                job -> job.orderKey("o"),
                job -> job.group("g"),
                job -> job.priority(7));
        for (int i = 0; i < all.size(); i++)
            try (Connection begun = begun(isolation)) {
                jobs.add(begun, all.get(i).apply(NewJob.of(SEND, 1).queue("new" + i)));
                begun.commit();
            }
        assertThat(
                        database.number(
                                "SELECT (SELECT count(*) FROM howdah_internal.job) + (SELECT count(*) FROM howdah_internal.ordered)"))
                .isEqualTo(all.size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"REPEATABLE READ", "SERIALIZABLE"})
    void jobs_ofTwoTransactions_inTheSameNewQueues_areAddedInAnyOrder(String isolation) throws SQLException {
        try (Connection one = begun(isolation);
                Connection other = begun(isolation)) {
            jobs.add(one, NewJob.of(SEND, 1).queue("a"));
            jobs.add(other, NewJob.of(SEND, 2).queue("b"));
            jobs.add(one, NewJob.of(SEND, 3).queue("b"));
            jobs.add(other, NewJob.of(SEND, 4).queue("a"));
            one.commit();
            other.commit();
        }
        assertThat(waiting("a") + waiting("b")).isEqualTo(4);
    }

    /** Each has made a lane that the other one needs: one is to be repeated, and then finds both. */
    @ParameterizedTest
    @ValueSource(strings = {"REPEATABLE READ", "SERIALIZABLE"})
    void keyedJobs_ofTwoTransactions_inTheSameNewQueues_areNoDeadlock(String isolation) throws SQLException {
        try (Connection one = begun(isolation);
                Connection other = begun(isolation)) {
            jobs.add(one, NewJob.of(SEND, 1).queue("a").key("1"));
            jobs.add(other, NewJob.of(SEND, 2).queue("b").key("2"));
            // In one thread: nothing ends the transaction that is waited for.
            assertThatThrownBy(() -> jobs.add(one, NewJob.of(SEND, 3).queue("b").key("3")))
                    .cause()
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("40001"));
            one.rollback();
            jobs.add(other, NewJob.of(SEND, 4).queue("a").key("4"));
            other.commit();
        }
        try (Connection again = begun(isolation)) {
            jobs.add(again, NewJob.of(SEND, 1).queue("a").key("1"));
            jobs.add(again, NewJob.of(SEND, 3).queue("b").key("3"));
            again.commit();
        }
        assertThat(waiting("a") + waiting("b")).isEqualTo(4);
    }
}
