package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sessions of a daemon's console: few, with short timeouts, and none while no page is asked for. */
@PostgresTest
@Tag("long")
class ConsoleSessionsTest {
    private final TestDatabase database;
    private final HttpClient http = HttpClient.newHttpClient();

    ConsoleSessionsTest(TestDatabase database) {
        this.database = database;
    }

    private int sessions() {
        return Integer.parseInt(String.valueOf(
                database.value("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'howdah console'"
                        + " AND datname = current_database()")));
    }

    private static CompletableFuture<HttpResponse<String>> get(HttpClient http, HowdahProcess daemon, String token)
            throws IOException {
        URI console = URI.create(daemon.ready().get("console"));
        return http.sendAsync(
                HttpRequest.newBuilder(URI.create("http://" + console.getAuthority() + "/tasks"))
                        .header("Authorization", "Bearer " + token)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void sessions_areFewWaitShortlyAndEnd(@TempDir Path home) throws Exception {
        String token = CommandLineRun.of(
                        "",
                        Map.of("HOME", "/nonexistent"),
                        "token",
                        "add",
                        "v",
                        "--role",
                        "viewer",
                        "--url",
                        database.uri())
                .out()
                .strip();
        try (HowdahProcess daemon = HowdahProcess.start(
                home, Map.of(), "up", "--url", database.uri(), "--port", "0", "--console-login", "token", "--json")) {
            assertThat(get(http, daemon, token).join().statusCode()).isEqualTo(200);
            try (Connection holder = database.connect();
                    Statement statement = holder.createStatement()) {
                holder.setAutoCommit(false);
                statement.execute("LOCK TABLE task IN ACCESS EXCLUSIVE MODE");
                List<CompletableFuture<HttpResponse<String>>> pages = Stream.generate(() -> {
                            try {
                                return get(http, daemon, token);
                            } catch (IOException e) {
                                throw new java.io.UncheckedIOException(e);
                            }
                        })
                        .limit(10)
                        .toList();
                await().until(() -> sessions() > 1);
                assertThat(sessions()).isBetween(2, 4);
                // The lock is still held: each page gives up, and says why.
                for (CompletableFuture<HttpResponse<String>> each : pages)
                    assertThat(each.join().body()).contains("class=\"problem\"");
                assertThat(pages)
                        .anySatisfy(each -> assertThat(each.join().body()).contains("lock timeout"));
                holder.rollback();
            }
            assertThat(get(http, daemon, token).join().body()).doesNotContain("class=\"problem\"");
            await().atMost(Patience.LIMIT).until(() -> sessions() == 0);
        }
    }
}
