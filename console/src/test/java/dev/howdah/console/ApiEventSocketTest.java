package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.operations.store.TokenStore;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Streams of events for pages of one's own: WebSockets, filters, channels, other origins. */
class ApiEventSocketTest extends ApiTestBase {
    private static final String SHOP = "https://shop.example.com";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient http = HttpClient.newHttpClient();
    private final TokenStore tokens;

    ApiEventSocketTest(TestDatabase database) {
        super(database);
        this.tokens = new TokenStore(ConsoleFixtures.source(database), "howdah");
    }

    @Override
    void install() throws SQLException {
        ConsoleFixtures.tasksAndJobs(database);
    }

    @Override
    ConsoleBuilder console() {
        return super.console()
                .login(true)
                .taskTable("public", "task")
                .origins(List.of(SHOP))
                .channels(List.of("prices", "Odd \"name\""));
    }

    private String token(String name, String role) {
        return tokens.add(name, role, null, null);
    }

    /** A page that keeps what it gets. */
    private final class Page implements WebSocket.Listener, AutoCloseable {
        final List<JsonNode> events = new CopyOnWriteArrayList<>();
        private final StringBuilder text = new StringBuilder();
        private final WebSocket socket;
        volatile boolean closed;

        Page(String query, String token, @Nullable String origin) {
            WebSocket.Builder builder = http.newWebSocketBuilder().subprotocols("howdah", "token." + token);
            if (origin != null) builder.header("Origin", origin);
            socket = builder.buildAsync(address("ws", query), this).join();
        }

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
            text.append(part);
            if (last) {
                try {
                    events.add(JSON.readTree(text.toString()));
                } catch (java.io.IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
                text.setLength(0);
            }
            from.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket from, int status, String reason) {
            closed = true;
            return null;
        }

        List<JsonNode> of(String event) {
            return events.stream()
                    .filter(each -> each.path("event").asText().equals(event))
                    .toList();
        }

        void awaitEvent(String event, String field, String value) {
            await().atMost(Patience.LIMIT)
                    .untilAsserted(() -> assertThat(of(event))
                            .anyMatch(each ->
                                    each.path("data").path(field).asText().equals(value)));
        }

        @Override
        public void close() {
            socket.abort();
        }
    }

    private URI address(String scheme, String query) {
        URI base = console.address();
        return URI.create(scheme + "://" + base.getAuthority() + "/api/v1/events" + query);
    }

    private static int refusal(Runnable opens) {
        int[] status = new int[1];
        assertThatThrownBy(opens::run)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        WebSocketHandshakeException.class,
                        e -> status[0] = e.getResponse().statusCode());
        return status[0];
    }

    @Test
    void socket_tellsWhatIsAskedFor_andGoesOnWhereItWas() {
        String token = token("ann", "viewer");
        String id;
        try (Page page = new Page("?type=job&queue=mail&tag=vip", token, SHOP)) {
            await().atMost(Patience.LIMIT).until(() -> !page.of("ready").isEmpty());
            assertThat(page.of("queue")).isEmpty();
            database.execute(
                    "SELECT howdah.add('other', 'k', 'null'::json, options => '{\"tags\": [\"vip\"]}');"
                            + " SELECT howdah.add('mail', 'k', 'null'::json);"
                            + " SELECT howdah.add('mail', 'greet', 'null'::json, key => 'k1', options => '{\"tags\": [\"vip\", \"new\"]}')");
            page.awaitEvent("job", "key", "k1");
            assertThat(page.of("job")).hasSize(1);
            JsonNode event = page.of("job").get(0);
            assertThat(event.path("data").path("kind").asText()).isEqualTo("greet");
            assertThat(event.path("data").path("tags").toString()).isEqualTo("[\"new\",\"vip\"]");
            id = event.path("id").asText();
        }
        database.execute(
                "SELECT howdah.add('mail', 'k', 'null'::json, key => 'k2', options => '{\"tags\": [\"vip\"]}')");
        try (Page page = new Page("?type=job&queue=mail&tag=vip&last_event_id=" + id, token, null)) {
            // Nothing was read meanwhile, which it is told, or the job was read before the stream had ended.
            await().atMost(Patience.LIMIT)
                    .untilAsserted(() -> assertThat(page.events)
                            .anyMatch(each -> each.path("event").asText().equals("many")
                                    || each.path("data").path("key").asText().equals("k2")));
            assertThat(page.of("reset")).isEmpty();
            database.execute(
                    "SELECT howdah.add('mail', 'k', 'null'::json, key => 'k3', options => '{\"tags\": [\"vip\"]}')");
            page.awaitEvent("job", "key", "k3");
        }
    }

    @Test
    void channels_thatAreAllowed_arePassedOn() {
        String token = token("ann", "viewer");
        try (Page page = new Page("?channel=prices&channel=Odd%20%22name%22&type=job", token, SHOP);
                Page other = new Page("?type=job", token, SHOP)) {
            await().atMost(Patience.LIMIT).untilAsserted(() -> {
                database.execute("SELECT pg_notify('prices', '{\"tea\": 3}'), pg_notify('secrets', 'x'),"
                        + " pg_notify('Odd \"name\"', 'password=hunter2')");
                assertThat(page.of("notify")).hasSizeGreaterThan(1);
            });
            assertThat(page.of("notify"))
                    .extracting(each -> each.path("data").toString())
                    .contains(
                            "{\"channel\":\"prices\",\"payload\":\"{\\\"tea\\\": 3}\"}",
                            "{\"channel\":\"Odd \\\"name\\\"\",\"payload\":\"password=***\"}")
                    .noneMatch(each -> each.contains("secrets"));
            database.execute("SELECT howdah.add('q', 'k', 'null'::json)");
            other.awaitEvent("job", "queue", "q");
            assertThat(other.of("notify")).isEmpty();
            // A session that was lost may have missed some, and is opened again.
            page.events.clear();
            database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'");
            page.awaitEvent("many", "channel", "prices");
        }
        assertThat(refusal(() -> new Page("?channel=secrets", token, SHOP))).isEqualTo(403);
    }

    @Test
    void socket_isForThoseWhoMayRead_andForPagesOfAllowedOrigins() {
        String token = token("ann", "viewer");
        assertThat(refusal(() -> new Page("", token, "https://evil.example.com")))
                .isEqualTo(403);
        assertThat(refusal(() -> new Page("", token("p", "worker"), SHOP))).isEqualTo(403);
        assertThat(refusal(() -> new Page("", "hd_00000000", SHOP))).isEqualTo(401);
        assertThat(refusal(() -> new Page("?colour=red", token, SHOP))).isEqualTo(422);
        assertThat(refusal(() -> new Page("?type=colour", token, SHOP))).isEqualTo(422);
        try (Page page =
                new Page("", token, console.address().resolve("/").toString().replaceAll("/$", ""))) {
            await().atMost(Patience.LIMIT).until(() -> !page.of("ready").isEmpty());
            tokens.revoke("ann");
            await().atMost(Patience.LIMIT).until(() -> page.closed);
        }
    }

    @Test
    void pagesOfAllowedOrigins_readWithAToken_andChangeNothing() throws Exception {
        String token = token("all", "administrator");
        HttpResponse<String> asked = send("OPTIONS", "/api/v1/jobs", SHOP, null);
        assertThat(asked.statusCode()).isEqualTo(204);
        assertThat(asked.headers().firstValue("Access-Control-Allow-Origin")).hasValue(SHOP);
        assertThat(asked.headers().firstValue("Access-Control-Allow-Headers").orElseThrow())
                .contains("Authorization", "Last-Event-ID");
        assertThat(asked.headers().firstValue("Access-Control-Allow-Credentials"))
                .isEmpty();
        HttpResponse<String> read = send("GET", "/api/v1/jobs", SHOP, token);
        assertThat(read.statusCode()).isEqualTo(200);
        assertThat(read.headers().firstValue("Access-Control-Allow-Origin")).hasValue(SHOP);
        assertThat(send("GET", "/api/v1/jobs", SHOP, null).statusCode()).isEqualTo(401);
        assertThat(send("POST", "/api/v1/queues/q/pause", SHOP, token).statusCode())
                .isEqualTo(403);
        for (String other : new String[] {"https://evil.example.com", "https://shop.example.com.evil.com", "null"}) {
            HttpResponse<String> refused = send("GET", "/api/v1/jobs", other, token);
            assertThat(refused.headers().firstValue("Access-Control-Allow-Origin"))
                    .as(other)
                    .isEmpty();
            assertThat(send("OPTIONS", "/api/v1/jobs", other, null).statusCode())
                    .as(other)
                    .isNotEqualTo(204);
        }
        assertThat(send("GET", "/jobs", SHOP, token).headers().firstValue("Access-Control-Allow-Origin"))
                .isEmpty();
    }

    private HttpResponse<String> send(String method, String path, String origin, @Nullable String token)
            throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(console.address().resolve(path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .header("Origin", origin)
                .header("Sec-Fetch-Site", "cross-site");
        if (token != null) request.header("Authorization", "Bearer " + token);
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}
