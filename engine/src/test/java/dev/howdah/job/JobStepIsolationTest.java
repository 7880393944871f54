package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.wait.NewSignal;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What jobs record in a database whose transactions are of a higher level: others at the same time are no failure of an attempt. */
@PostgresTest
class JobStepIsolationTest {
    private static final int JOBS = 40;
    private static final int STEPS = 4;
    private static final Kind<Integer> WORK =
            Kind.of("work", Integer.class).retries(RetryPolicy.never()).timeout(Duration.ZERO);

    private static final Kind<Integer> PART = Kind.of("part", Integer.class);

    private final JobsDatabase database;

    JobStepIsolationTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    @ParameterizedTest
    @CsvSource({"serializable, false", "serializable, true", "repeatable read, false"})
    void steps_ofJobsOfOneBatch_areNotInEachOthersWay(String level, boolean pooled) throws SQLException {
        database.execute("CREATE TABLE effect (job bigint, step integer)");
        database.execute("ALTER DATABASE " + database.text("SELECT quote_ident(current_database())")
                + " SET default_transaction_isolation = '" + level + "'");
        DataSource source = pooled ? database.dataSource() : database.source();
        try (Jobs jobs = Jobs.on(source)
                .sessionDataSource(database.source())
                .concurrency(8)
                .handle(WORK, (n, job) -> {
                    for (int i = 0; i < STEPS; i++) {
                        int step = i;
                        assertThatThrownBy(() -> job.step("refused " + step, Void.class, () -> {
                                    throw new IllegalStateException("no");
                                }))
                                .hasMessage("no");
                        job.stepInTransaction(
                                "in " + i, Integer.class, connection -> effect(connection, job.id(), step));
                        job.step("beside " + i, Integer.class, () -> step);
                    }
                    job.await("go", Integer.class, Duration.ofMinutes(10));
                    job.awaitChildren(job.children("part", List.of(NewJob.of(PART, 1), NewJob.of(PART, 2))));
                    job.step("after", Integer.class, () -> n);
                })
                .handle(PART, (n, job) -> {})
                .start()) {
            List<Long> ids = jobs.addAll(
                    IntStream.range(0, JOBS).mapToObj(i -> NewJob.of(WORK, i)).toList());
            for (long id : ids) jobs.signal(NewSignal.to(id, "go", 1));
            JobsDatabase.awaiting("all have ended")
                    .until(() -> database.number("SELECT count(*) FROM howdah.jobs WHERE state IN ('done', 'failed')")
                            == JOBS * 3);
            assertThat(jobs.admin().list(JobQuery.in(JobState.FAILED)).jobs()).isEmpty();
        }
        assertThat(database.number("SELECT count(*) FROM effect")).isEqualTo(JOBS * STEPS);
        try (Connection same = source.getConnection();
                Statement statement = same.createStatement();
                ResultSet row = statement.executeQuery("SHOW transaction_isolation")) {
            row.next();
            assertThat(row.getString(1))
                    .as("sessions are of the level of the database")
                    .isEqualTo(level);
        }
    }

    private static int effect(Connection connection, long job, int step) throws Exception {
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO effect VALUES (" + job + ", " + step + ")");
            new CountDownLatch(1).await(2, TimeUnit.MILLISECONDS);
            return step;
        }
    }
}
