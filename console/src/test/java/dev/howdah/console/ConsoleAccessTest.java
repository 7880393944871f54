package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.operations.store.TokenStore;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Roles and tokens: each caller may do what its role covers, and nothing else. */
@PostgresTest
class ConsoleAccessTest {
    private final TestDatabase database;
    private final TokenStore tokens;
    private Console console;
    private ConsoleClient client;

    ConsoleAccessTest(TestDatabase database) {
        this.database = database;
        this.tokens = new TokenStore(ConsoleFixtures.source(database), "howdah");
    }

    @BeforeEach
    void start() throws Exception {
        ConsoleFixtures.tasksAndJobs(database);
        console = ConsoleFixtures.console(database).login(true).start();
        client = new ConsoleClient(console.address());
        database.execute("INSERT INTO task (input, plan) VALUES ('SELECT 1', now() + interval '1 hour')");
    }

    @AfterEach
    void stop() {
        console.close();
    }

    private String state() {
        return String.valueOf(database.value("SELECT state::text FROM task WHERE id = 1"));
    }

    private String bearer(String role) {
        return "Bearer " + tokens.add(role, role, null, null);
    }

    private int post(String path, String token) {
        return client.post(path, "confirmed=yes", "Authorization", token).statusCode();
    }

    private int get(String path, String token) {
        return client.get(path, "Authorization", token).statusCode();
    }

    @Test
    void route_aboveTheRoleOfItsCaller_isRefused() {
        String viewer = bearer("viewer");
        String operator = bearer("operator");
        String administrator = bearer("administrator");
        assertThat(get("/tasks", viewer)).isEqualTo(200);
        for (String path : new String[] {
            "/tasks/1/cancel", "/tasks/1/retry", "/jobs/queues/mail/pause", "/jobs/1/retry", "/jobs/change"
        }) assertThat(post(path, viewer)).as(path).isEqualTo(403);
        for (String path : new String[] {"/tasks/new", "/jobs/new", "/schedules/new"}) {
            assertThat(get(path, viewer)).as(path).isEqualTo(403);
            assertThat(get(path, operator)).as(path).isEqualTo(403);
            assertThat(post(path, operator)).as(path).isEqualTo(403);
            assertThat(get(path, administrator)).as(path).isEqualTo(200);
        }
        assertThat(post("/tasks/1/delete", operator)).isEqualTo(403);
        assertThat(client.post("/tasks/change", "confirmed=yes&action=delete&id=1", "Authorization", operator)
                        .statusCode())
                .isEqualTo(403);
        assertThat(state()).isEqualTo("PLAN");
        assertThat(post("/tasks/1/cancel", operator)).isEqualTo(303);
        assertThat(state()).isEqualTo("STOP");
        assertThat(post("/tasks/1/delete", administrator)).isEqualTo(303);
        assertThat(database.value("SELECT count(*) FROM task")).isEqualTo("0");
    }

    @Test
    void page_ofAViewer_hasNoButtons() {
        String viewer = bearer("viewer");
        for (String path : new String[] {"/tasks", "/tasks/1", "/jobs", "/schedules"})
            assertThat(client.get(path, "Authorization", viewer).body())
                    .doesNotContain("class=\"act\" method=\"post\" action=\"/tasks")
                    .doesNotContain("class=\"bulk\"")
                    .doesNotContain(">New ");
        String operator =
                client.get("/tasks/1", "Authorization", bearer("operator")).body();
        assertThat(operator).contains("/tasks/1/cancel").doesNotContain("/tasks/1/delete");
        assertThat(client.get("/tasks", "Authorization", bearer("administrator"))
                        .body())
                .contains("New task")
                .contains("value=\"delete\"");
    }

    @Test
    void token_unknownExpiredOrRevoked_isRefused() {
        String token = tokens.add("ci", "viewer", null, null);
        assertThat(get("/tasks", "Bearer " + token)).isEqualTo(200);
        assertThat(get("/tasks", "Bearer hd_" + "0".repeat(40))).isEqualTo(401);
        assertThat(get("/tasks", "Basic " + token)).isEqualTo(401);
        assertThat(client.get("/tasks").statusCode()).isEqualTo(401);
        assertThat(client.get("/tasks?token=" + token).statusCode()).isEqualTo(400);
        String expired = tokens.add("old", "viewer", Duration.ofHours(1), null);
        database.execute("UPDATE howdah_internal.console_token SET expires = now() WHERE name = 'old'");
        assertThat(get("/tasks", "Bearer " + expired)).isEqualTo(401);
        assertThat(tokens.list().get(0).used()).isNotNull();
        String revoked = tokens.add("gone", "viewer", null, null);
        assertThat(tokens.revoke("gone")).isTrue();
        assertThat(get("/tasks", "Bearer " + revoked)).isEqualTo(401);
        assertThat(database.value(
                        "SELECT count(*) FROM howdah_internal.console_token t WHERE t::text LIKE '%" + token + "%'"))
                .isEqualTo("0");
    }

    @Test
    void livePage_ofARevokedToken_ends() throws Exception {
        String token = tokens.add("live", "viewer", null, null);
        String cookie = client.post(
                        "/login", "token=" + token, "Origin", console.address().toString())
                .headers()
                .firstValue("Set-Cookie")
                .orElseThrow();
        HttpRequest stream = HttpRequest.newBuilder(console.address().resolve("/stream?view=/tasks"))
                .header("Cookie", cookie.substring(0, cookie.indexOf(';')))
                .header("Accept", "text/event-stream")
                .build();
        HttpResponse<Stream<String>> live =
                HttpClient.newHttpClient().send(stream, HttpResponse.BodyHandlers.ofLines());
        assertThat(live.statusCode()).isEqualTo(200);
        tokens.revoke("live");
        assertThat(CompletableFuture.supplyAsync(live.body()::count)).succeedsWithin(Duration.ofSeconds(30));
        assertThat(client.get("/tasks", "Cookie", cookie.substring(0, cookie.indexOf(';')))
                        .statusCode())
                .isEqualTo(401);
    }

    @Test
    void token_inTheForm_opensASessionOfItsRole() {
        String origin = console.address().toString();
        String token = tokens.add("ann", "viewer", null, null);
        HttpResponse<String> answer = client.post("/login", "next=/jobs&token=" + token, "Origin", origin);
        assertThat(answer.statusCode()).isEqualTo(303);
        assertThat(answer.headers().firstValue("Location")).hasValue("/jobs");
        String cookie = answer.headers().firstValue("Set-Cookie").orElseThrow();
        assertThat(cookie).contains("HttpOnly").contains("SameSite=Lax");
        String session = cookie.substring(0, cookie.indexOf(';'));
        assertThat(client.get("/tasks", "Cookie", session).statusCode()).isEqualTo(200);
        assertThat(client.get("/tasks/new", "Cookie", session).statusCode()).isEqualTo(403);
        for (String elsewhere :
                new String[] {"//evil.example", "/\\evil.example", "https://evil.example/", "/%0d%0aX: y"})
            assertThat(client.post("/login", "next=" + elsewhere + "&token=" + token, "Origin", origin)
                            .headers()
                            .firstValue("Location"))
                    .as(elsewhere)
                    .hasValue("/");
        assertThat(client.post("/login", "token=" + token, "Origin", "https://evil.example")
                        .statusCode())
                .isEqualTo(403);
        assertThat(client.post("/login", "token=hd_" + "1".repeat(40), "Origin", origin)
                        .statusCode())
                .isEqualTo(401);
    }
}
