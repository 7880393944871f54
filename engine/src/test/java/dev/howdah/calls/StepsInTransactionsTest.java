package dev.howdah.calls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.query.JobState;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Steps of handlers whose thread is in a transaction of an application server, with a small pool. */
@PostgresTest
class StepsInTransactionsTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);

    private final TestDatabase database;

    StepsInTransactionsTest(TestDatabase database) {
        this.database = database;
        database.execute("CREATE TABLE effect (what text)");
    }

    private static void insert(Connection connection, String what) throws Exception {
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO effect VALUES ('" + what + "')");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void steps_ofAHandlerInATransactionOfTheServer_areRecordedBesideItAndLeaveThePoolWhole(boolean autoCommit)
            throws Exception {
        ServerPool pool = new ServerPool(Sources.of(database), 2, autoCommit);
        try (Jobs jobs = Jobs.on(pool.source())
                .sessionDataSource(Sources.of(database))
                .handle(
                        WORK,
                        (n, job) -> pool.inTransaction(false, () -> {
                            job.step("one", String.class, () -> "a");
                            job.stepInTransaction("two", String.class, connection -> {
                                insert(connection, "step");
                                return "b";
                            });
                            try (Connection own = pool.source().getConnection()) {
                                insert(own, "handler");
                            }
                            assertThat(job.runAt()).isNotNull();
                            if (job.attempt() == 1) throw new IllegalStateException("rolls back");
                            return 0;
                        }),
                        options -> options.retries(RetryPolicy.after(Duration.ofMillis(1))))
                .start()) {
            for (int i = 0; i < 4; i++)
                assertThat(jobs.await(jobs.add(WORK, i), Patience.LIMIT).state())
                        .isEqualTo(JobState.DONE);
            pool.awaitWhole();
            assertThat(pool.misuses()).isEmpty();
        } finally {
            pool.close();
        }
        assertThat(database.query("SELECT what, count(*) FROM effect GROUP BY what ORDER BY what"))
                .as("what a step has written stays, as its record does")
                .isEqualTo(List.of(List.of("handler", "4"), List.of("step", "4")));
    }

    @Test
    void handler_inTheJobsTransaction_usesItsConnectionWhereverTheThreadIs() throws Exception {
        ServerPool pool = new ServerPool(Sources.of(database), 2, true);
        try (Jobs jobs = Jobs.on(pool.source())
                .sessionDataSource(Sources.of(database))
                .handleInTransaction(
                        WORK,
                        (n, job, connection) -> pool.inTransaction(false, () -> {
                            insert(connection, "job");
                            return 0;
                        }))
                .start()) {
            assertThat(jobs.await(jobs.add(WORK, 1), Patience.LIMIT).state()).isEqualTo(JobState.DONE);
            pool.awaitWhole();
            assertThat(pool.misuses()).isEmpty();
        } finally {
            pool.close();
        }
        assertThat(Objects.requireNonNull(database.value("SELECT count(*) FROM effect")))
                .isEqualTo("1");
    }
}
