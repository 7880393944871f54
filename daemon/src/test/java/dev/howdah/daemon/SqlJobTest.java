package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.howdah.Database;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.database.SessionSource;
import dev.howdah.daemon.serve.JobPlan;
import dev.howdah.daemon.serve.JobService;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.spi.Metrics;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Queues whose jobs of kind sql the daemon works, with the rights of a role and no more. */
@PostgresTest
@Tag("long")
class SqlJobTest {
    private final TestDatabase database;
    private final String role;

    SqlJobTest(TestDatabase database) {
        this.database = database;
        this.role = database.name() + " worker's";
    }

    private String quoted() {
        return '"' + role + '"';
    }

    @BeforeEach
    void makeRole() {
        database.execute("CREATE ROLE " + quoted()
                + " LOGIN; CREATE TABLE t (id int PRIMARY KEY, n numeric, s text, j jsonb, b boolean, a int[], d date);"
                + "GRANT SELECT, INSERT, UPDATE ON t TO " + quoted());
    }

    @AfterEach
    void dropRole() {
        database.execute("DROP OWNED BY " + quoted() + " CASCADE; DROP ROLE " + quoted());
    }

    private WorkedJobs worked() {
        return WorkedJobs.in(database, "queues", "q", "sql-role", role);
    }

    @Test
    void parameters_ofAllTypes_arriveExactly() {
        try (WorkedJobs worked = worked()) {
            long id = worked.sql(
                    "{\"sql\": \"INSERT INTO t VALUES ($1, $2, $3, $4, $5, $6, $7)\", \"parameters\":"
                            + " [1, 12345678901234567890.1234567890, \"it's; DROP TABLE t --\", {\"a\": [1.10, null]}, true, \"{1,2}\", \"2026-03-01\"]}");
            assertThat(worked.await(id, "done")).isEqualTo("{\"rows\": 1}");
            assertThat(database.query("SELECT * FROM t"))
                    .isEqualTo(List.of(List.of(
                            "1",
                            "12345678901234567890.1234567890",
                            "it's; DROP TABLE t --",
                            "{\"a\": [1.10, null]}",
                            "t",
                            "{1,2}",
                            "2026-03-01")));
            long nulls = worked.sql(
                    "{\"sql\": \"UPDATE t SET s = $1, n = n + $2 WHERE id = $2 AND j ? 'a' AND s <> '$1 ?'\","
                            + " \"parameters\": [null, 1]}");
            assertThat(worked.await(nulls, "done")).isEqualTo("{\"rows\": 1}");
            assertThat(database.value("SELECT n || COALESCE(s, ' none') FROM t"))
                    .isEqualTo("12345678901234567891.1234567890 none");
            long several = worked.sql("{\"sql\": \"INSERT INTO t (id, s) VALUES ($1, session_user);"
                    + " UPDATE t SET b = false; SELECT * FROM t WHERE id >= $1\", \"parameters\": [2]}");
            assertThat(worked.await(several, "done")).isEqualTo("{\"rows\": 1}");
            assertThat(database.value("SELECT s FROM t WHERE id = 2 AND NOT b")).isEqualTo(role);
        }
    }

    @Test
    void stageOfAPipeline_takesTheResultOfTheStageBefore() {
        try (WorkedJobs worked = worked()) {
            worked.await(worked.sql("{\"sql\": \"INSERT INTO t (id, n) VALUES (1, 12.50), (2, 3)\"}"), "done");
            database.execute("""
                    SELECT howdah.put_pipeline('bill', '[
                        {"name": "sum", "queue": "q", "kind": "sql", "payload": {"result": true, "parameters": ["$input.id"],
                            "sql": "UPDATE t SET b = true WHERE id >= $1; SELECT json_build_object(''total'', sum(n)) FROM t WHERE b"}},
                        {"name": "write", "queue": "q", "kind": "sql", "payload": {"parameters": ["$previous.total", "$previous"],
                            "sql": "INSERT INTO t (id, n, j) VALUES (3, $1, $2)"}}]');
                    SELECT howdah.add_to_pipeline('bill', '{"id": 1}')""");
            await("the second stage has written")
                    .until(() -> "15.50 {\"total\": 15.50}"
                            .equals(database.value("SELECT max(n || ' ' || j) FROM t WHERE id = 3")));
            assertThat(worked.await(worked.sql("{\"sql\": \"SELECT NULL::jsonb\", \"result\": true}"), "done"))
                    .isEqualTo("null");
            assertThat(worked.await(worked.sql("{\"sql\": \"SELECT 1\", \"result\": true}"), "failed"))
                    .contains("whose first column is json or jsonb, not int4");
            assertThat(worked.await(worked.sql("{\"sql\": \"UPDATE t SET b = b\", \"result\": true}"), "failed"))
                    .contains("whose first column is json or jsonb, and this one returns none");
            assertThat(worked.await(worked.sql("{\"sql\": \"SELECT FROM t\", \"result\": true}"), "failed"))
                    .contains("and this one returns none");
            assertThat(worked.await(worked.sql("{\"sql\": \"SELECT FROM t\"}"), "done"))
                    .isEqualTo("{\"rows\": 3}");
        }
    }

    @Test
    void payload_wrong_failsForGood() {
        List<String> wrong = List.of(
                "[1]", "the payload of a job of kind sql is an object with",
                "{}", "needs \"sql\", a text, and has none",
                "{\"sql\": 7}", "needs \"sql\", a text, not 7",
                "{\"sql\": \"SELECT 1\", \"params\": []}", "unknown key \"params\" in the payload",
                "{\"sql\": \"SELECT 1\", \"sql\": \"SELECT 2\"}", "\"sql\" stands twice",
                "{\"sql\": \"SELECT 1\", \"parameters\": {}}", "\"parameters\" has to be an array, not {}",
                "{\"sql\": \"SELECT $1\"}", "the statement has 1 parameters, given are 0",
                "{\"sql\": \"SELECT 1\", \"parameters\": [1]}", "the statement has 0 parameters, given are 1",
                "{\"sql\": \"SELECT $99999999\"}", "there is no parameter $99999999",
                "{\"sql\": \"SELEC 1\"}", "syntax error at or near \"SELEC\" (42601)",
                "{\"sql\": \"SELECT 'a\\u0000'\"}", "there is a character 0 in its payload",
                "{\"sql\": \"SELECT 1; COMMIT; SELECT 1/0\"}",
                        "must not end its transaction, which is the job's: COMMIT");
        try (WorkedJobs worked = worked()) {
            List<Long> ids = new ArrayList<>();
            for (int i = 0; i < wrong.size(); i += 2) ids.add(worked.sql(wrong.get(i)));
            for (int i = 0; i < wrong.size(); i += 2)
                assertThat(worked.await(ids.get(i / 2), "failed"))
                        .as(wrong.get(i))
                        .contains(wrong.get(i + 1));
        }
    }

    @Test
    void statement_failsOrReachesTooFar_isRolledBackAndRetried() {
        try (WorkedJobs worked = worked()) {
            long fails = worked.sql("{\"sql\": \"INSERT INTO t (id) VALUES (7); SELECT 1/0\"}");
            assertThat(worked.await(fails, "retrying")).isEqualTo("division by zero (22012)");
            long tables = worked.sql("{\"sql\": \"SELECT * FROM howdah_internal.job\"}");
            assertThat(worked.await(tables, "retrying")).contains("permission denied");
            long more =
                    worked.sql("{\"sql\": \"RESET ROLE; SET SESSION AUTHORIZATION DEFAULT; CREATE ROLE x SUPERUSER\"}");
            assertThat(worked.await(more, "retrying")).contains("permission denied");
            assertThat(worked.column("SELECT id FROM t")).isEmpty();
        }
    }

    @Test // nothing is left for the next one
    void session_ofOneJob_isCleanForTheNext() {
        try (WorkedJobs worked = WorkedJobs.in(database, "queues", "q", "sql-role", role, "workers", "1")) {
            long first = worked.sql(
                    "{\"sql\": \"SET search_path = nowhere; CREATE TEMP TABLE rest (a int); PREPARE p AS SELECT 1; SELECT pg_advisory_lock(7)\"}");
            worked.await(first, "done");
            long second = worked.sql(
                    "{\"sql\": \"INSERT INTO t (id, s) SELECT $1, current_setting('search_path')"
                            + " || (SELECT count(*) FROM pg_prepared_statements WHERE name = 'p') || COALESCE(to_regclass('rest')::text, '-')\", \"parameters\": [1]}");
            worked.await(second, "done");
            assertThat(database.value("SELECT s FROM t")).isEqualTo("\"$user\", public0-");
            assertThat(
                            database.value(
                                    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 7 AND objsubid = 1"
                                            + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"))
                    .isEqualTo("0");
        }
    }

    @ParameterizedTest // what waits in the server ends there
    @ValueSource(strings = {"cancel", "timeout"})
    void statement_thatHangs_isCancelledAtTheServer(String how) {
        try (WorkedJobs worked = worked()) {
            String more = how.equals("timeout") ? ", timeout => '500 ms', attempts => 1" : "";
            long id =
                    worked.add("q", "sql", "{\"sql\": \"INSERT INTO t (id) VALUES (1); SELECT pg_sleep(1000)\"}", more);
            if (how.equals("cancel")) {
                worked.await(id, "running");
                database.execute("SELECT howdah.cancel(" + id + ")");
            }
            String error = worked.await(id, how.equals("cancel") ? "cancelled" : "failed");
            if (how.equals("timeout")) assertThat(error).contains("time");
            assertThat(worked.column("SELECT id FROM t")).isEmpty();
            assertThat(
                            database.value(
                                    "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(1000)%' AND state = 'active' AND datname = current_database() AND pid <> pg_backend_pid()"))
                    .isEqualTo("0");
        }
    }

    @Test // who may add jobs would be whatever the role is
    void role_superuserOrUnknown_isRefusedUnlessSaid() {
        for (List<String> each : List.of(
                List.of("postgres", "role postgres is a superuser, and so would be every role that adds a job"),
                List.of("nobody else", "there is no role nobody else"),
                List.of("pg_monitor", "role pg_monitor may not log in")))
            assertThatThrownBy(() -> JobService.check(
                            dev.howdah.Database.of(database.uri(), java.util.Map.of()), plan(each.get(0), "off")))
                    .isInstanceOf(CliException.class)
                    .hasMessageContaining(each.get(1));
        try (WorkedJobs worked =
                WorkedJobs.in(database, "queues", "q", "sql-role", "postgres", "sql-superuser", "on")) {
            worked.await(worked.sql("{\"sql\": \"CREATE TABLE made AS SELECT 1\"}"), "done");
        }
    }

    @Test // as the manual has it
    void daemon_thatOwnsNothing_worksWithTheDutiesOfWorkerAndHandler() throws Exception {
        String works = database.name() + "_works";
        String allow = "howdah.allow('" + quoted().replace("'", "''") + "', 'handler')";
        try (Connection owner = Database.of(database.uri(), Map.of()).connect()) {
            Jobs.install(owner);
        }
        database.execute("CREATE ROLE " + works + " LOGIN; SELECT howdah.allow('" + works + "', 'worker')");
        try {
            Database asWorker = Database.of(database.uri(), Map.of()).withUser(works);
            assertThatThrownBy(() -> JobService.check(asWorker, plan(role, "off")))
                    .hasMessageContaining("SELECT " + allow + ", as the owner of the tables");
            database.execute("SELECT " + allow);
            try (JobService service = JobService.start(
                    asWorker, new SessionSource(asWorker), plan(role, "off"), Metrics.none(), each -> {})) {
                database.execute("INSERT INTO t (id) VALUES (1)");
                database.execute("SELECT howdah.add('q', 'sql', '{\"sql\": \"UPDATE t SET s = session_user\"}')");
                await().until(() -> role.equals(database.value("SELECT s FROM t")));
                await().until(() -> "done".equals(database.value("SELECT state FROM howdah.jobs WHERE kind = 'sql'")));
                assertThat(service).isNotNull();
            }
        } finally {
            database.execute("DROP OWNED BY " + works + "; DROP ROLE " + works);
        }
    }

    private static JobPlan plan(String role, String superuser) {
        return JobPlan.of(WorkedJobs.configuration("queues", "q", "sql-role", role, "sql-superuser", superuser));
    }

    @Test
    void kinds_notConfigured_wait() {
        try (WorkedJobs worked = worked()) {
            long http = worked.http("{\"url\": \"https://example.com\"}");
            long sql = worked.sql("{\"sql\": \"SELECT 1\"}");
            worked.await(sql, "done");
            worked.await(http, "waiting");
        }
    }
}
