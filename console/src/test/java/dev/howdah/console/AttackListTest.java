package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.operations.store.TokenStore;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Attacks on every route, and on sessions: each fails, and the honest request beside it succeeds. */
class AttackListTest extends ApiTestBase {
    private static final List<String> FORM = List.of("application/x-www-form-urlencoded");
    private static final List<String> ANY_TYPE = List.of(
            "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json");

    private final HttpClient http = HttpClient.newHttpClient();
    private ConsoleClient client;

    AttackListTest(TestDatabase database) {
        super(database);
    }

    @Override
    void install() {
        ConsoleFixtures.tasksAndJobs(database);
        database.execute("INSERT INTO task (input, plan) VALUES ('SELECT 1', now() + interval '1 hour');"
                + " SELECT howdah.add('mail', 'welcome', '1', delay => interval '1 hour')");
    }

    @Override
    ConsoleBuilder console() {
        return ConsoleFixtures.console(database);
    }

    @BeforeEach
    void open() {
        client = new ConsoleClient(console.address());
    }

    private String state() {
        return String.valueOf(
                database.value(
                        "SELECT (SELECT string_agg(t::text, '') FROM task t)"
                                + " || (SELECT string_agg(j::text, '') FROM howdah_internal.job j)"
                                + " || COALESCE((SELECT string_agg(l::text, '') FROM howdah_internal.lane l WHERE l.paused IS NOT NULL), '')"));
    }

    /** Methods and paths of all routes that change something, with a value for each name in them. */
    private List<String[]> changing() {
        List<String[]> all = new ArrayList<>();
        for (String each : console.routes()) {
            String[] words = each.split(" ", 2);
            if (List.of("POST", "PUT", "PATCH", "DELETE").contains(words[0]))
                all.add(new String[] {
                    words[0], words[1].replaceAll("[{<][^}>]*[}>]", "1").replace("/*", "/tasks/1/cancel")
                });
        }
        return all;
    }

    private HttpResponse<String> send(String method, String path, String body, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(console.address() + path))
                .headers(headers)
                .method(method, HttpRequest.BodyPublishers.ofString(body));
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void change_ofAPageElsewhere_isRefusedOnEveryRoute() throws Exception {
        String before = state();
        String form = "confirmed=yes&typed=1&csrf=" + client.csrf();
        assertThat(changing()).hasSizeGreaterThan(130);
        for (String[] each : changing())
            for (String type : each[1].startsWith("/api/") || each[1].startsWith("/tasks/1/") ? ANY_TYPE : FORM)
                for (String origin : List.of("http://evil.example", "null")) {
                    HttpResponse<String> answer = send(
                            each[0],
                            each[1],
                            type.endsWith("json") ? "{}" : form,
                            "Content-Type",
                            type,
                            "Origin",
                            origin);
                    assertThat(answer.statusCode())
                            .as("%s %s, %s from %s", each[0], each[1], type, origin)
                            .isIn(403, 405, 415);
                    assertThat(answer.headers().map().keySet())
                            .noneMatch(name -> name.toLowerCase(Locale.ROOT).startsWith("access-control"));
                }
        assertThat(state()).isEqualTo(before);
        assertThat(client.post("/tasks/1/cancel", "confirmed=yes").statusCode()).isEqualTo(303);
        assertThat(state()).isNotEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/v1/jobs", "/api/v1/tasks/1/cancel", "/tasks/1/cancel", "/"})
    void preflight_isNotAllowed(String path) throws Exception {
        HttpResponse<String> answer = send(
                "OPTIONS",
                path,
                "",
                "Origin",
                "http://evil.example",
                "Access-Control-Request-Method",
                "POST",
                "Access-Control-Request-Headers",
                "content-type");
        assertThat(answer.statusCode()).isGreaterThanOrEqualTo(400);
        assertThat(answer.headers().map().keySet())
                .noneMatch(name -> name.toLowerCase(Locale.ROOT).startsWith("access-control"));
    }

    @Test
    void host_ofAnother_isRefusedOnEveryRoute() throws Exception {
        List<String> routes = new ArrayList<>(console.routes());
        for (String path :
                List.of("/", "/tasks", "/jobs/1", "/audit", "/stream?view=/tasks", "/api/v1/events", "/login"))
            routes.add("GET " + path);
        assertThat(routes).hasSizeGreaterThan(100);
        for (String each : routes) {
            String line = each.replaceAll("[{<][^}>]*[}>]", "1").replace("/*", "/x");
            if (!line.matches("(GET|HEAD|POST|PUT|PATCH|DELETE) .*")) continue;
            assertThat(raw(line + " HTTP/1.1\nHost: evil.example:" + port() + "\nContent-Length: 0\n\n"))
                    .as(line)
                    .startsWith("HTTP/1.1 421");
        }
        assertThat(raw("GET /tasks HTTP/1.1\nHost: 127.0.0.1:" + port() + "\n\n"))
                .startsWith("HTTP/1.1 200");
    }

    private int port() {
        return console.address().getPort();
    }

    private String raw(String request) throws IOException {
        return raw(request, "");
    }

    private String raw(String head, String rest) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", port())) {
            socket.setSoTimeout(20_000);
            String text = head.replaceFirst("\n\n$", "\nConnection: close\n\n").replace("\n", "\r\n") + rest;
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    @Test
    void host_thatLooksLikeOurs_isRefused() throws Exception {
        String port = ":" + port();
        for (String host : List.of(
                "127.0.0.1.evil.example" + port,
                "evil.example#127.0.0.1" + port,
                "[::ffff:127.0.0.1]" + port,
                "127.1" + port,
                "2130706433" + port,
                "0x7f000001" + port,
                "0.0.0.0" + port,
                "127.0.0.2" + port,
                "localhost.evil.example" + port,
                "127.0.0.1",
                "127.0.0.1:1",
                ""))
            assertThat(raw("GET /tasks HTTP/1.1\nHost: " + host + "\n\n"))
                    .as(host)
                    .containsPattern("^HTTP/1.1 4(00|21)");
        for (String host : List.of("127.0.0.1" + port, "LocalHost" + port, "[::1]" + port))
            assertThat(raw("GET /tasks HTTP/1.1\nHost: " + host + "\n\n"))
                    .as(host)
                    .startsWith("HTTP/1.1 200");
        assertThat(raw("GET /tasks HTTP/1.1\n\n")).startsWith("HTTP/1.1 400");
        assertThat(raw("GET http://evil.example/tasks HTTP/1.1\nHost: 127.0.0.1" + port + "\n\n"))
                .as("absolute form")
                .containsPattern("^HTTP/1.1 4(00|21)");
    }

    @Test
    void request_withTwoLengths_isOneRequest() throws Exception {
        String before = state();
        String hidden = "POST /tasks/1/cancel HTTP/1.1\r\nHost: 127.0.0.1:" + port()
                + "\r\nContent-Type: application/x-www-form-urlencoded\r\nOrigin: " + console.address()
                + "\r\nContent-Length: 100\r\n\r\nconfirmed=yes&csrf=" + client.csrf();
        String head = "POST /api/v1/jobs HTTP/1.1\nHost: 127.0.0.1:" + port() + "\nContent-Type: application/json\n";
        for (String lengths : List.of(
                "Content-Length: 5\nTransfer-Encoding: chunked\n\n",
                "Transfer-Encoding: chunked\nContent-Length: 5\n\n",
                "Content-Length: 5\nContent-Length: 6\n\n",
                "Content-Length: 5, 6\n\n",
                "Content-Length: +5\n\n",
                "Transfer-Encoding: chunked, identity\n\n",
                "Transfer-Encoding: x\n chunked\n\n",
                "Transfer-Encoding : chunked\n\n")) {
            String answer = raw(head + lengths, "0\r\n\r\n" + hidden);
            assertThat(answer).as(lengths).containsPattern("^HTTP/1.1 (400|501)");
            assertThat(answer.split("HTTP/1\\.1 ", -1))
                    .as("one answer to " + lengths)
                    .hasSize(2);
        }
        assertThat(state()).isEqualTo(before);
    }

    private record Opened(String cookie, String csrf) {}

    private Opened session(Console closed, ConsoleClient browser, String... headers) {
        String link =
                closed.link().toString().substring(closed.address().toString().length());
        String cookie =
                browser.get(link, headers).headers().firstValue("Set-Cookie").orElseThrow();
        String session = cookie.substring(0, cookie.indexOf(';'));
        String page = browser.get("/tasks/1", "Cookie", session).body();
        return new Opened(session, page.replaceAll("(?s).*name=\"csrf\" value=\"([^\"]+)\".*", "$1"));
    }

    private static int cancel(Console closed, ConsoleClient browser, String cookie, String csrf) {
        return browser.post(
                        "/tasks/1/cancel",
                        "confirmed=yes&csrf=" + csrf,
                        "Cookie",
                        cookie,
                        "Origin",
                        closed.address().toString())
                .statusCode();
    }

    @Test
    void token_ofAnotherSessionOrStart_isRefused() {
        Opened former;
        try (Console closed = ConsoleFixtures.console(database).login(true).start()) {
            ConsoleClient browser = new ConsoleClient(closed.address());
            former = session(closed, browser);
            Opened other = session(closed, browser);
            assertThat(former.csrf()).isNotEqualTo(other.csrf());
            assertThat(cancel(closed, browser, former.cookie(), other.csrf())).isEqualTo(403);
        }
        try (Console closed = ConsoleFixtures.console(database).login(true).start()) {
            ConsoleClient browser = new ConsoleClient(closed.address());
            assertThat(cancel(closed, browser, former.cookie(), former.csrf())).isEqualTo(401);
            Opened own = session(closed, browser);
            assertThat(cancel(closed, browser, own.cookie(), former.csrf())).isEqualTo(403);
            assertThat(cancel(closed, browser, own.cookie(), own.csrf())).isEqualTo(303);
        }
    }

    @Test
    void session_chosenByAStranger_isNotTheOneThatALoginOpens() {
        try (Console closed = ConsoleFixtures.console(database).login(true).start()) {
            ConsoleClient browser = new ConsoleClient(closed.address());
            String chosen = "howdah-" + closed.address().getPort() + "=chosen";
            Opened opened = session(closed, browser, "Cookie", chosen);
            assertThat(opened.cookie()).isNotEqualTo(chosen);
            assertThat(browser.get("/tasks", "Cookie", chosen).statusCode()).isEqualTo(401);
            Opened again = session(closed, browser, "Cookie", opened.cookie());
            assertThat(browser.get("/tasks", "Cookie", opened.cookie()).statusCode())
                    .as("the session before the login")
                    .isEqualTo(401);
            assertThat(browser.get("/tasks", "Cookie", again.cookie()).statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void logout_endsTheStreamsOfItsSession() throws Exception {
        try (Console closed = ConsoleFixtures.console(database).login(true).start()) {
            ConsoleClient browser = new ConsoleClient(closed.address());
            Opened opened = session(closed, browser);
            CompletableFuture<HttpResponse<String>> live = http.sendAsync(
                    HttpRequest.newBuilder(closed.address().resolve("/stream?view=/tasks"))
                            .headers("Cookie", opened.cookie(), "Accept", "text/event-stream")
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(browser.post(
                                    "/logout",
                                    "csrf=" + opened.csrf(),
                                    "Cookie",
                                    opened.cookie(),
                                    "Origin",
                                    closed.address().toString())
                            .statusCode())
                    .isEqualTo(200);
            assertThat(live.get(30, TimeUnit.SECONDS).statusCode()).isIn(200, 401);
        }
    }

    @Test
    void answers_ofEverySort_haveTheHeaders() throws Exception {
        String css = client.get("/").body().replaceAll("(?s).*href=\"(/static/[^\"]+css)\".*", "$1");
        for (String path : List.of("/tasks/1", css, "/login", "/api/v1/jobs", "/api/v1/openapi.json", "/api/v1/none")) {
            HttpResponse<String> answer = client.get(path);
            assertThat(answer.headers().firstValue("Content-Security-Policy").orElse(""))
                    .as(path)
                    .contains("frame-ancestors 'none'");
            for (String[] each : new String[][] {
                {"X-Content-Type-Options", "nosniff"},
                {"Referrer-Policy", "same-origin"},
                {"Cross-Origin-Opener-Policy", "same-origin"},
                {"Cross-Origin-Resource-Policy", "same-origin"},
                {"Cache-Control", path.equals(css) ? "public, max-age=31536000, immutable" : "no-store"}
            }) assertThat(answer.headers().firstValue(each[0])).as(path).hasValue(each[1]);
        }
        assertThat(raw("GET /tasks HTTP/1.1\nHost: evil.example\n\n"))
                .containsIgnoringCase("\nX-Content-Type-Options: nosniff");
    }

    @Test
    void number_withAnExponentBeyondAllBounds_staysSmall() {
        ApiClient.Answer answer = api.post("/jobs", "{\"kind\": \"k\", \"payload\": {\"n\": 1e999999999}}");
        assertThat(answer.status()).isIn(201, 400, 422);
        if (answer.status() == 201) {
            assertThat(api.get("/jobs/" + answer.text("id")).response().body()).hasSizeLessThan(10_000);
            assertThat(client.get("/jobs/" + answer.text("id")).statusCode()).isEqualTo(200);
        }
        assertThat(api.post("/jobs", "{\"kind\": \"k\", \"payload\": {\"n\": 1e30}}")
                        .status())
                .isEqualTo(201);
    }

    @Test
    void viewer_findsNoMaskedValue() {
        database.execute(
                "INSERT INTO task (input, plan) VALUES ('SELECT ''password=hunter22''', now() + interval '1 h')");
        String token =
                "Bearer " + new TokenStore(ConsoleFixtures.source(database), "howdah").add("v", "viewer", null, null);
        for (String path : List.of(
                "/tasks?text=hunter22",
                "/jobs?state=failed&error=hunter22",
                "/api/v1/tasks?text=hunter22",
                "/api/v1/jobs?state=failed&error=hunter22"))
            assertThat(client.get(path, "Authorization", token).statusCode())
                    .as(path)
                    .isEqualTo(403);
        for (String path : List.of("/search?q=hunter22", "/api/v1/search?q=hunter22", "/search?q=password"))
            assertThat(client.get(path, "Authorization", token).body()).as(path).doesNotContain("/tasks/2");
        Map<String, String> tags = new LinkedHashMap<>();
        for (String path : List.of("/tasks", "/tasks/2", "/api/v1/tasks", "/api/v1/tasks/2")) {
            HttpResponse<String> answer = client.get(path, "Authorization", token);
            assertThat(answer.body()).as(path).contains("***").doesNotContain("hunter22");
            answer.headers().firstValue("ETag").ifPresent(tag -> tags.put(path, tag));
        }
        database.execute("UPDATE task SET input = replace(input, 'hunter22', 'hunter33') WHERE id = 2");
        tags.forEach((path, tag) -> assertThat(
                        client.get(path, "Authorization", token).headers().firstValue("ETag"))
                .as("what %s says of another secret", path)
                .hasValue(tag));
        assertThat(client.get("/audit", "Authorization", token).statusCode()).isEqualTo(403);
    }

    @Test
    void viewer_findsNoMaskedValue_inTheCauseThatRepeatsAnError() {
        String id = database.value("INSERT INTO task (input, state, stop, error)"
                + " VALUES ('SELECT 1', 'FAIL', now(), 'ERROR:  no login with password=hunter22') RETURNING id");
        String token =
                "Bearer " + new TokenStore(ConsoleFixtures.source(database), "howdah").add("w", "viewer", null, null);
        for (String path : List.of("/tasks/" + id, "/api/v1/tasks/" + id, "/api/v1/tasks/" + id + "/why"))
            assertThat(client.get(path, "Authorization", token).body())
                    .as(path)
                    .contains("***")
                    .doesNotContain("hunter22");
    }

    @Test
    void refusal_ofATokenThatWasRevoked_isThatOfOneThatNeverWas() {
        TokenStore tokens = new TokenStore(ConsoleFixtures.source(database), "howdah");
        String revoked = tokens.add("gone", "viewer", null, null);
        tokens.revoke("gone");
        HttpResponse<String> one = client.get("/tasks", "Authorization", "Bearer " + revoked);
        HttpResponse<String> other = client.get("/tasks", "Authorization", "Bearer hd_" + "0".repeat(40));
        assertThat(one.statusCode()).isEqualTo(401);
        assertThat(one.body()).isEqualTo(other.body());
    }

    @Test
    void secrets_areInNoPageDescriptionOrProblem() {
        String token = new TokenStore(ConsoleFixtures.source(database), "howdah").add("o", "operator", null, null);
        String header = "Bearer " + token;
        for (String path : List.of(
                "/",
                "/tokens",
                "/settings",
                "/nothing",
                "/api/v1/openapi.json",
                "/api/v1/none",
                "/api/v1/jobs?limit=x"))
            assertThat(client.get(path, "Authorization", header).body())
                    .as(path)
                    .doesNotContain(token, console.secret())
                    .doesNotContainPattern("\\.java:\\d|at dev\\.howdah");
        assertThat(client.get("/tasks?x=" + token, "Authorization", header).statusCode())
                .as("a token in an address")
                .isEqualTo(400);
    }
}
