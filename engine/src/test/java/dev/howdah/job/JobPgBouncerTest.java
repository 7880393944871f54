package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.howdah.fixtures.PgBouncer;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Issue 4, bad input: a real PgBouncer before the database, in each of its modes. {@link JobSessionCheckTest} needs none. */
@PostgresTest
class JobPgBouncerTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);

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
