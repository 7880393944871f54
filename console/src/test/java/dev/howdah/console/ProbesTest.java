package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.operations.store.TokenStore;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What monitoring reads on the port of a console that asks for logins. */
class ProbesTest extends ApiTestBase {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final AtomicReference<@Nullable String> obstacle = new AtomicReference<>();

    ProbesTest(TestDatabase database) {
        super(database);
    }

    @Override
    void install() throws SQLException {
        ConsoleFixtures.jobs(database);
    }

    @Override
    ConsoleBuilder console() {
        return ConsoleFixtures.console(database)
                .login(true)
                .hosts(java.util.List.of("ops.example.com"))
                .trustedProxies(java.util.List.of("127.0.0.1"))
                .monitoring(new ConsoleMonitoring() {
                    @Override
                    public Exposition metrics(@Nullable String accept) {
                        return new Exposition("text/plain; version=0.0.4; charset=utf-8", "x_total 1\n");
                    }

                    @Override
                    public @Nullable String notReady() {
                        return obstacle.get();
                    }

                    @Override
                    public String paused() {
                        return "public.task: by ann";
                    }
                });
    }

    /** By the proxy, which is trusted: the client is another machine. */
    private HttpResponse<String> ask(String path, @Nullable String token, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(console.address() + path))
                .header("X-Forwarded-For", "203.0.113.7")
                .header("X-Forwarded-Host", "ops.example.com");
        if (token != null) request.header("Authorization", "Bearer " + token);
        if (headers.length > 0) request.headers(headers);
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void metrics_needAToken_andProbesNone() throws Exception {
        String token =
                new TokenStore(ConsoleFixtures.source(database), "howdah").add("prometheus", "viewer", null, "test");
        assertThat(ask("/metrics", null).statusCode()).isEqualTo(401);
        assertThat(ask("/metrics", "hd_wrong").statusCode()).isEqualTo(401);
        HttpResponse<String> metrics = ask("/metrics", token);
        assertThat(metrics.body()).isEqualTo("x_total 1\n");
        assertThat(metrics.headers().firstValue("content-type")).contains("text/plain; version=0.0.4; charset=utf-8");
        assertThat(ask("/live", null).body()).isEqualTo("live\n");
        assertThat(ask("/ready", null).body()).isEqualTo("ready\n");
        assertThat(ask("/ready", token).body()).isEqualTo("ready, but public.task: by ann\n");
    }

    @Test
    void reasons_areForThoseWithARole() throws Exception {
        String token = new TokenStore(ConsoleFixtures.source(database), "howdah").add("ann", "operator", null, "test");
        obstacle.set("no table public.task in db.internal");
        assertThat(ask("/ready", null)).satisfies(answer -> {
            assertThat(answer.statusCode()).isEqualTo(503);
            assertThat(answer.body()).isEqualTo("not ready\n");
        });
        assertThat(ask("/ready", token).body()).isEqualTo("no table public.task in db.internal\n");
    }

    @Test
    void pagesOfOtherSites_readNothing() throws Exception {
        assertThat(ask("/metrics", null, "Sec-Fetch-Site", "cross-site").statusCode())
                .isEqualTo(403);
        assertThat(ask("/ready", null, "Sec-Fetch-Site", "cross-site").statusCode())
                .isEqualTo(403);
        HttpRequest rebound = HttpRequest.newBuilder(URI.create(console.address() + "/metrics"))
                .header("X-Forwarded-Host", "evil.example")
                .build();
        assertThat(HTTP.send(rebound, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(421);
    }

    @Test
    void programsOfThisMachine_needNoToken() throws Exception {
        console.close();
        console = ConsoleFixtures.console(database)
                .login(true)
                .monitoring(accept -> new ConsoleMonitoring.Exposition("text/plain", "y 1\n"))
                .start();
        HttpRequest here = HttpRequest.newBuilder(URI.create(console.address() + "/metrics"))
                .build();
        assertThat(HTTP.send(here, HttpResponse.BodyHandlers.ofString()).body()).isEqualTo("y 1\n");
        HttpRequest page =
                HttpRequest.newBuilder(URI.create(console.address() + "/jobs")).build();
        assertThat(HTTP.send(page, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(401);
    }
}
