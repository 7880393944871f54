package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Handlers that wait for jobs which are not their children. */
@PostgresTest
class JobAwaitJobTest {
    private static final Kind<Long> WAITER = Kind.of("waiter", Long.class);
    private static final Kind<Integer> PART = Kind.of("part", Integer.class);
    private static final Kind<Integer> OWN = Kind.of("own", Integer.class);
    private static final Duration HOUR = Duration.ofHours(1);

    private final JobsDatabase database;
    private final List<String> ran = new CopyOnWriteArrayList<>();
    private final AtomicReference<Jobs> client = new AtomicReference<>();
    private final AtomicInteger runs = new AtomicInteger();

    JobAwaitJobTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private ManualJobs manual(Handler<Long> handler) {
        return database.jobs()
                .handle(
                        WAITER,
                        (id, job) -> {
                            runs.incrementAndGet();
                            handler.handle(id, job);
                        },
                        options -> options.retries(RetryPolicy.after(Duration.ZERO)))
                .handle(
                        PART,
                        (number, job) -> {
                            if (number < 0) throw new FatalException("no luck");
                            job.result(number + 1);
                        },
                        options -> options.retries(RetryPolicy.never()))
                .handleInTransaction(OWN, (number, job, connection) -> job.result(number + 1))
                .manual();
    }

    private ManualJobs manual() {
        return manual((id, job) -> ran.add("got " + job.awaitJob("part", id, Integer.class, HOUR)));
    }

    private static JobSummary find(ManualJobs manual, long id) {
        return manual.jobs().admin().find(id).orElseThrow();
    }

    private void assertNothingLeft() {
        assertThat(database.number("SELECT count(*) FROM howdah_internal.awaited"))
                .isZero();
        assertThat(database.number("SELECT count(*) FROM howdah_internal.awaited_end"))
                .isZero();
    }

    @Test
    void job_addedInTheTransactionOfAStep_isAwaited() {
        try (ManualJobs manual = manual((none, job) -> {
            long id = Objects.requireNonNull(job.stepInTransaction(
                    "add",
                    Long.class,
                    connection -> Objects.requireNonNull(client.get()).add(connection, PART, 41)));
            ran.add("got " + job.awaitJob("part", id, Integer.class, HOUR));
        })) {
            client.set(manual.jobs());
            long id = manual.jobs().add(WAITER, 0L);
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
        }
        assertThat(ran).containsExactly("got 42");
        assertThat(runs).hasValue(2);
        assertNothingLeft();
    }

    @Test
    void job_thatHasEnded_isAwaitedWithoutASuspension() {
        try (ManualJobs manual = manual()) {
            long part = manual.jobs().add(PART, 1);
            manual.runDue();
            manual.jobs().add(WAITER, part);
            manual.runDue();
        }
        assertThat(ran).containsExactly("got 2");
        assertThat(runs).hasValue(1);
        assertNothingLeft();
    }

    @Test
    void job_thatEndsInItsOwnTransaction_orIsCancelled_wakesIt() {
        try (ManualJobs manual = manual()) {
            long own = manual.jobs().add(NewJob.of(OWN, 1).delay(HOUR)).id();
            long part = manual.jobs().add(NewJob.of(PART, 1).delay(HOUR)).id();
            long first = manual.jobs().add(WAITER, own);
            long second = manual.jobs().add(WAITER, part);
            manual.runDue();
            assertThat(manual.jobs().admin().why(first).get(0).code()).isEqualTo("awaits-job");
            manual.jobs().admin().runNow(own);
            manual.runDue();
            assertThat(find(manual, first).state()).isEqualTo(JobState.DONE);
            assertThat(find(manual, second).state()).isEqualTo(JobState.SUSPENDED);
            manual.jobs().admin().cancel(part);
            manual.runDue();
            assertThat(find(manual, second).state()).isEqualTo(JobState.FAILED);
            assertThat(find(manual, second).error()).contains("job " + part, "\"part\"", "was cancelled");
        }
        assertNothingLeft();
    }

    @Test
    void job_thatDoesNotEndInTime_isAFailure_andARetryWaitsAnew() {
        try (ManualJobs manual = manual()) {
            long part = manual.jobs()
                    .add(NewJob.of(PART, 1).delay(Duration.ofDays(1)))
                    .id();
            long id = manual.jobs().add(WAITER, part);
            manual.runDue();
            database.execute("UPDATE howdah_internal.job SET run_at = now() WHERE id = " + id
                    + "; UPDATE howdah_internal.job_record SET until = now()");
            manual.runDue();
            assertThat(find(manual, id).error()).contains("has not ended within PT1H");
            manual.jobs().admin().retry(id);
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.SUSPENDED);
            manual.jobs().admin().runNow(part);
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
        }
        assertThat(ran).containsExactly("got 2");
        assertNothingLeft();
    }

    @Test // the statement that ends it does not see the note
    void job_endedByASessionWithAnOlderSnapshot_wakesItAllTheSame() throws SQLException {
        try (ManualJobs manual = manual();
                Connection other = database.connect()) {
            long part = manual.jobs().add(NewJob.of(PART, 1).delay(HOUR)).id();
            other.setAutoCommit(false);
            other.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            try (var statement = other.createStatement()) {
                statement.execute("SELECT count(*) FROM howdah.jobs");
                long id = manual.jobs().add(WAITER, part);
                manual.runDue();
                assertThat(find(manual, id).state()).isEqualTo(JobState.SUSPENDED);
                statement.execute("SELECT howdah.cancel(" + part + ")");
                other.commit();
                JobsDatabase.awaiting("the job is resumed").until(() -> {
                    manual.runDue();
                    return find(manual, id).state() == JobState.FAILED;
                });
            }
        }
        assertNothingLeft();
    }

    @Test
    void job_thatIsNotThere_isRefused() {
        try (ManualJobs manual = manual()) {
            long id = manual.jobs().add(WAITER, 4711L);
            manual.runDue();
            assertThat(find(manual, id).error()).contains("there is no job 4711");
        }
    }
}
