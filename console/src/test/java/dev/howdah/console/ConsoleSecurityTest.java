package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each attack fails, and the honest request beside it succeeds; more attacks are in AttackListTest. */
@PostgresTest
class ConsoleSecurityTest {
    private final TestDatabase database;
    private Console console;
    private ConsoleClient client;

    ConsoleSecurityTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void start() {
        ConsoleFixtures.tasks(database);
        console = ConsoleFixtures.console(database).start();
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

    @Test
    void post_ofOurOwnPage_changes() {
        HttpResponse<String> answer = client.post("/tasks/1/cancel", "confirmed=yes");
        assertThat(answer.statusCode()).isEqualTo(303);
        assertThat(answer.headers().firstValue("Location")).hasValue("/tasks/1");
        assertThat(state()).isEqualTo("STOP");
    }

    @Test
    void post_notConfirmed_asksFirst() {
        HttpResponse<String> answer = client.post("/tasks/1/cancel", "");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).contains("Cancel task 1?").contains("name=\"confirmed\"");
        assertThat(state()).isEqualTo("PLAN");
    }

    @Test
    void post_fromAnotherOrigin_isRefused() {
        String form = "confirmed=yes&csrf=" + client.csrf();
        for (String origin : new String[] {
            "http://evil.example",
            "null",
            "https://127.0.0.1:" + console.address().getPort()
        })
            assertThat(client.post("/tasks/1/cancel", form, "Origin", origin).statusCode())
                    .isEqualTo(403);
        assertThat(client.post("/tasks/1/cancel", form, "Sec-Fetch-Site", "cross-site")
                        .statusCode())
                .isEqualTo(403);
        assertThat(client.post("/tasks/1/cancel", form, new String[0]).statusCode())
                .isEqualTo(403);
        assertThat(state()).isEqualTo("PLAN");
    }

    @Test
    void post_withoutItsToken_isRefused() {
        String origin = console.address().toString();
        assertThat(client.post("/tasks/1/cancel", "confirmed=yes", "Origin", origin)
                        .statusCode())
                .isEqualTo(403);
        assertThat(client.post("/tasks/1/cancel", "confirmed=yes&csrf=x", "Origin", origin)
                        .statusCode())
                .isEqualTo(403);
        assertThat(client.post("/tasks/1/cancel?csrf=" + client.csrf(), "confirmed=yes", "Origin", origin)
                        .statusCode())
                .isEqualTo(403);
        assertThat(state()).isEqualTo("PLAN");
    }

    @Test
    void apiChange_byAPageWithoutItsToken_isRefused() {
        ApiClient api = new ApiClient(console.address());
        String csrf = client.csrf();
        String path = "/api/v1/tasks/1/cancel";
        for (String[] page : new String[][] {
            {"Origin", console.address().toString()},
            {"Sec-Fetch-Site", "same-origin"}
        }) {
            assertThat(api.raw("POST", path, null, page).statusCode())
                    .as(page[0])
                    .isEqualTo(403);
            for (String token : new String[] {"guessed", "", csrf + "x"})
                assertThat(api.raw("POST", path, null, page[0], page[1], "X-CSRF-Token", token)
                                .statusCode())
                        .as("%s, token \"%s\"", page[0], token)
                        .isEqualTo(403);
        }
        assertThat(state()).isEqualTo("PLAN");
        String origin = console.address().toString();
        assertThat(api.raw("POST", path, null, "Origin", origin, "X-CSRF-Token", csrf)
                        .statusCode())
                .isEqualTo(200);
        assertThat(state()).isEqualTo("STOP");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/tasks", "/api/v1/tasks", "/stream", "/static/x/console.css", "/login", "/nothing"})
    void token_inTheAddress_isRefusedEverywhere(String path) {
        HttpResponse<String> answer = client.get(path + "?token=hd_" + "0".repeat(40));
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("A token does not belong into an address");
    }

    @Test
    void post_thatIsCompressed_isRefused() {
        String form = "confirmed=yes&csrf=" + client.csrf();
        String origin = console.address().toString();
        for (String coding : new String[] {"gzip", "identity", ""})
            assertThat(client.post("/tasks/1/cancel", form, "Origin", origin, "Content-Encoding", coding)
                            .statusCode())
                    .as(coding)
                    .isEqualTo(415);
        assertThat(state()).isEqualTo("PLAN");
        assertThat(client.post("/tasks/1/cancel", form, "Origin", origin).statusCode())
                .isEqualTo(303);
    }

    @Test
    void get_ofAnAction_changesNothing() {
        assertThat(client.get("/tasks/1/cancel?confirmed=yes&csrf=" + client.csrf())
                        .statusCode())
                .isEqualTo(404);
        assertThat(state()).isEqualTo("PLAN");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/tasks", "/stream?view=/tasks", "/static/x/console.css", "/login", "/nothing"})
    void request_namesAnotherHost_isRefused(String path) throws Exception {
        int port = console.address().getPort();
        assertThat(raw("GET " + path + " HTTP/1.1", "Host: evil.example:" + port))
                .startsWith("HTTP/1.1 421");
        assertThat(raw("GET " + path + " HTTP/1.1", "Host: 127.0.0.1.evil.example:" + port))
                .startsWith("HTTP/1.1 421");
        assertThat(raw("GET " + path + " HTTP/1.1", "Host: 127.0.0.1")).startsWith("HTTP/1.1 421");
        assertThat(raw("GET " + path + " HTTP/1.1", "Host: 127.0.0.1:" + port, "Host: evil.example"))
                .startsWith("HTTP/1.1 400");
    }

    @Test
    void request_namesOurHost_isAnswered() throws Exception {
        int port = console.address().getPort();
        assertThat(raw("GET / HTTP/1.1", "Host: 127.0.0.1:" + port)).startsWith("HTTP/1.1 200");
        assertThat(raw("GET / HTTP/1.1", "Host: LOCALHOST:" + port)).startsWith("HTTP/1.1 200");
    }

    /** The answer's head to lines as they are. */
    private String raw(String... lines) throws Exception {
        try (Socket socket = new Socket("127.0.0.1", console.address().getPort())) {
            socket.setSoTimeout(10_000);
            String request = String.join("\r\n", lines) + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            try (BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
                return in.lines().takeWhile(line -> !line.isEmpty()).collect(Collectors.joining("\n"));
            }
        }
    }

    @Test
    void form_thatComesByTheByte_keepsNoThread() throws Exception {
        try (Socket socket = new Socket("127.0.0.1", console.address().getPort())) {
            socket.setSoTimeout(20);
            socket.getOutputStream()
                    .write(("POST /tasks/1/cancel HTTP/1.1\r\nHost: 127.0.0.1:"
                                    + console.address().getPort()
                                    + "\r\nOrigin: http://127.0.0.1:"
                                    + console.address().getPort()
                                    + "\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            String answer = null;
            for (int sent = 0; answer == null && sent < 500; sent++) {
                try {
                    socket.getOutputStream().write('a');
                    socket.getOutputStream().flush();
                    answer = new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
                } catch (java.net.SocketTimeoutException e) {
                    // No answer yet: another byte.
                }
            }
            assertThat(answer).isNotNull().doesNotContain(" 200", " 303");
        }
        assertThat(client.get("/tasks").statusCode()).isEqualTo(200);
    }

    @Test
    void request_ofAPageElsewhere_isRefusedButForALink() {
        assertThat(client.get(
                                "/tasks",
                                "Sec-Fetch-Site",
                                "cross-site",
                                "Sec-Fetch-Mode",
                                "no-cors",
                                "Sec-Fetch-Dest",
                                "image")
                        .statusCode())
                .isEqualTo(403);
        assertThat(client.get(
                                "/tasks",
                                "Sec-Fetch-Site",
                                "cross-site",
                                "Sec-Fetch-Mode",
                                "navigate",
                                "Sec-Fetch-Dest",
                                "iframe")
                        .statusCode())
                .isEqualTo(403);
        assertThat(client.get(
                                "/tasks",
                                "Sec-Fetch-Site",
                                "cross-site",
                                "Sec-Fetch-Mode",
                                "navigate",
                                "Sec-Fetch-Dest",
                                "document")
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void pages_haveTheHeadersOfAStrictPolicy() {
        for (String path : new String[] {"/", "/tasks/1", "/nothing", "/tasks?limit=x"}) {
            HttpResponse<String> answer = client.get(path);
            assertThat(answer.headers().firstValue("Content-Security-Policy").orElse(""))
                    .contains("default-src 'none'")
                    .doesNotContain("unsafe");
            assertThat(answer.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
            assertThat(answer.headers().firstValue("Cache-Control")).hasValue("no-store");
            assertThat(answer.headers().firstValue("Server")).isEmpty();
            assertThat(answer.body()).doesNotContain(" style=").doesNotContainPattern("<script(?! src=)");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/static/../console.css",
                "/static/%2e%2e/%2e%2e/console.css",
                "/static/x/..%2f..%2fconsole.sql",
                "/tasks/..;/jobs",
                "/tasks/1%00",
                "//evil.example/"
            })
    void path_thatClimbs_findsNothing(String path) throws Exception {
        String head = raw(
                "GET " + path + " HTTP/1.1",
                "Host: 127.0.0.1:" + console.address().getPort());
        assertThat(head).containsPattern("^HTTP/1.1 (400|404)");
        assertThat(head).doesNotContain("Location");
    }

    @Test
    void filters_withSqlInThem_findNothing() {
        String evil = "%27%3B%20DELETE%20FROM%20task%3B%20--";
        for (String path : new String[] {
            "/tasks?group=" + evil,
            "/tasks?text=" + evil,
            "/tasks?owner=" + evil,
            "/jobs?queue=" + evil,
            "/search?q=" + evil
        }) assertThat(client.get(path).statusCode()).isEqualTo(200);
        assertThat(client.get("/tasks?after=" + evil).statusCode()).isEqualTo(400);
        assertThat(client.get("/tasks?state=" + evil).statusCode()).isEqualTo(400);
        assertThat(client.get("/tasks?table=" + evil).statusCode()).isEqualTo(400);
        assertThat(state()).isEqualTo("PLAN");
    }

    @Test
    void texts_ofUsers_areShownAsText() {
        String hostile = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>\u202e";
        database.execute("INSERT INTO task (input, \"group\", plan) VALUES ($x$SELECT '" + hostile.replace("'", "''")
                + "'$x$, $x$" + hostile + "$x$, now() + interval '1 hour')");
        for (String path : new String[] {"/tasks", "/tasks/2", "/search?q=%3Cscript%3E", "/tasks?group=%3Cscript%3E"}) {
            String page = client.get(path).body();
            assertThat(page).doesNotContain("<script>").doesNotContain("<img").doesNotContain("\u202e");
        }
        assertThat(client.get("/tasks/2").body()).contains("&lt;script&gt;");
    }

    @Test
    void form_tooLarge_isRefused() {
        String form = "csrf=" + client.csrf() + "&confirmed=yes&x=" + "x".repeat(11_000_000);
        // The server closes the connection before all is sent, and the client may see that before the answer.
        Awaitility.await()
                .ignoreExceptionsInstanceOf(UncheckedIOException.class)
                .untilAsserted(() -> assertThat(client.post(
                                        "/tasks/1/cancel",
                                        form,
                                        "Origin",
                                        console.address().toString())
                                .statusCode())
                        .isEqualTo(413));
        assertThat(state()).isEqualTo("PLAN");
    }

    @Test
    void login_isNeeded_opensByItsLinkOnce() {
        try (Console closed = ConsoleFixtures.console(database).login(true).start()) {
            ConsoleClient stranger = new ConsoleClient(closed.address());
            assertThat(stranger.get("/tasks").statusCode()).isEqualTo(401);
            assertThat(stranger.get("/stream?view=/tasks").statusCode()).isEqualTo(401);
            String link = closed.link()
                    .toString()
                    .substring(closed.address().toString().length());
            HttpResponse<String> opened = stranger.get(link);
            assertThat(opened.statusCode()).isEqualTo(303);
            String cookie = opened.headers().firstValue("Set-Cookie").orElseThrow();
            assertThat(cookie).contains("HttpOnly").contains("SameSite=Lax");
            assertThat(cookie).startsWith("howdah-" + closed.address().getPort() + "=");
            String session = cookie.substring(0, cookie.indexOf(';'));
            assertThat(stranger.get("/tasks", "Cookie", session).statusCode()).isEqualTo(200);
            URI elsewhere = URI.create("http://localhost:" + closed.address().getPort());
            assertThat(new ConsoleClient(elsewhere)
                            .get("/tasks", "Cookie", session)
                            .statusCode())
                    .as("the session of another origin")
                    .isEqualTo(401);
            assertThat(stranger.get("/tasks", "Cookie", session).statusCode()).isEqualTo(200);
            assertThat(stranger.get(link).statusCode()).isEqualTo(401);
            assertThat(stranger.get(
                                    "/tasks",
                                    "Cookie",
                                    "howdah-" + closed.address().getPort() + "=guessed")
                            .statusCode())
                    .isEqualTo(401);
        }
    }

    @Test
    void logout_endsTheSession_andOnlyThat() {
        try (Console closed = ConsoleFixtures.console(database).login(true).start()) {
            ConsoleClient browser = new ConsoleClient(closed.address());
            String first = session(closed, browser);
            String second = session(closed, browser);
            String page = browser.get("/tasks", "Cookie", first).body();
            assertThat(page).contains("action=\"/logout\"");
            String token = page.replaceAll("(?s).*name=\"csrf\" value=\"([^\"]+)\".*", "$1");
            String origin = closed.address().toString();
            assertThat(browser.post("/logout", "csrf=guessed", "Cookie", first, "Origin", origin)
                            .statusCode())
                    .isEqualTo(403);
            assertThat(browser.get("/logout", "Cookie", first).statusCode()).isEqualTo(404);
            assertThat(browser.get("/tasks", "Cookie", first).statusCode()).isEqualTo(200);
            HttpResponse<String> ended = browser.post("/logout", "csrf=" + token, "Cookie", first, "Origin", origin);
            assertThat(ended.statusCode()).isEqualTo(200);
            assertThat(ended.body()).contains("has ended");
            assertThat(browser.get("/tasks", "Cookie", first).statusCode()).isEqualTo(401);
            assertThat(browser.get("/tasks", "Cookie", second).statusCode()).isEqualTo(200);
        }
        assertThat(client.get("/tasks").body()).doesNotContain("/logout");
    }

    private static String session(Console closed, ConsoleClient browser) {
        String link =
                closed.link().toString().substring(closed.address().toString().length());
        String cookie = browser.get(link).headers().firstValue("Set-Cookie").orElseThrow();
        return cookie.substring(0, cookie.indexOf(';'));
    }

    @Test
    void loginLink_withoutTheSecret_isRefused() {
        try (Console closed = ConsoleFixtures.console(database).login(true).start()) {
            ConsoleClient stranger = new ConsoleClient(closed.address());
            assertThat(stranger.post("/login-link", "", "X-Howdah-Secret", "guessed")
                            .statusCode())
                    .isIn(401, 403);
            HttpResponse<String> link = stranger.post("/login-link", "", "X-Howdah-Secret", closed.secret());
            assertThat(link.statusCode()).isEqualTo(200);
            assertThat(stranger.get(link.body().strip()).statusCode()).isEqualTo(303);
        }
    }
}
