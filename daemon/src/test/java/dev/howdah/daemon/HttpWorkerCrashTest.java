package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Workers that claim by HTTP, and a daemon that is killed meanwhile. */
@PostgresTest
@Tag("long")
class HttpWorkerCrashTest {
    private static final String CLAIM = "{\"kinds\": [\"mail\"], \"max\": 2, \"lease\": 600, \"wait\": 25}";

    private final HttpClient http = HttpClient.newHttpClient();
    private final TestDatabase database;

    HttpWorkerCrashTest(TestDatabase database) {
        this.database = database;
    }

    private HowdahProcess daemon(Path home) throws IOException {
        return HowdahProcess.start(
                home, Map.of(), "up", "--url", database.uri(), "--port", "0", "--console-login", "token", "--json");
    }

    private static String address(HowdahProcess daemon) throws IOException {
        URI console = URI.create(daemon.ready().get("console"));
        return "http://" + console.getAuthority();
    }

    private CompletableFuture<HttpResponse<String>> post(String address, String token, String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address + "/api/v1/workers/" + path))
                .timeout(Duration.ofSeconds(60))
                .header("Content-Type", "application/json")
                .header("Authorization", "Bearer " + token)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return http.sendAsync(request, HttpResponse.BodyHandlers.ofString());
    }

    private static String field(String json, String name) {
        return json.replaceAll("(?s).*?\"" + name + "\":\"?([^\",}]*).*", "$1");
    }

    @Test
    void daemon_killedWhileAWorkerWaitsAndHasAJob_losesNeither(@TempDir Path home) throws Exception {
        try (Connection connection = database.connect()) {
            Jobs.install(connection);
        }
        String token = CommandLineRun.of(
                        "",
                        Map.of("HOME", "/nonexistent"),
                        "token",
                        "add",
                        "w",
                        "--role",
                        "worker",
                        "--url",
                        database.uri())
                .out()
                .strip();
        try (HowdahProcess first = daemon(home);
                HowdahProcess second = daemon(home)) {
            String killed = address(first);
            database.execute("SELECT howdah.add('default', 'mail', '1'::json)");
            String had = post(killed, token, "claim", CLAIM).join().body();
            String job = field(had, "id");
            // For other kinds there is another node, by which it is seen that the request has come.
            CompletableFuture<HttpResponse<String>> waiting =
                    post(killed, token, "claim", CLAIM.replace("\"mail\"", "\"mail\", \"letter\""));
            await().atMost(Patience.LIMIT)
                    .until(() -> "2"
                            .equals(database.value(
                                    "SELECT count(*) FROM howdah_internal.node WHERE name = 'http workers'")));
            assertThat(waiting).isNotDone();
            first.kill();
            assertThatThrownBy(waiting::join).isInstanceOf(CompletionException.class);
            database.execute("SELECT howdah.add('default', 'mail', '2'::json)");
            String other = address(second);
            // The token of the killed daemon is worth nothing: the job runs anew.
            assertThat(post(other, token, "complete", "{\"token\": \"" + field(had, "token") + "\"}")
                            .join()
                            .statusCode())
                    .isEqualTo(410);
            Set<String> done = new TreeSet<>();
            await().atMost(Patience.LIMIT).until(() -> {
                String claims = post(
                                other,
                                token,
                                "claim",
                                CLAIM.replace("\"max\": 2", "\"max\": 1").replace("\"wait\": 25", "\"wait\": 1"))
                        .join()
                        .body();
                if (!claims.contains("\"token\"")) return false;
                assertThat(post(other, token, "complete", "{\"token\": \"" + field(claims, "token") + "\"}")
                                .join()
                                .statusCode())
                        .isEqualTo(200);
                done.add(field(claims, "id"));
                return done.size() == 2;
            });
            assertThat(done).contains(job);
            assertThat(database.value("SELECT count(*) FROM howdah_internal.job"))
                    .isEqualTo("0");
        }
    }
}
