package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code howdah reach}: what is allowed, and trying it. */
class ReachCommandsTest {
    private static final String ALLOW = "https://api.example/v1/*=billing,app http://127.0.0.1:*=app exec:backup=dba";

    @TempDir
    private Path data;

    private CommandLineRun run(String... words) {
        List<String> all = new ArrayList<>(List.of("reach"));
        all.addAll(List.of(words));
        all.addAll(List.of("--data", data.toString(), "--allow", ALLOW));
        return CommandLineRun.of("", Map.of("HOME", "/nonexistent"), all.toArray(String[]::new));
    }

    private void settings(String json) throws IOException {
        Files.writeString(data.resolve("reach.json"), json);
    }

    private void shop() throws IOException {
        String user = System.getProperty("user.name").equals("root") ? "nobody" : "same";
        settings("""
                {"credentials": {
                   "shop": {"kind": "bearer", "env": "NOT_HERE", "for": ["https://api.example/v1/*=billing", "http://127.0.0.1:*"]},
                   "mail": {"kind": "login", "user": "invoices", "file": "no.such", "for": "smtp://mail.example=billing"}},
                 "private": ["https://crm.intern.example=app"], "senders": ["*@telco.example=billing"],
                 "dkim": {"telco.example": {"selector": "a2026", "file": "no.such"}},
                 "programs": {"backup": {"command": ["/bin/true", "--quiet"], "argument": "[a-z]{1,5}", "user": "%1$s"}},
                 "databases": {"crm": {"url": "jdbc:mariadb://db.example:3306/crm", "user": "%1$s"}},
                 "limits": {"https://api.example/v1/*": {"concurrency": 5, "perSecond": 10}},
                 "proxies": {"out": {"url": "http://proxy.example:3128", "user": "howdah", "env": "NOT_HERE", "for": "https://*"}}}
                """.formatted(user));
    }

    @Test
    void list_hasPlacesOwnersAndNames_andReadsNoSecret() throws IOException {
        shop();
        CommandLineRun all = run("list", "--json");
        assertThat(all.exitCode()).as(all.err()).isZero();
        assertThat(all.out().lines())
                .contains(
                        line("place", null, "https://api.example/v1/*", "\"app\",\"billing\"", null),
                        line("place", null, "http://127.0.0.1:*", "\"app\"", null),
                        line("place", null, "exec:backup", "\"dba\"", null),
                        line("private", null, "https://crm.intern.example", "\"app\"", null),
                        line("credential", "shop", "https://api.example/v1/*", "\"billing\"", "bearer"),
                        line("credential", "shop", "http://127.0.0.1:*", "\"*\"", "bearer"),
                        line("credential", "mail", "smtp://mail.example", "\"billing\"", "login, user invoices"),
                        line("sender", null, "*@telco.example", "\"billing\"", null),
                        line("dkim", null, "telco.example", "", "a2026._domainkey.telco.example"),
                        line("limit", null, "https://api.example/v1/*", "", "5 at once, 10 a second"),
                        line("proxy", "out", "https://*", "\"*\"", "http://proxy.example:3128"))
                .anyMatch(each -> each.contains("\"exec:backup\"") && each.contains("/bin/true --quiet, user "))
                .anyMatch(each -> each.contains("\"jdbc:crm\"") && each.contains("jdbc:mariadb://db.example"))
                .hasSize(13);
        assertThat(run("list", "--owner", "billing").out())
                .contains("https://api.example/v1/*", "| app, billing |", "(10 rows)")
                .doesNotContain("crm.intern");
    }

    private static String line(
            String kind, @Nullable String name, String target, String owners, @Nullable String detail) {
        return "{\"kind\":\"" + kind + "\",\"name\":" + quoted(name) + ",\"target\":\"" + target + "\",\"owners\":["
                + owners + "],\"detail\":" + quoted(detail) + "}";
    }

    private static String quoted(@Nullable String text) {
        return text == null ? "null" : "\"" + text + "\"";
    }

    @Test
    void check_saysByWhichPlaceAndCredential_orWhatToAdd() throws IOException {
        shop();
        CommandLineRun may = run("check", "--owner", "billing", "https://api.example/v1/charges#as=shop");
        assertThat(may.exitCode()).as(may.out() + may.err()).isZero();
        assertThat(may.out())
                .contains(
                        "ok       place       https://api.example/v1/* of app, billing",
                        "ok       credential  \"shop\", bearer",
                        "ok       private     private addresses are refused");
        CommandLineRun other = run("check", "--owner", "eve", "https://api.example/v1/charges#as=shop", "--json");
        assertThat(other.exitCode()).isEqualTo(1);
        assertThat(other.out())
                .contains(
                        "\"step\":\"place\",\"outcome\":\"failed\"",
                        "role \\\"eve\\\" may not reach https://api.example/v1/charges",
                        "--allow 'https://api.example=eve'");
        assertThat(run("check", "--owner", "app", "https://api.example/v1/charges#as=shop")
                        .out())
                .contains("failed   credential  there is no credential \"shop\" for role \"app\"");
        assertThat(run("check", "--owner", "app", "https://ann:hunter2@api.example/")
                        .out())
                .contains("failed   target      remote must not contain a credential")
                .doesNotContain("hunter2");
        assertThat(run("check", "--owner", "app", "postgresql://db.example").out())
                .contains("is a remote PostgreSQL");
        assertThat(run("check", "https://api.example/").exitCode()).isEqualTo(2);
    }

    @Test
    void test_connectsAndSendsNothing() throws IOException {
        AtomicInteger requests = new AtomicInteger();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            requests.incrementAndGet();
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        try {
            String place = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
            CommandLineRun reached = run("test", "--owner", "app", place);
            assertThat(reached.exitCode()).as(reached.out() + reached.err()).isZero();
            assertThat(reached.out()).contains("ok       dns         127.0.0.1", "ok       tcp         port ");
        } finally {
            server.stop(0);
        }
        assertThat(requests).hasValue(0);
    }

    @Test
    void test_whereNothingListensOrNothingAnswers_failsAtThatStep() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            String secure = "https://127.0.0.1:" + silent.getLocalPort() + "/";
            settings("{}");
            List<String> words = List.of(
                    "reach",
                    "test",
                    "--owner",
                    "app",
                    secure,
                    "--timeout",
                    "1",
                    "--data",
                    data.toString(),
                    "--allow",
                    "https://127.0.0.1:*");
            CommandLineRun late = CommandLineRun.of("", Map.of(), words.toArray(String[]::new));
            assertThat(late.exitCode()).isEqualTo(1);
            assertThat(late.out()).contains("ok       tcp", "failed   tls         it was not done within 1 s");
        }
        try (Socket closed = new Socket()) {
            // Has a port, so that no other program listens there, and does not listen.
            closed.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            String nowhere = "http://127.0.0.1:" + closed.getLocalPort() + "/";
            CommandLineRun refused = run("test", "--owner", "app", nowhere, "--json");
            assertThat(refused.exitCode()).isEqualTo(1);
            assertThat(refused.out()).contains("\"step\":\"tcp\",\"outcome\":\"failed\"", "cannot be reached");
        }
        assertThat(run("test", "--owner", "app", "http://127.0.0.1:1/", "--timeout", "0")
                        .err())
                .contains("--timeout has to be 1 to 3600, not 0");
    }

    @Test
    void secrets_areNeededForATestAlone() throws IOException {
        shop();
        CommandLineRun without = run("test", "--owner", "app", "http://127.0.0.1:1/");
        assertThat(without.exitCode()).isEqualTo(2);
        assertThat(without.err()).contains("the variable NOT_HERE is not in the program's environment");
        Path key = Files.writeString(data.resolve("open.token"), "s3cr3t-token");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
        settings(
                "{\"credentials\": {\"x\": {\"kind\": \"bearer\", \"file\": \"open.token\", \"for\": \"https://x.example\"}}}");
        assertThat(run("test", "--owner", "app", "http://127.0.0.1:1/").err())
                .contains("can be read or changed by other users: chmod 600")
                .doesNotContain("s3cr3t");
        settings("{\"credential\": {}}");
        assertThat(run("list").exitCode()).isEqualTo(2);
        assertThat(run("list").err()).contains("there is no key \"credential\", but ");
    }
}
