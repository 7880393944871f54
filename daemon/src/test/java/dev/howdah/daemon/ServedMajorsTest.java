package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code howdah up} on the oldest and the newest version of PostgreSQL and two between, used by its commands: tasks run, fail, are retried,
 * canceled, limited, repeated and planned, the daemon is killed and started again, and jobs, processes and sweeps are there from 12 on.
 */
@Tag("long")
class ServedMajorsTest {
    private static final int WITH_TABLES = 12;

    @TempDir
    Path home;

    @ParameterizedTest
    @ValueSource(ints = {10, 13, 15, 18})
    void daemon_servesTasksAndTheRest_alsoAfterItWasKilled(int major) throws Exception {
        assumeThat(Stream.concat(TestServer.older().stream(), TestServer.majors().stream()))
                .contains(major);
        try (TestDatabase database = TestDatabase.create(TestServer.of(major))) {
            Served served = new Served(database);
            try (HowdahProcess first = up(database)) {
                first.ready();
                served.ends();
                served.failsAndIsRetried();
                served.isLimited();
                served.isPlannedAgain();
                served.isScheduled();
                served.isCancelled();
                try (Hold lock = new Hold(database)) {
                    long id = Long.parseLong(
                            served.id("task", "add", "SELECT pg_advisory_lock(" + lock.key() + ")", "--group", "held"));
                    served.awaitState(id, "WORK");
                    String waits = served.id("task", "add", "SELECT 'after'", "--plan", "now");
                    first.kill();
                    try (HowdahProcess second = up(database)) {
                        second.ready();
                        served.awaitState(Long.parseLong(waits), "DONE");
                        lock.close();
                        served.awaitEnd(id);
                        served.ends();
                        if (major >= WITH_TABLES) served.hasTheRest();
                        second.terminate();
                        assertThat(second.exitCode()).isZero();
                        assertThat(second.err()).doesNotContain("Exception");
                    }
                }
            }
        }
    }

    private HowdahProcess up(TestDatabase database) throws IOException {
        return HowdahProcess.start(home, Map.of(), "up", "--url", database.uri(), "--json");
    }

    /** A lock that a task waits for until the test lets it go. */
    private static final class Hold implements AutoCloseable {
        private final java.sql.Connection connection;

        Hold(TestDatabase database) throws java.sql.SQLException {
            connection = database.connect();
            connection.createStatement().execute("SELECT pg_advisory_lock(" + key() + ")");
        }

        long key() {
            return 815;
        }

        @Override
        public void close() throws java.sql.SQLException {
            connection.close();
        }
    }

    /** The commands, at one database. */
    private record Served(TestDatabase database) {
        CommandLineRun run(String... words) {
            List<String> all = new ArrayList<>(List.of(words));
            all.addAll(List.of("--url", database.uri()));
            return CommandLineRun.of("", Map.of("HOME", "/nonexistent"), all.toArray(String[]::new));
        }

        String id(String... words) {
            CommandLineRun run = run(words);
            assertThat(run.exitCode()).as(run.err()).isZero();
            return run.out().strip();
        }

        String value(String sql) {
            return String.valueOf(database.value(sql));
        }

        void awaitState(long id, String state) {
            await().atMost(Patience.LIMIT)
                    .pollInterval(Duration.ofMillis(20))
                    .untilAsserted(() -> assertThat(value("SELECT state FROM task WHERE id = " + id))
                            .isEqualTo(state));
        }

        void awaitEnd(long id) {
            await().atMost(Patience.LIMIT)
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> value("SELECT state IN ('FAIL', 'GONE', 'STOP', 'DONE') FROM task WHERE id = " + id)
                            .equals("t"));
        }

        void ends() {
            assertThat(run("task", "add", "SELECT 1 AS a, 'я' AS b; SELECT 2", "--wait")
                            .out())
                    .isEqualTo("a\tb\n1\tя\n2\n");
        }

        void failsAndIsRetried() {
            CommandLineRun failed =
                    run("task", "add", "SELECT 1/0", "--attempts", "2", "--backoff", "0", "--group", "fails", "--wait");
            assertThat(failed.exitCode()).isEqualTo(1);
            assertThat(failed.err()).contains("division by zero");
            await().atMost(Patience.LIMIT)
                    .until(() -> value("SELECT count(*) FROM task WHERE \"group\" = 'fails' AND state = 'FAIL'")
                            .equals("2"));
            assertThat(run("task", "list", "--state", "FAIL", "--json").out()).contains("division by zero");
            database.execute("UPDATE task SET input = 'SELECT 3' WHERE \"group\" = 'fails'");
            id("task", "retry", "--all", "--state", "FAIL", "--group", "fails");
            await().atMost(Patience.LIMIT)
                    .until(() -> value("SELECT count(*) FROM task WHERE \"group\" = 'fails' AND output = '3'")
                            .equals("2"));
        }

        void isLimited() {
            database.execute("INSERT INTO task (\"group\", max, input) SELECT 'two', 2, 'SELECT pg_sleep(0.05)'"
                    + " FROM generate_series(1, 8)");
            await().atMost(Patience.LIMIT)
                    .until(() -> value("SELECT count(*) FROM task WHERE \"group\" = 'two' AND state = 'DONE'")
                            .equals("8"));
            assertThat(
                            value(
                                    "SELECT max(n) FROM (SELECT (SELECT count(*) FROM task b WHERE b.\"group\" = 'two'"
                                            + " AND b.start <= a.start AND b.stop > a.start) n FROM task a WHERE a.\"group\" = 'two') t"))
                    .as("tasks at once: max is how many more than one")
                    .isLessThanOrEqualTo("3");
        }

        void isPlannedAgain() {
            id("task", "add", "SELECT 'r' WHERE true", "--group", "repeats", "--repeat", "100 milliseconds");
            await().atMost(Patience.LIMIT)
                    .until(() -> value("SELECT count(*) >= 3 FROM task WHERE \"group\" = 'repeats' AND state = 'DONE'")
                            .equals("t"));
            database.execute("UPDATE task SET repeat = '0' WHERE \"group\" = 'repeats'");
        }

        void isScheduled() {
            id("task", "schedule", "put", "tick", "* * * * * *", "SELECT 'tick'");
            await().atMost(Patience.LIMIT)
                    .until(() -> value("SELECT count(*) >= 2 FROM task WHERE schedule = 'tick' AND state = 'DONE'")
                            .equals("t"));
            assertThat(run("task", "schedule", "list", "--json").out()).contains("\"name\":\"tick\"");
            id("task", "schedule", "remove", "tick");
        }

        void isCancelled() {
            long id = Long.parseLong(id("task", "add", "SELECT pg_sleep(600)"));
            awaitState(id, "WORK");
            id("task", "cancel", Long.toString(id));
            awaitEnd(id);
            assertThat(value("SELECT error FROM task WHERE id = " + id)).contains("canceling statement");
        }

        void hasTheRest() {
            id("job", "install");
            database.execute("CREATE TABLE swept (id int PRIMARY KEY, done boolean NOT NULL DEFAULT false);"
                    + " INSERT INTO swept SELECT i FROM generate_series(1, 100) i");
            id("job", "add", "mail", "{\"to\": \"ann\"}");
            assertThat(run("job", "list", "--state", "waiting", "--json").out()).contains("\"kind\":\"mail\"");
            CommandLineRun swept = run(
                    "sweep",
                    "--name",
                    "all",
                    "--table",
                    "swept",
                    "--key",
                    "id",
                    "--where",
                    "NOT done",
                    "--sql",
                    "SELECT count(*) FROM batch",
                    "--mark",
                    "done = true");
            assertThat(swept.exitCode()).as(swept.err()).isZero();
            assertThat(value("SELECT count(*) FROM swept WHERE done")).isEqualTo("100");
            id("process", "install");
            assertThat(run("doctor").out())
                    .containsPattern("ok +tables +The tables .*have the versions of this program");
        }
    }
}
