package dev.howdah.job;

import static dev.howdah.job.JobsDatabase.PATIENCE;
import static dev.howdah.job.JobsDatabase.awaiting;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** A program that runs no jobs waits for the end of jobs that another one runs. */
@PostgresTest
class JobAwaitTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);
    private static final Kind<Integer> HELD = Kind.of("held", Integer.class);
    private static final Kind<Integer> HELD_OWN = Kind.of("held-own", Integer.class);
    private static final Kind<Integer> BAD = Kind.of("bad", Integer.class);
    private static final Kind<Integer> UNKNOWN = Kind.of("unknown", Integer.class);

    private final TestDatabase database;
    private final CountDownLatch release = new CountDownLatch(1);

    JobAwaitTest(TestDatabase database) {
        this.database = JobsDatabase.filled(database);
    }

    private Jobs program() {
        return Jobs.on(JobsDatabase.dataSource(database)).start();
    }

    private Jobs node() {
        return Jobs.on(JobsDatabase.dataSource(database))
                .handle(WORK, (n, job) -> job.result(n + 1))
                .handle(HELD, (n, job) -> {
                    release.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                    if (n < 0) throw new FatalException("no luck with " + n);
                    job.result(n + 1);
                })
                .handleInTransaction(HELD_OWN, (n, job, connection) -> {
                    release.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                    job.result(n + 1);
                })
                .handle(
                        BAD,
                        (n, job) -> {
                            throw new FatalException("bad " + n);
                        },
                        options -> options.retries(RetryPolicy.never()))
                .start();
    }

    /** Waits until a look would come for no other reason than a notification. */
    private void awaitListening(int jobs) {
        awaiting("the program listens")
                .until(() -> database.query("SELECT FROM pg_stat_activity WHERE datname = current_database()"
                                        + " AND state = 'idle' AND query LIKE '%howdah.find%'")
                                .size()
                        > 0);
        awaiting("the notes are written")
                .until(() -> String.valueOf(database.value("SELECT count(*) FROM howdah_internal.awaited"))
                        .equals(String.valueOf(jobs)));
    }

    @Test
    void await_jobsThatRun_areHeardOf() throws Exception {
        try (Jobs program = program();
                Jobs node = node()) {
            long held = program.add(HELD, 1);
            long own = program.add(HELD_OWN, 2);
            long bad = program.add(HELD, -1);
            CompletableFuture<Integer> first = program.result(held, Integer.class);
            CompletableFuture<Integer> second = program.result(own, Integer.class);
            CompletableFuture<Integer> third = program.result(bad, Integer.class);
            CompletableFuture<Integer> ordered =
                    program.result(program.add(NewJob.of(HELD, 4).orderKey("o")).id(), Integer.class);
            awaitListening(4);
            assertThat(first).isNotDone();
            release.countDown();
            assertThat(first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(2);
            assertThat(second.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(3);
            assertThat(ordered.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(5);
            assertThatThrownBy(() -> third.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOf(JobsException.class)
                    .hasMessageContaining("job " + bad + " has failed: ")
                    .hasMessageContaining("no luck with -1");
            awaiting("the notes are gone")
                    .until(() ->
                            "0".equals(String.valueOf(database.value("SELECT count(*) FROM howdah_internal.awaited"))));
            assertThat(node.node()).isPositive();
        }
    }

    /** The statement that ends such a job goes with its COMMIT; here no other end makes the program look. */
    @Test
    void await_jobInItsOwnTransaction_itsEndIsNotified() throws Exception {
        try (Jobs program = program();
                Jobs node = node();
                Connection session = JobsDatabase.source(database.uri()).getConnection();
                Statement statement = session.createStatement()) {
            statement.execute("LISTEN howdah_job_ended");
            long own = program.add(HELD_OWN, 2);
            CompletableFuture<Integer> end = program.result(own, Integer.class);
            awaitListening(1);
            release.countDown();
            PGConnection notified = session.unwrap(PGConnection.class);
            awaiting("the end is notified").until(() -> {
                PGNotification[] heard = notified.getNotifications(100);
                return heard != null
                        && Stream.of(heard).anyMatch(each -> each.getParameter().equals(Long.toString(own)));
            });
            assertThat(end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(3);
            assertThat(node.node()).isPositive();
        }
    }

    @Test
    void await_jobsThatHaveEnded_areThereAtOnce() throws Exception {
        try (Jobs program = program();
                Jobs node = node()) {
            long done = program.add(WORK, 1);
            long failed = program.add(BAD, 2);
            assertThat(program.await(done, PATIENCE))
                    .returns(JobState.DONE, JobSummary::state)
                    .returns("2", JobSummary::result);
            assertThat(program.await(failed, PATIENCE).error()).contains("bad 2");
            assertThat(program.result(done, Integer.class)).isCompletedWithValue(2);
            assertThat(program.await(done, Duration.ZERO).id()).isEqualTo(done);
            assertThat(program.await(done, Duration.ofSeconds(Long.MAX_VALUE)).id())
                    .isEqualTo(done);
            assertThat(node.node()).isPositive();
        }
    }

    @Test
    void await_cancelledAndMissing_saySo() throws Exception {
        try (Jobs program = program()) {
            long waiting = program.add(UNKNOWN, 1);
            CompletableFuture<Integer> end = program.result(waiting, Integer.class);
            awaitListening(1);
            assertThat(program.admin().cancel(waiting)).isEqualTo(CancelResult.CANCELLED);
            assertThatThrownBy(() -> end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOf(JobsException.class)
                    .hasMessage("job " + waiting + " was cancelled: cancelled before it began");
            assertThatThrownBy(() -> program.await(waiting + 1_000, PATIENCE))
                    .isInstanceOf(JobsException.class)
                    .hasMessageStartingWith("there is no job " + (waiting + 1_000) + ": its history has been removed");
            long second = program.add(UNKNOWN, 1);
            assertThatThrownBy(() -> program.await(second, Duration.ofMillis(1)))
                    .isInstanceOf(TimeoutException.class)
                    .hasMessage("job " + second + " has not ended within PT0.001S");
            assertThat(program.admin().find(second).orElseThrow().state()).isEqualTo(JobState.WAITING);
        }
    }

    @Test
    void await_sessionThatListensIsLost_goesOn() throws Exception {
        try (Jobs program = program();
                Jobs node = node()) {
            long held = program.add(HELD, 1);
            CompletableFuture<JobSummary> end = program.awaitAsync(held);
            awaitListening(1);
            database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
                    + " AND query LIKE '%howdah.find%' AND pid <> pg_backend_pid()");
            release.countDown();
            assertThat(end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).result()).isEqualTo("2");
            assertThat(node.node()).isPositive();
        }
    }

    @Test
    void await_closed_fails() {
        Jobs program = program();
        long waiting = program.add(UNKNOWN, 1);
        CompletableFuture<JobSummary> end = program.awaitAsync(waiting);
        program.close();
        assertThatThrownBy(end::get).cause().hasMessage("jobs were closed before the job ended");
        assertThatThrownBy(() -> program.awaitAsync(waiting)).hasMessageContaining("jobs are closed");
    }

    /** Each of them may end at any moment between its first look, its note and its second look. */
    @Tag("long")
    @Test
    void await_manyShortJobs_allEnd() throws Exception {
        try (Jobs program = program();
                Jobs node = node()) {
            List<CompletableFuture<Integer>> ends = new ArrayList<>();
            List<Thread> callers = new ArrayList<>();
            for (int caller = 0; caller < 4; caller++) {
                Thread thread = new Thread(() -> {
                    for (int i = 0; i < 50; i++) {
                        CompletableFuture<Integer> end = program.result(program.add(WORK, i), Integer.class);
                        synchronized (ends) {
                            ends.add(end);
                        }
                    }
                });
                thread.start();
                callers.add(thread);
            }
            for (Thread each : callers) each.join();
            assertThat(ends).hasSize(200);
            for (CompletableFuture<Integer> each : ends)
                assertThat(each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isPositive();
            assertThat(node.node()).isPositive();
        }
    }

    @Test
    void waitJob_inSql_givesTheEndOrTheState() throws Exception {
        try (Jobs program = program();
                Jobs node = node()) {
            long done = program.add(WORK, 1);
            long failed = program.add(BAD, 2);
            long waiting = program.add(UNKNOWN, 3);
            assertThat(database.query("SELECT state, result, error FROM howdah.wait_job(" + done + ", '30 s')"))
                    .containsExactly(java.util.Arrays.asList("done", "2", null));
            assertThat(String.valueOf(database.value("SELECT error FROM howdah.wait_job(" + failed + ", '30 s')")))
                    .contains("bad 2");
            assertThat(database.value("SELECT state FROM howdah.wait_job(" + waiting + ", '10 ms')"))
                    .isEqualTo("waiting");
            assertThat(node.node()).isPositive();
        }
    }

    @Test
    void waitJob_wrongCalls_areRefused() throws Exception {
        program().close();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.execute("SELECT howdah.wait_job(77, '1 s')"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("there is no job 77, or its history has been removed");
            assertThatThrownBy(() -> statement.execute("SELECT howdah.wait_job(77, '-1 s')"))
                    .hasMessageContaining("a timeout of -00:00:01: it has to be from 0 to 1 day");
            assertThatThrownBy(() -> statement.execute("SELECT howdah.wait_job(77, NULL)"))
                    .as("the default in place of NULL")
                    .hasMessageContaining("there is no job 77");
            connection.setAutoCommit(false);
            statement.execute("SELECT howdah.add('q', 'k', '1')");
            assertThatThrownBy(() -> statement.execute("SELECT howdah.wait_job(max(id)) FROM howdah_internal.job"))
                    .hasMessageContaining("was added by this transaction, and does not run before that ends");
            connection.rollback();
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            assertThatThrownBy(() -> statement.execute("SELECT howdah.wait_job(77)"))
                    .hasMessageContaining("it has to be READ COMMITTED");
        }
    }
}
