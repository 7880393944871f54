package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Jobs in the caller's transaction, and handlers in the job's. */
@PostgresTest
class JobTransactionTest {
    private static final Kind<Long> WORK = Kind.of("work", Long.class);

    private final JobsDatabase database;

    JobTransactionTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
        this.database.execute("CREATE TABLE effect (job bigint, attempt integer)");
    }

    private static void effect(Connection connection, Job job) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO effect VALUES (" + job.id() + ", " + job.attempt() + ")");
        }
    }

    @Test
    void job_callersTransaction_isThereIfThatCommits() throws SQLException {
        try (Jobs jobs = database.jobs().handle(WORK, (payload, job) -> {}).start();
                Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            long lost = jobs.add(connection, WORK, 1L);
            jobs.addAll(
                    connection, List.of(NewJob.of(WORK, 2L), NewJob.of(WORK, 3L).queue("new queue")));
            connection.rollback();
            long kept = jobs.add(connection, WORK, 4L);
            connection.commit();
            database.awaitLetters(kept, "d");
            assertThat(database.letters(lost)).isEmpty();
            assertThat(database.waiting()).isZero();
            assertThat(database.ended("drsgfcmux")).isEqualTo(1);
        }
    }

    @Test // who is told nothing hears of it when it commits
    void job_transactionLongerThanAllNaps_isTakenAtItsCommit() throws SQLException {
        try (Jobs jobs = database.jobs().handle(WORK, (payload, job) -> {}).start();
                Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            database.awaitLetters(jobs.add(WORK, 0L), "d");
            connection.setAutoCommit(false);
            long id = jobs.add(connection, WORK, 1L);
            statement.execute("SELECT pg_sleep(0.2)");
            connection.commit();
            database.awaitLetters(id, "d");
        }
    }

    @Test
    void handler_inTheJobsTransaction_effectsAndOutcomeCommitTogether() {
        try (Jobs jobs = database.jobs()
                .defaultRetries(RetryPolicy.after(Duration.ofMillis(5)))
                .handleInTransaction(WORK, (payload, job, connection) -> {
                    effect(connection, job);
                    job.result(payload);
                    if (payload == 1 && job.attempt() == 1) throw new IllegalStateException("once");
                    if (payload == 2) throw new FatalException("for good");
                    if (payload == 3 && job.attempt() == 1) {
                        try (Statement statement = connection.createStatement()) {
                            statement.execute("SELECT pg_terminate_backend(pg_backend_pid())");
                        }
                    }
                })
                .start()) {
            List<Long> ids = jobs.addAll(
                    LongStream.range(0, 4).mapToObj(n -> NewJob.of(WORK, n)).toList());
            database.awaitLetters(ids.get(0), "d");
            database.awaitLetters(ids.get(1), "rd");
            database.awaitFailed(ids.get(2));
            database.awaitLetters(ids.get(3), "rd");
            assertThat(database.text("SELECT string_agg(job - " + ids.get(0)
                            + " || ':' || attempt, ' ' ORDER BY job) FROM effect"))
                    .isEqualTo("0:1 1:2 3:2");
            assertThat(database.attempt(ids.get(0), "a.result::text || ' ' || a.letter"))
                    .isEqualTo("0 d");
        }
    }

    @Test // an attempt that was told to end and rolled back is not done
    void handler_inTransactionPastItsTime_hasNoEffectAndFails() {
        try (Jobs jobs = database.jobs()
                .defaultRetries(RetryPolicy.never())
                .defaultTimeout(Duration.ofMillis(50))
                .handleInTransaction(WORK, (payload, job, connection) -> {
                    effect(connection, job);
                    new CountDownLatch(1).await();
                })
                .start()) {
            database.awaitFailed(jobs.add(WORK, 1L));
            assertThat(database.number("SELECT count(*) FROM effect")).isZero();
        }
    }

    @Test // the same, of a handler that ends as if nothing had happened
    void handler_inTransactionEndsWellPastItsTime_isDoneWithItsEffect() {
        try (Jobs jobs = database.jobs()
                .defaultRetries(RetryPolicy.never())
                // Longer than the pool takes for a connection: an interrupt before the handler begins is another case.
                .defaultTimeout(Duration.ofSeconds(1))
                .handleInTransaction(WORK, (payload, job, connection) -> {
                    // The interrupt comes after the flag.
                    while (!job.cancelled() || !Thread.interrupted()) Thread.onSpinWait();
                    effect(connection, job);
                })
                .start()) {
            long id = jobs.add(WORK, 1L);
            database.awaitLetters(id, "d");
            assertThat(database.number("SELECT count(*) FROM effect WHERE job = " + id))
                    .isEqualTo(1);
        }
    }

    @Test
    void handler_whoseBatchIsOthersMeanwhile_doesNotBegin() throws SQLException {
        try (Jobs jobs = database.jobs()
                        .concurrency(1)
                        .handleInTransaction(WORK, (payload, job, connection) -> effect(connection, job))
                        .start();
                Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            // Whoever begins waits for this lock, and finds the batch ended behind it.
            statement.execute("CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS"
                    + " $$BEGIN NEW.ended := now(); NEW.outcomes := 'x'; RETURN NEW; END$$");
            statement.execute(
                    "CREATE TRIGGER hold BEFORE INSERT ON howdah_internal.batch FOR EACH ROW EXECUTE FUNCTION hold()");
            long id = jobs.add(WORK, 1L);
            database.awaitLetters(id, "x");
            // Dropping the trigger would need a table that nodes are using.
            statement.execute("CREATE OR REPLACE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS"
                    + " $$BEGIN RETURN NEW; END$$");
            long next = jobs.add(WORK, 2L);
            database.awaitLetters(next, "d");
            assertThat(database.text("SELECT string_agg(job::text, ' ') FROM effect"))
                    .isEqualTo(Long.toString(next));
        }
    }

    @Test
    void handler_endsTheTransactionBehindItsBack_fails() {
        Kind<String> kind = Kind.of("behind", String.class);
        Pipeline pipeline = Pipeline.of("own")
                .stageInTransaction("a", String.class, (payload, job, connection) -> {
                    endTransaction(payload, connection);
                    return Outcome.next(payload);
                })
                .stage("b", String.class, (payload, job) -> Outcome.done());
        try (Jobs jobs = database.jobs()
                .queues("default")
                .defaultRetries(RetryPolicy.never())
                .handleInTransaction(kind, (payload, job, connection) -> {
                    effect(connection, job);
                    endTransaction(payload, connection);
                })
                .pipeline(pipeline)
                .start()) {
            List<String> ways = List.of("ROLLBACK", "COMMIT", "COMMIT; BEGIN", "ROLLBACK; SELECT 1", "unwrapped");
            List<Long> all = new ArrayList<>();
            for (String way : ways) all.add(jobs.add(kind, way));
            for (String way : ways) all.add(jobs.add(pipeline.job(way)).id());
            for (long each : all) {
                database.awaitFailed(each);
                assertThat(database.failed(each, "error")).contains("has ended the job's transaction");
            }
            long saved = jobs.add(kind, "SAVEPOINT a; ROLLBACK TO a");
            database.awaitLetters(saved, "d");
            database.awaitLetters(
                    jobs.add(pipeline.job("SAVEPOINT a; ROLLBACK TO a")).id(), "nd");
        }
    }

    private static void endTransaction(String way, Connection connection) throws SQLException {
        if (way.equals("unwrapped")) {
            ((Connection) connection.unwrap(org.postgresql.jdbc.PgConnection.class)).commit();
            return;
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute(way);
        }
    }

    @Test // the handler must leave the transaction alone
    void handler_endsTheTransactionItself_fails() {
        try (Jobs jobs = database.jobs()
                .defaultRetries(RetryPolicy.never())
                .handleInTransaction(WORK, (payload, job, connection) -> {
                    if (payload == 0) connection.close();
                    else connection.commit();
                })
                .start()) {
            long closed = jobs.add(WORK, 0L);
            long committed = jobs.add(WORK, 1L);
            database.awaitFailed(closed);
            database.awaitFailed(committed);
            assertThat(database.failed(closed, "error")).contains("close");
            assertThat(database.failed(committed, "error")).contains("commit");
        }
    }

    @Test // large payloads: nothing stays behind
    void handler_inTransactionOfLargePayload_leavesNothing() {
        Kind<String> text = Kind.of("text", String.class);
        try (Jobs jobs = database.jobs()
                .handleInTransaction(text, (payload, job, connection) -> effect(connection, job))
                .start()) {
            database.awaitLetters(jobs.add(text, "x".repeat(100_000)), "d");
            assertThat(database.number("SELECT count(*) FROM howdah_internal.body"))
                    .isZero();
        }
    }

    @Test
    void job_transactionThatHasFailed_isRefusedWithItsReason() throws SQLException {
        try (Jobs jobs = database.jobs().start();
                Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> statement.execute("SELECT 1/0")).isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> jobs.add(connection, WORK, 1L))
                    .isInstanceOf(JobsException.class)
                    .hasMessageContaining("current transaction is aborted");
        }
    }
}
