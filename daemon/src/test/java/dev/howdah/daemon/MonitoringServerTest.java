package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The port of metrics and probes of a running daemon. */
@PostgresTest
@Tag("long")
class MonitoringServerTest {
    private static final int HALF_SENT = 40;
    private static final Pattern PORT = Pattern.compile("metrics are at http://127\\.0\\.0\\.1:(\\d+)/metrics");

    @Test
    void requests_halfSent_areCutOffAndKeepNoOtherOut(TestDatabase database, @TempDir Path home) throws Exception {
        List<Socket> open = new ArrayList<>();
        try (HowdahProcess up =
                HowdahProcess.start(home, Map.of(), "up", "--url", database.uri(), "--metrics-port", "0", "--json")) {
            up.ready();
            int number = port(up);
            for (int i = 0; i < HALF_SENT; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), number);
                open.add(socket);
                socket.getOutputStream().write("GET /metrics HTTP/1.1\r\nHo".getBytes(StandardCharsets.US_ASCII));
                socket.getOutputStream().flush();
            }
            assertThat(ask(up, "/metrics")).startsWith("200 ").contains("jvm_memory_used_bytes{");
        } finally {
            for (Socket socket : open) socket.close();
        }
    }

    @Test
    void probes_databaseThatIsThereOrNot_sayWhetherItIsReady(TestDatabase database, @TempDir Path home)
            throws Exception {
        try (HowdahProcess up =
                HowdahProcess.start(home, Map.of(), "up", "--url", database.uri(), "--metrics-port", "0", "--json")) {
            up.ready();
            assertThat(ask(up, "/ready")).isEqualTo("200 ready\n");
            assertThat(ask(up, "/live")).isEqualTo("200 live\n");
            String name = "\"" + database.name() + "\"";
            try (TestDatabase other = TestDatabase.create(database.server())) {
                other.execute("ALTER DATABASE " + name + " ALLOW_CONNECTIONS false");
                other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '"
                        + database.name() + "'");
                await().atMost(Patience.LIMIT)
                        .untilAsserted(() -> assertThat(ask(up, "/ready")).startsWith("503 public.task: "));
                assertThat(ask(up, "/live")).isEqualTo("200 live\n");
                other.execute("ALTER DATABASE " + name + " ALLOW_CONNECTIONS true");
            }
            await().atMost(Patience.LIMIT)
                    .untilAsserted(() -> assertThat(ask(up, "/ready")).isEqualTo("200 ready\n"));
        }
    }

    @Test
    void queueThatDoesNotRun_isSaid_byTheProbeAndASeries(TestDatabase database, @TempDir Path home) throws Exception {
        String role = "sql_" + database.name();
        try (HowdahProcess up = HowdahProcess.start(
                home,
                Map.of(),
                "up",
                "--url",
                database.uri(),
                "--metrics-port",
                "0",
                "--queues",
                "work",
                "--sql-role",
                role,
                "--json")) {
            up.ready();
            await().atMost(Patience.LIMIT)
                    .untilAsserted(() -> assertThat(ask(up, "/ready"))
                            .startsWith("503 jobs of [work] do not run now: there is no role " + role));
            assertThat(ask(up, "/metrics")).contains("\nhowdah_ready 0");
            assertThat(ask(up, "/live")).isEqualTo("200 live\n");
            database.execute("CREATE ROLE " + role + " LOGIN");
            await().atMost(Patience.LIMIT)
                    .untilAsserted(() -> assertThat(ask(up, "/ready")).isEqualTo("200 ready\n"));
            assertThat(ask(up, "/metrics")).contains("\nhowdah_ready 1");
        } finally {
            database.execute("DROP OWNED BY " + role + "; DROP ROLE " + role);
        }
    }

    /** Also of work that has begun, and stops later: here as a table has another name, which is any refusal of the database. */
    @Test
    void queueThatRunsNoMore_isSaid_untilItRunsAgain(TestDatabase database, @TempDir Path home) throws Exception {
        String role = "sql_" + database.name();
        database.execute("CREATE ROLE " + role + " LOGIN CONNECTION LIMIT 0");
        try (HowdahProcess up = HowdahProcess.start(
                home,
                Map.of(),
                "up",
                "--url",
                database.uri(),
                "--metrics-port",
                "0",
                "--queues",
                "work",
                "--sql-role",
                role,
                "--json")) {
            up.ready();
            awaitReady(up, "503 jobs of [work] do not run now: role " + role + " cannot log in");
            database.execute("ALTER ROLE " + role + " CONNECTION LIMIT 9");
            awaitReady(up, "200 ready");
            database.execute("ALTER TABLE howdah_internal.batch RENAME TO elsewhere");
            database.execute("SELECT howdah.add('work', 'sql', '\"SELECT 1\"')");
            awaitReady(up, "503 jobs of [work] do not run now: node 1 cannot take jobs: ");
            assertThat(ask(up, "/metrics")).contains("\nhowdah_ready 0");
            database.execute("ALTER TABLE howdah_internal.elsewhere RENAME TO batch");
            awaitReady(up, "200 ready");
            await().atMost(Patience.LIMIT)
                    .until(() -> !"waiting".equals(database.value("SELECT state FROM howdah.jobs")));
        } finally {
            database.execute("DROP OWNED BY " + role + "; DROP ROLE " + role);
        }
    }

    private static void awaitReady(HowdahProcess up, String answer) {
        await().atMost(Patience.LIMIT)
                .untilAsserted(() -> assertThat(ask(up, "/ready")).startsWith(answer));
    }

    @Test
    void nameOfAnother_isRefused_andTasksOfACleanStopHaveNotFailed(TestDatabase database, @TempDir Path home)
            throws Exception {
        try (HowdahProcess up =
                HowdahProcess.start(home, Map.of(), "up", "--url", database.uri(), "--metrics-port", "0", "--json")) {
            up.ready();
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(up))) {
                socket.getOutputStream()
                        .write("GET /metrics HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
                                .getBytes(StandardCharsets.US_ASCII));
                socket.getOutputStream().flush();
                assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                        .startsWith("HTTP/1.1 421")
                        .doesNotContain("jvm_memory");
            }
            database.execute("INSERT INTO task (input, \"group\", max) SELECT 'SELECT pg_sleep(600)', 'g', 9 FROM"
                    + " generate_series(1, 5)");
            await().atMost(Patience.LIMIT)
                    .until(() -> "5".equals(database.value("SELECT count(*) FROM task WHERE state = 'WORK'")));
            up.terminate();
            assertThat(up.exitCode()).isZero();
            assertThat(up.err()).doesNotContain("has failed");
            assertThat(database.value("SELECT count(*) FROM task WHERE state = 'PLAN'"))
                    .isEqualTo("5");
        }
    }

    static String ask(HowdahProcess up, String path) throws Exception {
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port(up) + path))
                                .timeout(Duration.ofSeconds(90))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        return answer.statusCode() + " " + answer.body();
    }

    private static int port(HowdahProcess up) {
        Matcher port = PORT.matcher(up.err());
        assertThat(port.find()).as(up.err()).isTrue();
        return Integer.parseInt(port.group(1));
    }
}
