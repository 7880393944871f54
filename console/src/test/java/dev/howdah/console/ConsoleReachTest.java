package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.operations.store.TokenStore;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The console behind a proxy, and on other addresses than loopback. */
@PostgresTest
class ConsoleReachTest {
    private final TestDatabase database;

    ConsoleReachTest(TestDatabase database) {
        this.database = database;
    }

    private ConsoleBuilder proxied() {
        return ConsoleFixtures.console(database)
                .login(true)
                .hosts(List.of("ops.example"))
                .basePath("/howdah")
                .trustedProxies(List.of("127.0.0.0/8"));
    }

    @Test
    void listening_whereOthersReachIt_needsLoginProxyAndName() {
        ConsoleBuilder open = ConsoleFixtures.console(database).listen("0.0.0.0");
        assertThatThrownBy(open::start).hasMessageContaining("only with logins");
        assertThatThrownBy(open.login(true)::start).hasMessageContaining("only for a trusted proxy");
        assertThatThrownBy(open.trustedProxies(List.of("10.0.0.5"))::start)
                .hasMessageContaining("host name by which browsers ask");
        assertThatThrownBy(() -> open.trustedProxies(List.of("proxy.example")))
                .hasMessageContaining("\"proxy.example\" is no address of a proxy");
        assertThatThrownBy(() -> open.basePath("/a/../b?")).hasMessageContaining("a base path is one such as");
    }

    @Test
    void clientFromElsewhere_withoutTheProxy_isRefused() throws Exception {
        InetAddress other = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(each -> !each.isLoopbackAddress() && each.getAddress().length == 4)
                .findFirst()
                .orElse(null);
        Assumptions.assumeTrue(other != null, "this machine has no address but loopback");
        try (Console console =
                proxied().listen("0.0.0.0").trustedProxies(List.of("192.0.2.1")).start()) {
            int port = console.address().getPort();
            assertThat(raw(other, port, "GET /tasks HTTP/1.1", "Host: ops.example", "X-Forwarded-For: 127.0.0.1"))
                    .startsWith("HTTP/1.1 403");
            assertThat(raw(InetAddress.getLoopbackAddress(), port, "GET /tasks HTTP/1.1", "Host: ops.example"))
                    .startsWith("HTTP/1.1 401");
        }
    }

    // for the browser
    @Test
    void browser_behindAProxyUnderAPath_isServed() throws Exception {
        ConsoleFixtures.tasks(database);
        String token = new TokenStore(ConsoleFixtures.source(database), "howdah").add("ann", "operator", null, null);
        database.execute("INSERT INTO task (input, plan) VALUES ('SELECT 1', now() + interval '1 hour')");
        try (Console console = proxied().start()) {
            ConsoleClient proxy = new ConsoleClient(console.address());
            String[] forwarded = {
                "X-Forwarded-Host", "ops.example", "X-Forwarded-Proto", "https", "X-Forwarded-For", "203.0.113.9"
            };
            HttpResponse<String> login = proxy.post(
                    "/howdah/login", "next=/tasks/1&token=" + token, with(forwarded, "Origin", "https://ops.example"));
            assertThat(login.statusCode()).as(login.body()).isEqualTo(303);
            assertThat(login.headers().firstValue("Location")).hasValue("/howdah/tasks/1");
            String cookie = login.headers().firstValue("Set-Cookie").orElseThrow();
            assertThat(cookie).startsWith("__Secure-howdah-").contains("Secure").contains("Path=/howdah");
            String session = cookie.substring(0, cookie.indexOf(';'));
            for (String path : List.of("/howdah/tasks/1", "/tasks/1")) {
                String page =
                        proxy.get(path, with(forwarded, "Cookie", session)).body();
                assertThat(page)
                        .contains("href=\"/howdah/tasks\"")
                        .contains("action=\"/howdah/tasks/1/cancel\"")
                        .contains("data-base=\"/howdah\"")
                        .doesNotContain("href=\"/tasks");
            }
            String page = proxy.get("/howdah/tasks/1", with(forwarded, "Cookie", session))
                    .body();
            String csrf = page.replaceAll("(?s).*name=\"csrf\" value=\"([^\"]+)\".*", "$1");
            String form = "confirmed=yes&csrf=" + csrf;
            assertThat(proxy.post(
                                    "/howdah/tasks/1/cancel",
                                    form,
                                    with(forwarded, "Cookie", session, "Origin", "http://ops.example"))
                            .statusCode())
                    .isEqualTo(403);
            HttpResponse<String> changed = proxy.post(
                    "/howdah/tasks/1/cancel",
                    form,
                    with(forwarded, "Cookie", session, "Origin", "https://ops.example"));
            assertThat(changed.statusCode()).isEqualTo(303);
            assertThat(changed.headers().firstValue("Location")).hasValue("/howdah/tasks/1");
            assertThat(database.value("SELECT string_agg(DISTINCT address, ',') FROM howdah.audit"))
                    .isEqualTo("203.0.113.9");
            assertThat(proxy.get("/howdah/tasks", with(forwarded, "X-Forwarded-Host", "evil.example"))
                            .statusCode())
                    .isEqualTo(421);
            assertThat(proxy.get("/howdahs/tasks", with(forwarded, "Cookie", session))
                            .statusCode())
                    .isEqualTo(404);
        }
    }

    @Test
    void forwardedHeaders_ofAStranger_areIgnored() throws Exception {
        try (Console console =
                ConsoleFixtures.console(database).hosts(List.of("ops.example")).start()) {
            ConsoleClient stranger = new ConsoleClient(console.address());
            assertThat(stranger.get("/tasks", "X-Forwarded-Host", "evil.example")
                            .statusCode())
                    .isEqualTo(200);
            assertThat(stranger.post(
                                    "/tasks/change",
                                    "",
                                    "X-Forwarded-Proto",
                                    "https",
                                    "Origin",
                                    "https://ops.example",
                                    "X-Forwarded-Host",
                                    "ops.example")
                            .statusCode())
                    .isEqualTo(403);
        }
    }

    private static String[] with(String[] headers, String... more) {
        return java.util.stream.Stream.concat(java.util.Arrays.stream(headers), java.util.Arrays.stream(more))
                .toArray(String[]::new);
    }

    private static String raw(InetAddress address, int port, String... lines) throws Exception {
        try (Socket socket = new Socket(address, port)) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream()
                    .write((String.join("\r\n", lines) + "\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            try (BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
                return in.lines().takeWhile(line -> !line.isEmpty()).collect(Collectors.joining("\n"));
            }
        }
    }
}
