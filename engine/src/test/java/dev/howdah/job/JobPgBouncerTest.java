package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.howdah.fixtures.PgBouncer;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.limit.JobLimits;
import dev.howdah.job.limit.LimitScope;
import dev.howdah.job.limit.Rate;
import dev.howdah.job.workflow.After;
import dev.howdah.job.workflow.Workflow;
import dev.howdah.job.workflow.WorkflowSummary;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Issue 4, bad input: a real PgBouncer before the database, in each of its modes. {@link JobSessionCheckTest} needs none. */
@PostgresTest
@Tag("long")
class JobPgBouncerTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);
    private static final Kind<String> TELL = Kind.of("tell", String.class);

    private final TestDatabase database;
    private final JobsDatabase jobs;

    JobPgBouncerTest(TestDatabase database) {
        this.database = database;
        this.jobs = JobsDatabase.in(database);
    }

    @BeforeEach
    void look() {
        assumeTrue(PgBouncer.isThere(), PgBouncer.MISSING);
    }

    private PGSimpleDataSource through(PgBouncer pooler) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl("jdbc:postgresql://127.0.0.1:" + pooler.port() + "/" + database.name() + "?user=postgres");
        // What a session has prepared is not there in the next one.
        source.setPrepareThreshold(0);
        return source;
    }

    @ParameterizedTest
    @CsvSource({"transaction, pool_mode = session", "statement, statement pooling mode"})
    void pooler_lendsSessionsForLess_isRefusedInWords(String mode, String words) {
        try (PgBouncer pooler = PgBouncer.before(database, mode)) {
            for (int i = 0; i < 3; i++)
                assertThatThrownBy(() -> Jobs.on(through(pooler))
                                .handle(WORK, (n, job) -> {})
                                .start())
                        .isInstanceOf(JobsException.class)
                        .hasMessageContaining(words);
        }
    }

    @Test
    void pooler_lendsSessionsForATransaction_isGoodEnoughForAllButWhatIsKept() throws SQLException {
        database.execute("CREATE TABLE effect (n int)");
        try (PgBouncer pooler = PgBouncer.before(database, "transaction");
                Jobs node = Jobs.on(through(pooler))
                        .sessionDataSource(jobs.source())
                        .handleInTransaction(WORK, (n, job, connection) -> {
                            try (Statement statement = connection.createStatement()) {
                                statement.execute("INSERT INTO effect VALUES (" + n + ")");
                            }
                        })
                        .start()) {
            List<NewJob<Integer>> many = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                node.add(WORK, 1);
                node.add(NewJob.of(WORK, 1).key("key " + i));
                node.add(NewJob.of(WORK, 1).orderKey("order"));
                many.add(NewJob.of(WORK, 1));
                try (Connection mine = through(pooler).getConnection()) {
                    mine.setAutoCommit(false);
                    node.add(mine, WORK, 1);
                    mine.commit();
                    node.add(mine, NewJob.of(WORK, 1_000));
                    mine.rollback();
                }
            }
            node.addAll(many);
            node.schedule(Schedule.every("s", Duration.ofDays(1)), NewJob.of(WORK, 1));
            long waits =
                    node.add(NewJob.of(WORK, 1_000).delay(Duration.ofDays(1))).id();
            assertThat(node.admin().cancel(waits)).isEqualTo(CancelResult.CANCELLED);
            JobsDatabase.awaitValue(database, "SELECT sum(n) FROM effect", "100");
            JobsDatabase.awaitValue(database, "SELECT count(*) FROM howdah.jobs WHERE state = 'done'", "100");
        }
    }

    private JobsBuilder node(PgBouncer pooler) {
        return Jobs.on(through(pooler)).sessionDataSource(jobs.source());
    }

    @Test
    void pooler_lendsSessionsForATransaction_limitsAndRatesHoldOverAllNodes() {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Queue<Long> begins = new ConcurrentLinkedQueue<>();
        List<Jobs> nodes = new ArrayList<>();
        try (PgBouncer pooler = PgBouncer.before(database, "transaction")) {
            nodes.add(node(pooler).start());
            JobLimits limits = nodes.get(0).admin().limits();
            limits.setConcurrency(LimitScope.queue("few"), 2);
            limits.setRate(LimitScope.queue("paced"), Rate.of(5, Duration.ofSeconds(1)));
            for (int i = 0; i < 2; i++)
                nodes.add(node(pooler)
                        .queues("few", "paced")
                        .concurrency(5)
                        .handle(WORK, (n, job) -> {
                            if (job.queue().equals("paced")) {
                                begins.add(System.nanoTime());
                                return;
                            }
                            most.accumulateAndGet(running.incrementAndGet(), Math::max);
                            Thread.onSpinWait();
                            running.decrementAndGet();
                        })
                        .start());
            nodes.get(1)
                    .addAll(IntStream.range(0, 100)
                            .mapToObj(i -> NewJob.of(WORK, i).queue("few"))
                            .toList());
            nodes.get(1)
                    .addAll(IntStream.range(0, 14)
                            .mapToObj(i -> NewJob.of(WORK, i).queue("paced"))
                            .toList());
            JobsDatabase.awaitValue(database, "SELECT count(*) FROM howdah.jobs WHERE state = 'done'", "114");
        } finally {
            nodes.forEach(Jobs::close);
        }
        assertThat(most.get()).isBetween(1, 2);
        List<Long> all = begins.stream().sorted().toList();
        assertThat(all).hasSize(14);
        for (int i = 5; i < 14; i++)
            assertThat(all.get(i) - all.get(i - 5)).as("begin %s", i).isGreaterThan(1_000_000_000L);
    }

    /** In other transactions howdah.wait_job refuses to wait. */
    private void readCommitted() {
        String name = database.value("SELECT quote_ident(current_database())");
        database.execute("ALTER DATABASE " + name + " SET default_transaction_isolation = 'read committed'");
    }

    @Test
    void pooler_lendsSessionsForATransaction_workflowsRunAndTheirEndIsAwaited() throws Exception {
        readCommitted();
        Queue<String> ended = new ConcurrentLinkedQueue<>();
        try (PgBouncer pooler = PgBouncer.before(database, "transaction");
                Jobs node = node(pooler)
                        .handle(
                                WORK,
                                (n, job) -> job.result(job.resultsOf(Integer.class).values().stream()
                                        .mapToInt(Integer::intValue)
                                        .reduce(n, Integer::sum)))
                        .handle(TELL, (name, job) -> {
                            WorkflowSummary flow = job.workflow().orElseThrow();
                            ended.add(name + " " + flow.done() + " of " + flow.total());
                        })
                        .start();
                Connection mine = through(pooler).getConnection();
                Statement statement = mine.createStatement()) {
            long flow = node.workflows()
                    .add(Workflow.of("sum")
                            .open()
                            .job("a", NewJob.of(WORK, 1))
                            .job("b", NewJob.of(WORK, 2))
                            .whenDone(NewJob.of(TELL, "java")));
            mine.setAutoCommit(false);
            long sum = node.workflows()
                    .addJobs(mine, flow, Workflow.of("more").job("c", NewJob.of(WORK, 10), After.done("a", "b")))
                    .get(0);
            mine.commit();
            node.workflows().close(flow);
            assertThat(node.await(sum, Duration.ofSeconds(30)).result()).isEqualTo("13");
            statement.execute("SELECT howdah.add_workflow('[{\"name\": \"a\", \"kind\": \"work\", \"payload\": 5},"
                    + " {\"name\": \"b\", \"kind\": \"work\", \"payload\": \"$results.a\", \"fill\": true, \"after\": [\"a\"]}]',"
                    + " when_ended => '{\"kind\": \"tell\", \"payload\": \"sql\"}')");
            mine.commit();
            // Each statement may have another session.
            mine.setAutoCommit(true);
            try (ResultSet row =
                    statement.executeQuery("SELECT w.state || ' ' || w.result FROM howdah_internal.workflow_job j"
                            + " CROSS JOIN LATERAL howdah.wait_job(j.id, '30 s') w WHERE j.name = 'b' AND j.workflow <> "
                            + flow)) {
                row.next();
                assertThat(row.getString(1)).isEqualTo("done 10");
            }
            JobsDatabase.awaiting("both callbacks").until(() -> ended.size() == 2);
        }
        assertThat(ended).containsExactlyInAnyOrder("java 3 of 3", "sql 2 of 2");
    }

    @Test
    void pooler_lendsSessionsForATransaction_aTimeOutOfWaitJobIsNoError() throws SQLException {
        readCommitted();
        try (PgBouncer pooler = PgBouncer.before(database, "transaction");
                Jobs node = node(pooler).start();
                Connection mine = through(pooler).getConnection();
                Statement statement = mine.createStatement()) {
            long waits = node.add(WORK, 1);
            try (ResultSet row = statement.executeQuery("SELECT state FROM howdah.wait_job(" + waits + ", '20 ms')")) {
                row.next();
                assertThat(row.getString(1)).isEqualTo("waiting");
            }
            mine.setAutoCommit(false);
            assertThatThrownBy(
                            () -> statement.execute("SELECT howdah.wait_job((howdah.add('q', 'work', '1')).id, '1 s')"))
                    .hasMessageContaining("was added by this transaction");
            mine.rollback();
        }
    }

    @Test
    void pooler_lendsSessionsForAsLongAsTheyAreHeld_isAsNone() {
        try (PgBouncer pooler = PgBouncer.before(database, "session")) {
            try (Jobs node =
                    Jobs.on(through(pooler)).handle(WORK, (n, job) -> {}).start()) {
                jobs.awaitLetters(node.add(WORK, 1), "d");
                jobs.awaitLetters(node.add(NewJob.of(WORK, 2).orderKey("order")).id(), "d");
            }
            // Its lock went with its session, although the pooler keeps that.
            JobsDatabase.awaitValue(
                    database,
                    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = 1215264874"
                            + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
                    "0");
        }
    }
}
