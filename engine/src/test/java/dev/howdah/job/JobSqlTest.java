package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.job.internal.maintain.HistoryCleaner;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;

/** By SQL: adding, what is refused, what may be seen, and with which rights. */
class JobSqlTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#majors")
    void add_bySql_isWorked(int major) throws Exception {
        try (TestDatabase database = TestDatabase.create(TestServer.of(major));
                Jobs jobs = Jobs.on(JobsDatabase.dataSource(database))
                        .handle(WORK, (n, job) -> job.result(n + job.priority()))
                        .start()) {
            try (Connection connection = database.connect();
                    Statement statement = connection.createStatement()) {
                connection.setAutoCommit(false);
                statement.execute("SELECT howdah.add('default', 'work', '1')");
                connection.rollback();
                statement.execute("SELECT howdah.add('default', 'work', '2', priority => 10)");
                statement.execute("SELECT howdah.add('default', 'work', '3'::json, delay => '1 ms')");
                statement.execute("SELECT howdah.add('default', 'work', '4'::jsonb, key => 'k')");
                statement.execute(
                        "SELECT howdah.add_many('default', 'work', array_agg(to_jsonb(n))) FROM generate_series(5, 7) n");
                connection.commit();
            }
            JobsDatabase.awaitValue(
                    database,
                    "SELECT string_agg(result::text, ' ' ORDER BY id) FROM howdah.jobs WHERE state = 'done'",
                    "12 3 4 5 6 7");
        }
    }

    @Test
    void add_tenThousandInOneCall_areThereInTheirOrder() {
        try (TestDatabase database = TestDatabase.create()) {
            JobsDatabase.in(database);
            assertThat(database.query("WITH added AS (SELECT id, ordinality AS n FROM howdah.add_many('q', 'k',"
                            + " (SELECT array_agg(to_jsonb(n)) FROM generate_series(1, 10000) n)) WITH ORDINALITY AS a (id, ordinality))"
                            + " SELECT count(*) FROM added"))
                    .containsExactly(List.of("10000"));
            assertThat(database.value("SELECT bool_and(payload::text::int = id - first + 1) FROM howdah_internal.job,"
                            + " (SELECT min(id) AS first FROM howdah_internal.job) m"))
                    .isEqualTo("t");
            database.execute("SELECT howdah.add_many('q', 'large', ARRAY[to_json(repeat('x', 9000)), NULL])");
            assertThat(database.query("SELECT length(payload::text) FROM howdah.jobs WHERE kind = 'large' ORDER BY id"))
                    .containsExactly(List.of("9002"), List.of("4"));
        }
    }

    @Test
    void add_whatCannotBe_saysWhatIsWrongWithWhichValue() {
        try (TestDatabase database = TestDatabase.create()) {
            JobsDatabase.in(database);
            String[][] refused = {
                {"repeat('q', 10000), 'k'", "the name of a queue has 1 to 200 characters, not 10000: \"qqqqqq"},
                {"'', 'k'", "the name of a queue has 1 to 200 characters, not 0: \"\""},
                {"'q', NULL", "the name of a kind has 1 to 200 characters, not 0: NULL"},
                {"'q', 'k', 'hello'", "invalid input syntax for type json"},
                {"'q', 'k', '\"\\u0000\"'::jsonb", "unsupported Unicode escape sequence"},
                {"'q', 'k', priority => 101", "a priority of 101: it has to be from -100 to 100"},
                {"'q', 'k', run_at => '10000-01-01 UTC'", "a job at 10000-01-01"},
                {"'q', 'k', run_at => 'infinity'", "a job at infinity: it has to be in the years 1 to 9999"},
                {"'q', 'k', delay => '-1 s'", "a delay of -00:00:01: it has to be from 0 to 1000 years"},
                {"'q', 'k', delay => '1 s', run_at => '2000-01-01 UTC'", "a job has one or the other"},
                {"'q', 'k', attempts => 0", "0 attempts: it has to be from 1 to 10000"},
                {"'q', 'k', timeout => '0'", "a timeout of 00:00:00: it has to be longer than 0"},
                {"'q', 'k', key => ''", "a key has 1 to 400 characters, not 0"},
                {"'q', 'k', key => repeat('k', 401)", "a key has 1 to 400 characters, not 401: \"kkk"},
                {"'q', 'k', version => '2000-01-01 UTC'", "without a key"},
            };
            for (String[] each : refused)
                assertThatThrownBy(() -> database.execute("SELECT howdah.add(" + each[0] + ")"))
                        .as(each[0])
                        .hasMessageContaining(each[1]);
            String[][] refusedInOrder = {
                {"NULL, 'k', '1', 'c'", "the name of a queue has 1 to 200 characters, not 0: NULL"},
                {"repeat('q', 10000), 'k', '1', 'c'", "the name of a queue has 1 to 200 characters, not 10000: \"qqqqqq"
                },
                {"'q', '', '1', 'c'", "the name of a kind has 1 to 200 characters, not 0: \"\""},
                {"'q', 'k', 'hello', 'c'", "invalid input syntax for type json"},
                {"'q', 'k', '1', NULL", "an order key has 1 to 200 characters, not 0: NULL"},
                {"'q', 'k', '1', repeat('c', 201)", "an order key has 1 to 200 characters, not 201: \"cccc"},
                {"'q', 'k', '1', 'c', -101", "a priority of -101: it has to be from -100 to 100"},
            };
            for (String[] each : refusedInOrder)
                assertThatThrownBy(() -> database.execute("SELECT howdah.add_ordered(" + each[0] + ")"))
                        .as(each[0])
                        .hasMessageContaining(each[1]);
            assertThatThrownBy(() -> database.execute("SELECT howdah.add_many('q', 'k', NULL::json[])"))
                    .hasMessageContaining("payloads is NULL");
            for (String fine : List.of(
                    "'a''b\"c', 'k'",
                    "'q', 'k', '\"\\u0000\"'",
                    "'q', 'k', run_at => '9999-12-31 23:59:59 UTC'",
                    "'q', 'k', key => repeat('\uD83D\uDC18', 400)"))
                database.execute("SELECT howdah.add(" + fine + ")");
            assertThat(database.value("SELECT count(*) FROM howdah.jobs")).isEqualTo("4");
        }
    }

    private static void assertRefused(PGSimpleDataSource source, String... statements) {
        for (String sql : statements)
            assertThatThrownBy(() -> JobsDatabase.run(source, sql))
                    .as(sql)
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("permission denied");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void roles_withTheLeastRights_mayDoTheirDutyAndNoMore(int major) throws Exception {
        try (TestDatabase database = TestDatabase.create(TestServer.of(major))) {
            JobsDatabase.in(database);
            String stranger = database.name() + "_stranger";
            List<String> duties = List.of("producer", "reader", "operator", "worker");
            database.execute("CREATE ROLE " + stranger + " LOGIN");
            database.execute("GRANT USAGE ON SCHEMA howdah TO " + stranger);
            for (String duty : duties) {
                database.execute("CREATE ROLE " + database.name() + "_" + duty + " LOGIN");
                database.execute("SELECT howdah.allow('" + database.name() + "_" + duty + "', '" + duty + "')");
            }
            try {
                assertRefused(
                        JobsDatabase.as(database, stranger),
                        "SELECT howdah.add('q', 'k')",
                        "SELECT howdah.cancel(1)",
                        "SELECT howdah_internal.keys_late()",
                        "SELECT howdah_internal.put(1, 1, 'k', 0::smallint, now(), '1', NULL)",
                        "SELECT * FROM howdah.jobs",
                        "SELECT howdah.allow('" + stranger + "', 'reader')");
                produce(database, JobsDatabase.as(database, database.name() + "_producer"));
                PGSimpleDataSource reader = JobsDatabase.as(database, database.name() + "_reader");
                JobsDatabase.run(reader, "SELECT * FROM howdah.jobs");
                JobsDatabase.run(reader, "SELECT * FROM howdah.find(1)");
                assertRefused(
                        reader,
                        "SELECT howdah.add('q', 'k')",
                        "SELECT howdah.cancel(1)",
                        "DELETE FROM howdah_internal.job");
                PGSimpleDataSource operator = JobsDatabase.as(database, database.name() + "_operator");
                assertRefused(operator, "SELECT howdah.add('q', 'k')", "DELETE FROM howdah_internal.job");
                try (Jobs jobs = Jobs.on(operator).start()) {
                    assertThat(jobs.admin().pause("default")).isTrue();
                    assertThat(jobs.admin().resume("default")).isTrue();
                    assertThat(jobs.admin().runRetriesNow("default")).isZero();
                }
                work(database, JobsDatabase.as(database, database.name() + "_worker"));
                assertThatThrownBy(() -> database.execute("SELECT howdah.allow('" + stranger + "', 'king')"))
                        .hasMessageContaining("the duty \"king\" is not known: it has to be producer, sender, reader");
            } finally {
                for (String role : List.of("stranger", "producer", "reader", "operator", "worker"))
                    database.execute("DROP OWNED BY " + database.name() + "_" + role + " CASCADE; DROP ROLE "
                            + database.name() + "_" + role);
            }
        }
    }

    private static void produce(TestDatabase database, PGSimpleDataSource producer) throws SQLException {
        JobsDatabase.run(producer, "SELECT howdah.add('new queue', 'k', '1', priority => 7)");
        JobsDatabase.run(producer, "SELECT howdah.add_many('q', 'k', ARRAY['1', '2'])");
        try (Jobs jobs = Jobs.on(producer).start()) {
            jobs.add(WORK, 1);
            jobs.add(NewJob.of(WORK, 1).queue("newest queue").priority(3).delay(Duration.ofHours(1)));
            jobs.addAll(List.of(NewJob.of(WORK, 1), NewJob.of(WORK, 1).key("k")));
            jobs.addAll(Collections.nCopies(1_000, NewJob.of(WORK, 1)));
            jobs.add(NewJob.of(Kind.of("large", String.class), "x".repeat(10_000)));
            assertThat(jobs.add(NewJob.of(WORK, 2).key("k")).added()).isFalse();
            assertThatThrownBy(() -> jobs.admin().cancel(1)).hasMessageContaining("permission denied");
        }
        assertRefused(
                producer,
                "SELECT payload FROM howdah_internal.job",
                "SELECT * FROM howdah_internal.body",
                "SELECT * FROM howdah.jobs",
                "UPDATE howdah_internal.job SET priority = 0",
                "DELETE FROM howdah_internal.job",
                "INSERT INTO howdah_internal.job (lane, kind, attempt) VALUES (1, 'k', 99)",
                "UPDATE howdah_internal.lane SET paused = now()",
                "SELECT howdah.pause('q')",
                "SELECT * FROM howdah.find(1)");
        // What turns its rows into JSON has its rights, not those of whoever owns Howdah's tables.
        database.execute("GRANT CREATE ON SCHEMA public TO " + producer.getUser());
        JobsDatabase.run(
                producer,
                "CREATE TYPE public.trap AS ENUM ('a');"
                        + "CREATE FUNCTION public.spring(public.trap) RETURNS json LANGUAGE sql AS 'SELECT to_json(current_user)';"
                        + "CREATE CAST (public.trap AS json) WITH FUNCTION public.spring(public.trap);"
                        + "CREATE TABLE public.trapped (t public.trap);"
                        + "CREATE TRIGGER snap AFTER INSERT ON public.trapped FOR EACH ROW EXECUTE FUNCTION howdah.async_trigger('q', 'trap');"
                        + "INSERT INTO public.trapped VALUES ('a')");
        assertThat(database.value("SELECT payload -> 'new' ->> 't' FROM howdah.jobs WHERE kind = 'trap'"))
                .isEqualTo(producer.getUser());
    }

    private static void work(TestDatabase database, PGSimpleDataSource worker) throws SQLException {
        try (Jobs jobs = Jobs.on(worker)
                .handle(WORK, (n, job) -> {
                    if (n == 13) throw new FatalException("thirteen");
                })
                .handle("large", String.class, (text, job) -> {})
                .start()) {
            jobs.add(WORK, 13);
            jobs.add(NewJob.of(WORK, 5).key("k5"));
            JobsDatabase.awaitValue(
                    database,
                    "SELECT string_agg(DISTINCT state, ' ' ORDER BY state) FROM howdah.jobs WHERE queue = 'default'",
                    "done failed");
        }
        // Its days are made for it, for it may not make tables.
        assertThat(
                        database.value(
                                "SELECT to_regclass('howdah_internal.batch_' || to_char(CURRENT_DATE + 3, 'YYYYMMDD')) IS NOT NULL"))
                .isEqualTo("t");
        new HistoryCleaner(ConnectionSource.of(worker), 0, 0).tidy();
        assertThat(database.value("SELECT count(*) FROM howdah_internal.failed"))
                .isEqualTo("0");
        assertRefused(worker, "CREATE TABLE howdah.mine (a int)");
        assertThatThrownBy(() -> JobsDatabase.run(worker, "DROP TABLE howdah_internal.failed"))
                .hasMessageContaining("must be owner");
    }
}
