package dev.howdah.internal.pause;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.Database;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.SchemaConnection;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.internal.store.SchemaUninstaller;
import dev.howdah.job.query.JobState;
import dev.howdah.task.TaskScheduler;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** The mark that everything is paused: who makes it, what is taken for one, and what it stops at once. */
@PostgresTest
class PauseMarkTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);

    private static PGSimpleDataSource source(TestDatabase database) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(
                "jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name() + "?user=postgres");
        return source;
    }

    private static void await(TestDatabase database, String sql) {
        Awaitility.await(sql).pollInterval(Duration.ofMillis(10)).until(() -> "t".equals(database.value(sql)));
    }

    private static void execute(Connection session, String sql) throws SQLException {
        try (Statement statement = session.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void mark_saysWhyAndByWhom_andIsMadeOnce(TestDatabase database) throws SQLException {
        try (Connection connection = database.connect()) {
            assertThat(PauseMark.read(connection)).isEqualTo(PauseMark.NONE);
            assertThat(PauseMark.make(connection, "it's a \"copy\" of howdah", "alice"))
                    .isNull();
            PauseMark made = Objects.requireNonNull(PauseMark.read(connection).mark());
            assertThat(made.reason()).isEqualTo("it's a \"copy\" of howdah");
            assertThat(made.by()).isEqualTo("alice");
            assertThat(PauseMark.make(connection, "again", null)).isEqualTo(made);
            assertThat(PauseMark.isSet(connection)).isTrue();
            assertThat(PauseMark.drop(connection)).isEqualTo(made);
            assertThat(PauseMark.isSet(connection)).isFalse();
        }
    }

    @Test
    void mark_ofAnotherSchema_isItsOwn(TestDatabase database) throws SQLException {
        try (Connection connection = database.connect()) {
            Connection other = SchemaConnection.of(connection, SchemaName.of("elsewhere"));
            PauseMark.make(other, "howdah_internal.job is empty", null);
            assertThat(PauseMark.isSet(connection)).isFalse();
            assertThat(Objects.requireNonNull(PauseMark.read(other).mark()).reason())
                    .isEqualTo("howdah_internal.job is empty");
        }
    }

    @Test
    void mark_madeByHand_counts(TestDatabase database) throws SQLException {
        database.execute("CREATE SCHEMA howdah; CREATE VIEW howdah.paused AS SELECT 1 AS paused");
        try (Connection connection = database.connect()) {
            assertThat(PauseMark.read(connection).mark()).hasToString("paused by postgres");
            database.execute("COMMENT ON VIEW howdah.paused IS '{a copy'");
            assertThat(PauseMark.read(connection).mark()).hasToString("paused by postgres: {a copy");
        }
    }

    @Test
    void mark_ofStrangers_pausesNothing_andIsNamed(TestDatabase database) throws SQLException {
        String stranger = "stranger_of_" + database.name();
        database.execute("CREATE SCHEMA howdah; CREATE ROLE " + stranger + "; GRANT ALL ON SCHEMA howdah TO " + stranger
                + "; SET ROLE " + stranger + "; CREATE VIEW howdah.paused AS SELECT 1 AS paused; RESET ROLE");
        try (Connection connection = database.connect()) {
            assertThat(PauseMark.isSet(connection)).isFalse();
            assertThat(PauseMark.read(connection).mark()).isNull();
            assertThat(PauseMark.read(connection).stranger())
                    .isEqualTo(
                            "howdah.paused is a view of role " + stranger + " and pauses nothing: a mark that does is"
                                    + " a view of a role that may act as postgres; drop or rename it");
            assertThatThrownBy(() -> PauseMark.make(connection, null, null)).hasMessageContaining("drop or rename it");
            assertThatThrownBy(() -> PauseMark.drop(connection)).hasMessageContaining("drop or rename it");
            database.execute("DROP VIEW howdah.paused; CREATE TABLE howdah.paused ()");
            assertThat(PauseMark.isSet(connection)).isFalse();
            assertThat(PauseMark.read(connection).stranger()).startsWith("howdah.paused is a table of role postgres");
            database.execute("DROP TABLE howdah.paused; SET ROLE " + stranger);
            connection.createStatement().execute("SET ROLE " + stranger);
            assertThatThrownBy(() -> PauseMark.make(connection, null, null))
                    .hasMessageContaining("role " + stranger + " may not pause or resume everything here");
        } finally {
            database.execute("RESET ROLE; DROP OWNED BY " + stranger + "; DROP ROLE " + stranger);
        }
    }

    @Test
    void mark_isReadWithoutPrivileges(TestDatabase database) throws SQLException {
        String guest = "guest_of_" + database.name();
        database.execute("CREATE ROLE " + guest);
        try (Connection connection = database.connect()) {
            PauseMark.make(connection, null, null);
            connection.createStatement().execute("SET ROLE " + guest);
            assertThat(PauseMark.isSet(connection)).isTrue();
            assertThat(PauseMark.read(connection).mark()).isNotNull();
            assertThatThrownBy(() -> PauseMark.drop(connection)).hasMessageContaining("may not pause or resume");
        } finally {
            database.execute("DROP ROLE " + guest);
        }
    }

    @Test
    void uninstall_takesTheMarkAlong(TestDatabase database) throws SQLException {
        try (Connection connection = database.connect()) {
            Jobs.install(connection);
            PauseMark.make(connection, null, null);
            SchemaUninstaller.run(connection, true);
        }
        assertThat(database.value("SELECT to_regnamespace('howdah')")).isNull();
    }

    @Test
    void claims_thatBeginAfterTheMark_takeNothing(TestDatabase database) throws Exception {
        String asleep = "SELECT count(*) > 0 FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
                + " WHERE d.datname = current_database() AND l.classid = 1215264875 AND l.mode = 'ExclusiveLock' AND l.granted";
        AtomicInteger ran = new AtomicInteger();
        try (Connection connection = database.connect();
                Jobs jobs = Jobs.on(source(database))
                        .handle(WORK, (n, job) -> ran.incrementAndGet())
                        .concurrency(4)
                        .start()) {
            for (int round = 1; round <= 3; round++) {
                database.execute("SELECT howdah.add('default', 'work', i::text::json) FROM generate_series(1, 2000) i");
                int before = ran.get();
                Awaitility.await().until(() -> ran.get() > before);
                PauseMark.make(connection, null, null);
                await(database, asleep);
                await(database, "SELECT NOT EXISTS (SELECT FROM howdah_internal.batch WHERE ended IS NULL)");
                int then = ran.get();
                await(database, asleep);
                jobs.add(WORK, round);
                await(database, asleep);
                assertThat(ran).hasValue(then);
                PauseMark.drop(connection);
                await(database, "SELECT NOT EXISTS (SELECT FROM howdah_internal.job)");
            }
            long last = jobs.add(WORK, 0);
            assertThat(jobs.await(last, Patience.LIMIT).state()).isEqualTo(JobState.DONE);
            assertThat(ran).hasValue(6004);
        }
    }

    @Test
    void tasks_thatRun_comeToTheirEnd_andNoOtherBegins(TestDatabase database) throws Exception {
        Semaphore paused = new Semaphore(0);
        try (Connection connection = database.connect();
                Connection lock = database.connect();
                TaskScheduler scheduler = TaskScheduler.on(Database.of(database.uri()))
                        .listener(new TaskScheduler.Listener() {
                            @Override
                            public void paused(String why) {
                                paused.release();
                            }
                        })
                        .start()) {
            assertThat(scheduler).isNotNull();
            await(database, "SELECT to_regclass('task') IS NOT NULL");
            execute(lock, "SELECT pg_advisory_lock(42)");
            database.execute(
                    "INSERT INTO task (input, \"group\", max) SELECT 'SELECT pg_advisory_xact_lock(42)', 'g', 0 FROM generate_series(1, 2)");
            await(
                    database,
                    "SELECT count(*) = 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database WHERE"
                            + " d.datname = current_database() AND l.objid = 42 AND NOT l.granted");
            PauseMark.make(connection, null, null);
            database.execute("INSERT INTO task (input) VALUES ('SELECT 1')");
            execute(lock, "SELECT pg_advisory_unlock(42)");
            await(database, "SELECT count(*) = 1 FROM task WHERE state = 'DONE'");
            paused.acquire();
            await(
                    database,
                    "SELECT NOT EXISTS (SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database WHERE"
                            + " d.datname = current_database() AND l.classid = 1215264867)");
            assertThat(database.value("SELECT string_agg(state::text, ',' ORDER BY id) FROM task"))
                    .isEqualTo("DONE,PLAN,PLAN");
            PauseMark.drop(connection);
            await(database, "SELECT bool_and(state = 'DONE') FROM task");
        }
    }
}
