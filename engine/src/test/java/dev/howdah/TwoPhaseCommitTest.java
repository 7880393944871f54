package dev.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.query.JobState;
import dev.howdah.task.TaskScheduler;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** What is added in a transaction that is prepared, as those of two resources are, while nodes and schedulers sleep. */
@Tag("long")
class TwoPhaseCommitTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final String LISTENS = "SELECT count(*) > 0 FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
            + " WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.mode = 'ExclusiveLock' AND l.granted"
            + " AND l.classid = ";

    private TestDatabase database;

    @BeforeEach
    void create() {
        database =
                TestDatabase.create(TestServer.with(Map.of("max_prepared_transactions", "5", "wal_level", "logical")));
    }

    @AfterEach
    void drop() {
        database.close();
    }

    private PGSimpleDataSource source() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(
                "jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name() + "?user=postgres");
        return source;
    }

    private void await(String sql) {
        Awaitility.await(sql)
                .atMost(Patience.LIMIT)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> "t".equals(database.value(sql)));
    }

    private interface Work {
        void run(Connection connection) throws SQLException;
    }

    private void prepare(Work work) throws SQLException {
        try (Connection connection = source().getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            work.run(connection);
            statement.execute("PREPARE TRANSACTION '" + database.name() + "'");
        }
    }

    private void commitPrepared() {
        database.execute("COMMIT PREPARED '" + database.name() + "'");
    }

    @Test
    void jobs_addedWhileNodesSleep_runSoonAfterTheCommit() throws Exception {
        try (Jobs jobs = Jobs.on(source()).handle(WORK, (payload, job) -> {}).start()) {
            List<Work> adds = List.of(
                    connection -> jobs.add(connection, WORK, "library"),
                    connection -> jobs.add(connection, NewJob.of(WORK, "a").key("k")),
                    connection -> jobs.add(connection, NewJob.of(WORK, "b").orderKey("o")),
                    connection -> jobs.add(connection, NewJob.of(WORK, "c").group("g")),
                    connection -> connection
                            .createStatement()
                            .execute("SELECT howdah.add('default', 'work', '1'), howdah.cancel(2),"
                                    + " howdah.add_many('default', 'work', ARRAY['1']::json[])"));
            for (Work add : adds) {
                await(LISTENS + "1215264875");
                prepare(add);
                commitPrepared();
                await(
                        "SELECT NOT EXISTS (SELECT FROM howdah_internal.job) AND NOT EXISTS (SELECT FROM howdah_internal.ordered)");
            }
            await("SELECT NOT EXISTS (SELECT FROM howdah_internal.bell)");
            await(LISTENS + "1215264875");
            long id = jobs.add(WORK, "as usual");
            assertThat(jobs.await(id, Patience.LIMIT).state()).isEqualTo(JobState.DONE);
        }
        assertThat(database.value("SELECT count(*) FROM howdah_internal.failed"))
                .isEqualTo("0");
    }

    @Test
    void functionsOfUsers_notifyByTheBellAlone() {
        Jobs.on(source()).start().close();
        assertThat(database.query("SELECT p.proname FROM pg_proc p WHERE p.pronamespace::regnamespace::text ~ '^howdah'"
                        + " AND p.prosrc ~ 'pg_notify' AND p.proname !~ '^(tell|bell_.*|process_.*)$'"))
                .isEmpty();
    }

    @Test
    void tasks_addedWhileTheSchedulerSleeps_runSoonAfterTheCommit() throws Exception {
        try (TaskScheduler scheduler =
                TaskScheduler.on(Database.of(database.uri())).start()) {
            assertThat(scheduler).isNotNull();
            await("SELECT to_regclass('task') IS NOT NULL");
            await(LISTENS + "1215264868");
            prepare(connection -> connection
                    .createStatement()
                    .execute("INSERT INTO task (input) SELECT 'SELECT 1' FROM generate_series(1, 3)"));
            commitPrepared();
            await("SELECT count(*) = 3 AND bool_and(state = 'DONE') FROM task");
            await(LISTENS + "1215264868");
            prepare(
                    connection -> connection
                            .createStatement()
                            .execute(
                                    "UPDATE task SET state = 'PLAN', plan = now() WHERE id = 1; DELETE FROM task WHERE id = 2"));
            database.execute("ROLLBACK PREPARED '" + database.name() + "'");
            assertThat(database.value("SELECT count(*) FROM task")).isEqualTo("3");
        }
    }

    @Test
    void tasks_ofOneTransaction_ringOnceAndAtItsCommit() throws Exception {
        try (TaskScheduler scheduler =
                TaskScheduler.on(Database.of(database.uri())).start()) {
            assertThat(scheduler).isNotNull();
            await("SELECT to_regclass('task') IS NOT NULL");
            await(LISTENS + "1215264868");
            database.execute("INSERT INTO task (input) SELECT 'SELECT 1' FROM generate_series(1, 100)");
            await("SELECT count(*) = 100 AND bool_and(state = 'DONE') FROM task");
        }
    }
}
