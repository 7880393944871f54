package dev.howdah.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.sun.net.httpserver.HttpServer;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.operations.store.TokenStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The example page of the stream of events in Chromium, from an origin of its own. */
@Tag("long")
@PostgresTest
class LivePageBrowserTest {
    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");

    private static HttpServer pages() throws IOException {
        byte[] page = Files.readAllBytes(Path.of("../examples/live.html"));
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        server.createContext("/", exchange -> {
            exchange.getResponseHeaders().add("Content-Type", "text/html; charset=utf-8");
            exchange.sendResponseHeaders(200, page.length);
            exchange.getResponseBody().write(page);
            exchange.close();
        });
        server.start();
        return server;
    }

    @Test
    void page_ofAnotherOrigin_showsWhatHappens_alsoAfterTheConsoleWasAway(TestDatabase database) throws Exception {
        Assumptions.assumeTrue(Files.isExecutable(CHROMIUM), "there is no Chromium here, so the page is not tried");
        PlaywrightAssertions.setDefaultAssertionTimeout(30_000);
        ConsoleFixtures.tasksAndJobs(database);
        String token = new TokenStore(ConsoleFixtures.source(database), "howdah").add("page", "viewer", null, null);
        HttpServer server = pages();
        String origin = "http://127.0.0.1:" + server.getAddress().getPort();
        ConsoleBuilder builder = ConsoleFixtures.console(database)
                .login(true)
                .taskTable("public", "task")
                .origins(List.of(origin))
                .channels(List.of("prices"));
        Console console = builder.start();
        try (Playwright playwright = Playwright.create(
                        new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
                Browser browser = playwright
                        .chromium()
                        .launch(new BrowserType.LaunchOptions()
                                .setExecutablePath(CHROMIUM)
                                .setArgs(
                                        List.of("--no-sandbox", "--disable-background-networking", "--disable-gpu")))) {
            Page page = browser.newPage();
            page.navigate(origin + "/#" + console.address().toString().replaceAll("/$", ""));
            page.fill("#token", token);
            page.fill("#channel", "prices");
            page.click("button");
            assertThat(page.locator("#state")).hasText("live");
            database.execute("SELECT howdah.add('mail', 'greet', 'null'::json)");
            assertThat(page.locator("#rows")).containsText("greet");
            assertThat(page.locator("#rows")).containsText("waiting");
            database.execute("SELECT howdah.cancel(1)");
            assertThat(page.locator("#rows")).containsText("cancelled");
            database.execute("INSERT INTO task (input, \"group\") VALUES ('SELECT 1', 'night')");
            assertThat(page.locator("#rows")).containsText("night");
            database.execute("SELECT pg_notify('prices', 'tea <b>3</b>')");
            assertThat(page.locator("#notices")).containsText("prices: tea <b>3</b>");
            int port = console.address().getPort();
            console.close();
            assertThat(page.locator("#state")).hasText("not connected");
            console = builder.port(port).start();
            assertThat(page.locator("#state")).hasText("live");
            // The other run of the server knows nothing of the last event: the page begins anew, and goes on.
            assertThat(page.locator("#rows tr")).hasCount(0);
            database.execute("SELECT howdah.add('mail', 'later', 'null'::json)");
            assertThat(page.locator("#rows")).containsText("later");
        } finally {
            console.close();
            server.stop(0);
        }
    }
}
