package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.HttpPlace;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code howdah up} that is asked to stop while tasks are in the middle of a request or a program. */
@PostgresTest
@Tag("long")
class ReachTaskStopTest {
    private static final String USER = System.getProperty("user.name").equals("root")
            ? "\"user\": \"nobody\", \"group\": \"nogroup\""
            : "\"user\": \"same\"";

    private static final Duration PATIENCE = Patience.LIMIT;

    /** So that what another run has left is not taken for what this one has. */
    private final String seconds =
            Long.toString(300_000 + ProcessHandle.current().pid());

    private final CountDownLatch answers = new CountDownLatch(1);
    private final TestDatabase database;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path home;

    ReachTaskStopTest(TestDatabase database) {
        this.database = database;
    }

    private HowdahProcess up(HttpPlace api) throws IOException {
        Path file = Files.writeString(
                home.resolve("reach.json"),
                "{\"programs\": {\"sleep\": {\"command\": [\"/bin/sleep\", \"" + seconds + "\"], " + USER + "}}}");
        HowdahProcess up = HowdahProcess.start(
                home,
                Map.of(),
                "up",
                "--url",
                database.uri(),
                "--allow",
                api.address() + " exec:sleep",
                "--reach",
                file.toString(),
                "--json");
        up.ready();
        return up;
    }

    private String row(String remote) {
        return String.valueOf(
                database.value("SELECT concat_ws(' ', state, start, stop, error, output) FROM task WHERE remote LIKE '"
                        + remote + "%'"));
    }

    private boolean programRuns() {
        return ProcessHandle.allProcesses()
                .anyMatch(each -> each.info().commandLine().orElse("").endsWith("/bin/sleep " + seconds));
    }

    private static List<String> headers(HttpPlace api, String name) {
        return api.seen().stream()
                .map(each -> String.valueOf(each.headers().getFirst(name)))
                .toList();
    }

    @Test
    void stop_whileARequestRuns_waitsForItsAnswer_andSendsItOnce() throws Exception {
        try (HttpPlace api = new HttpPlace((exchange, request) -> {
                    answers.await();
                    exchange.sendResponseHeaders(204, -1);
                });
                HowdahProcess up = up(api)) {
            database.execute("INSERT INTO task (remote, input) VALUES ('" + api.address() + "/slow', 'x')");
            await().atMost(PATIENCE).until(() -> api.seen().size() == 1);
            up.terminate();
            up.says("tasks that reach out have 5 s to end");
            database.execute("INSERT INTO task (input) VALUES ('SELECT 1')");
            answers.countDown();
            assertThat(up.exitCode()).isZero();
            assertThat(database.value("SELECT state || coalesce(' ' || error, '') FROM task WHERE remote IS NOT NULL"))
                    .isEqualTo("DONE");
            assertThat(database.value("SELECT state FROM task WHERE remote IS NULL"))
                    .as("what comes meanwhile is for the next one")
                    .isEqualTo("PLAN");
            assertThat(api.seen()).hasSize(1);
        }
    }

    @Test
    void stop_whileNothingAnswers_endsInTime_andTheNextRunsItAgainWithTheSameKey() throws Exception {
        try (HttpPlace api = new HttpPlace((exchange, request) -> {
            answers.await();
            exchange.sendResponseHeaders(204, -1);
        })) {
            try (HowdahProcess up = up(api)) {
                database.execute("INSERT INTO task (\"group\", remote, input) VALUES ('a', '" + api.address()
                        + "/slow', 'x'), ('b', 'exec:sleep', '')");
                await().atMost(PATIENCE).until(() -> api.seen().size() == 1 && programRuns());
                long asked = System.nanoTime();
                up.terminate();
                assertThat(up.exitCode()).isZero();
                // Some 6 s, where the machine is not busy; the limit of a request is 30 s.
                assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(Duration.ofSeconds(20));
                assertThat(up.err()).doesNotContain("ERROR", "WARN", "Exception");
            }
            // It was killed by then; the system takes a moment to end it.
            await().atMost(PATIENCE).until(() -> !programRuns());
            assertThat(row("http")).isEqualTo("PLAN");
            assertThat(row("exec")).isEqualTo("PLAN");
            answers.countDown();
            try (HowdahProcess next = up(api)) {
                await().atMost(PATIENCE)
                        .until(() ->
                                row("http").startsWith("DONE") && row("exec").startsWith("WORK"));
                next.terminate();
                assertThat(next.exitCode()).isZero();
            }
            assertThat(headers(api, "idempotency-key")).hasSize(2);
            assertThat(headers(api, "idempotency-key").stream().distinct()).hasSize(1);
            assertThat(headers(api, "howdah-attempt")).containsExactly("1", "1");
        }
    }
}
