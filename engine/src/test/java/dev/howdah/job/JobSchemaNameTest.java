package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Installations in schemas of their own, side by side in one database. */
@PostgresTest
class JobSchemaNameTest {
    private static final Kind<String> HELLO = Kind.of("hello", String.class);

    private final TestDatabase database;
    private final DataSource source;

    JobSchemaNameTest(TestDatabase database) {
        this.database = database;
        this.source = JobsDatabase.dataSource(database);
    }

    private JobsBuilder in(String schema, Handler<String> handler) {
        return Jobs.on(source).schema(schema).handle(HELLO, handler);
    }

    @Test
    void twoSchemas_inOneDatabase_workTheirOwnJobsOnly() throws Exception {
        Queue<String> ran = new ConcurrentLinkedQueue<>();
        try (Jobs acme = in("acme", (text, job) -> ran.add("acme " + text)).start();
                Jobs other =
                        in("other", (text, job) -> ran.add("other " + text)).start();
                Jobs howdah =
                        in("howdah", (text, job) -> ran.add("howdah " + text)).start();
                Connection connection = source.getConnection()) {
            acme.add(HELLO, "1");
            other.add(NewJob.of(HELLO, "2").key("k"));
            howdah.add(NewJob.of(HELLO, "3").orderKey("k"));
            connection.setAutoCommit(false);
            acme.add(connection, NewJob.of(HELLO, "4").key("k"));
            other.addAll(
                    connection,
                    List.of(NewJob.of(HELLO, "5"), NewJob.of(HELLO, "6").key("k2")));
            connection.commit();
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT acme.add('default', 'hello', '\"7\"')");
                connection.commit();
            }
            await().atMost(Patience.LIMIT).until(() -> ran.size() == 7);
            assertThat(ran)
                    .containsExactlyInAnyOrder(
                            "acme 1", "other 2", "howdah 3", "acme 4", "other 5", "other 6", "acme 7");
            JobSummary seen = acme.await(acme.add(HELLO, "8"), Duration.ofSeconds(30));
            assertThat(seen.state()).isEqualTo(JobState.DONE);
            JobQuery done = JobQuery.in(JobState.DONE);
            await().atMost(Patience.LIMIT).untilAsserted(() -> {
                assertThat(acme.admin().count(done)).isEqualTo(4);
                assertThat(other.admin().count(done)).isEqualTo(3);
                assertThat(howdah.admin().count(done)).isEqualTo(1);
            });
        }
        for (String schema : List.of("acme", "other", "howdah"))
            assertThat(database.value("SELECT count(*) FROM " + schema + "_internal.node"))
                    .isEqualTo("0");
    }

    @Test
    void nothingOfOneSchema_namesAnotherOne() throws Exception {
        in("acme", (text, job) -> {}).start().close();
        assertThat(database.value("SELECT to_regnamespace('howdah') IS NULL")).isEqualTo("t");
        assertThat(database.query("SELECT p.proname FROM pg_proc p WHERE p.pronamespace::regnamespace::text ~ '^acme'"
                        + " AND (p.prosrc ~ '\\mhowdah' OR p.prosrc ~ '12152648' OR p.proconfig::text ~ 'howdah')"))
                .isEmpty();
        assertThat(database.query("SELECT c.relname FROM pg_class c WHERE c.relnamespace::regnamespace::text ~ '^acme'"
                        + " AND c.relkind = 'v' AND pg_get_viewdef(c.oid) ~ '\\mhowdah'"))
                .isEmpty();
        assertThat(database.query("SELECT pg_get_triggerdef(t.oid) FROM pg_trigger t WHERE NOT t.tgisinternal"
                        + " AND pg_get_triggerdef(t.oid) ~ 'howdah|12152648'"))
                .isEmpty();
    }

    @Test
    void transactionalHandler_inASchema_hasAConnectionOfItsOwnWords() throws Exception {
        database.execute("CREATE SCHEMA howdah; CREATE TABLE howdah.note (text text)");
        CountDownLatch done = new CountDownLatch(1);
        try (Jobs acme = Jobs.on(source)
                .schema("acme")
                .handleInTransaction(HELLO, (text, job, connection) -> {
                    try (Statement statement = connection.createStatement()) {
                        // Statements of users are taken as they are.
                        statement.execute("INSERT INTO howdah.note VALUES ('howdah')");
                    }
                    done.countDown();
                })
                .start()) {
            long id = acme.add(HELLO, "x");
            assertThat(acme.await(id, Duration.ofSeconds(30)).error()).isNull();
            assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(database.value("SELECT text FROM howdah.note")).isEqualTo("howdah");
    }

    @Tag("long")
    @Test
    void limitsAndOrder_ofTwoSchemas_countApart() throws Exception {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch together = new CountDownLatch(2);
        Handler<String> handler = (text, job) -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            together.countDown();
            together.await(30, TimeUnit.SECONDS);
            running.decrementAndGet();
        };
        try (Jobs acme = in("acme", handler).start();
                Jobs other = in("other", handler).start()) {
            List<Long> ids = new ArrayList<>();
            for (Jobs each : List.of(acme, other)) {
                each.admin().setLimit("default", 1);
                for (int i = 0; i < 3; i++)
                    ids.add(each.add(NewJob.of(HELLO, "x").orderKey("one")).id());
            }
            // Each schema has room for one, and neither waits for the other.
            assertThat(together.await(30, TimeUnit.SECONDS)).isTrue();
            for (int i = 0; i < 6; i++)
                assertThat((i < 3 ? acme : other)
                                .await(ids.get(i), Duration.ofSeconds(30))
                                .error())
                        .isNull();
            assertThat(most).hasValue(2);
        }
    }

    @Tag("long")
    @Test
    void lostSession_inOneSchema_isNoticedThere() throws Exception {
        Queue<String> ran = new ConcurrentLinkedQueue<>();
        try (Jobs acme = in("acme", (text, job) -> ran.add(text)).start();
                Jobs other = in("other", (text, job) -> ran.add(text)).start()) {
            acme.add(HELLO, "before");
            await().atMost(Patience.LIMIT).until(() -> ran.size() == 1);
            database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE datname = current_database() AND pid <> pg_backend_pid()");
            await().atMost(Patience.LIMIT).ignoreExceptions().until(() -> {
                acme.add(HELLO, "after");
                return true;
            });
            other.add(HELLO, "other");
            await().atMost(Patience.LIMIT).until(() -> ran.containsAll(List.of("after", "other")));
        }
    }

    @Tag("long")
    @Test
    void processes_inASchema_shareTheNodeOfItsJobs() throws Exception {
        Namespace counter = Namespace.of(
                "counter", (task, process) -> Intent.none().event("x").response("counted"));
        try (Jobs jobs = in("acme", (text, job) -> {}).start();
                Processes processes =
                        Processes.on(source).schema("acme").namespace(counter).start();
                Processes howdah = Processes.on(source).namespace(counter).start()) {
            assertThat(processes.init("counter", "a", null).as(String.class)).isEqualTo("counted");
            assertThat(howdah.init("counter", "a", null).as(String.class)).isEqualTo("counted");
            try (Connection connection = source.getConnection()) {
                connection.setAutoCommit(false);
                processes.init(connection, "counter", "b", null);
                connection.commit();
            }
            assertThat(database.value("SELECT count(*) FROM acme_internal.process"))
                    .isEqualTo("2");
            assertThat(database.value("SELECT count(*) FROM howdah_internal.process"))
                    .isEqualTo("1");
            assertThat(database.value("SELECT string_agg(array_to_string(features, ' '), ',') FROM acme_internal.node"))
                    .isEqualTo("job process");
            assertThat(jobs.node()).isPositive();
        }
    }

    @Tag("long")
    @Test
    void duty_inOneSchema_isNoneInTheOther() throws Exception {
        in("acme", (text, job) -> {}).start().close();
        in("other", (text, job) -> {}).start().close();
        String role = "producer_" + database.name();
        database.execute("CREATE ROLE " + role);
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT acme.allow('" + role + "', 'producer')");
            statement.execute("SET ROLE " + role);
            statement.execute("SELECT acme.add('default', 'hello', '1')");
            assertThatThrownBy(() -> statement.execute("SELECT other.add('default', 'hello', '1')"))
                    .hasMessageContaining("permission denied for schema other");
            try (Jobs jobs = Jobs.on(source).schema("acme").start()) {
                jobs.add(connection, HELLO, "2");
            }
        } finally {
            database.execute("DROP OWNED BY " + role + "; DROP ROLE " + role);
        }
        assertThat(database.value("SELECT count(*) FROM acme_internal.job")).isEqualTo("2");
    }

    @Test
    void uninstall_ofOneSchema_leavesTheOther() throws Exception {
        in("acme", (text, job) -> {}).start().close();
        in("other", (text, job) -> {}).start().close();
        try (Connection connection = database.connect()) {
            Jobs.uninstall(connection, "acme", false);
            assertThat(database.value(
                            "SELECT to_regnamespace('acme') IS NULL AND to_regnamespace('acme_internal') IS NULL"))
                    .isEqualTo("t");
            assertThat(database.value("SELECT to_regclass('other_internal.job') IS NOT NULL"))
                    .isEqualTo("t");
            Jobs.install(connection, "acme");
        }
        try (Jobs other = Jobs.on(source).schema("other").start()) {
            assertThat(other.add(HELLO, "x")).isPositive();
        }
    }

    @Test
    void schemaText_ofASchema_makesItsTables() throws Exception {
        String text = Jobs.schema("acme", 0, 1);
        assertThat(text).doesNotContain("howdah");
        database.execute("BEGIN; " + text + "; COMMIT");
        try (Jobs acme = Jobs.on(source).schema("acme").start()) {
            assertThat(acme.add(HELLO, "x")).isPositive();
        }
        assertThat(Jobs.schema("howdah", 0, 1)).isEqualTo(Jobs.schema(0, 1));
    }

    @Test
    void names_thatAreNone_areRefused() {
        for (String name : List.of(
                "",
                "Acme",
                "a\"b",
                "a'b",
                "a;b",
                "a b",
                "1a",
                "pg_catalog",
                "pg_temp",
                "public",
                "user",
                "new",
                "information_schema",
                "howdah_two",
                "acme_internal",
                "ä",
                "x".repeat(41),
                "a\0b"))
            assertThatThrownBy(() -> Jobs.on(source).schema(name))
                    .as(name)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("schema");
        Jobs.on(source).schema("x".repeat(40));
        assertThatThrownBy(() -> Jobs.on(source)
                        .handleInTransaction(HELLO, source, (text, job, connection) -> {})
                        .schema("acme"))
                .isInstanceOf(IllegalStateException.class);
    }
}
