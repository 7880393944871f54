package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A login by a real OpenID provider: the package oidc-provider of npm, where Node and that package are to be had. */
@PostgresTest
@Tag("long")
class OpenIdProviderTest {
    private static final Path DIRECTORY = Path.of("target", "oidc-provider");
    private static final long INSTALL_SECONDS = 60;

    private final TestDatabase database;

    OpenIdProviderTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void people_loggedInByAProvider_haveTheRoleOfTheirClaim() throws Exception {
        install();
        ConsoleFixtures.tasks(database);
        Process provider = provider();
        try (BufferedReader out = provider.inputReader(StandardCharsets.UTF_8)) {
            logInAll(provider, out);
        } finally {
            provider.destroy();
            provider.waitFor(10, TimeUnit.SECONDS);
        }
        assertThat(database.value("SELECT string_agg(concat_ws(' ', actor, role, outcome), ', ' ORDER BY id)"
                        + " FROM howdah.audit"))
                .isEqualTo("ann@example.com administrator done, otto@example.com operator done, unknown refused");
    }

    private void logInAll(Process provider, BufferedReader out) throws Exception {
        Properties settings = new Properties();
        settings.setProperty("issuer", "http://127.0.0.1:" + said(out, "port "));
        settings.setProperty("client-id", "howdah");
        settings.setProperty("client-secret", "the secret of the client");
        settings.setProperty("role.dba", "administrator");
        settings.setProperty("role.ops", "operator");
        try (Console console =
                        ConsoleFixtures.console(database).openId(settings).start();
                BufferedWriter in = provider.outputWriter(StandardCharsets.UTF_8)) {
            in.write(console.address() + "/login/oidc/callback\n");
            in.flush();
            said(out, "ready");
            assertThat(logIn(console, "ann")).contains("New task");
            assertThat(logIn(console, "otto")).contains("Tasks").doesNotContain("New task");
            assertThat(logIn(console, "eve")).contains("has no role here");
        }
    }

    private static void install() throws Exception {
        if (Files.exists(DIRECTORY.resolve("node_modules/oidc-provider"))) return;
        Files.createDirectories(DIRECTORY);
        int exit;
        try {
            Process npm = new ProcessBuilder("npm", "install", "--no-audit", "--no-fund", "oidc-provider@9")
                    .directory(DIRECTORY.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(DIRECTORY.resolve("npm.log").toFile())
                    .start();
            exit = npm.waitFor(INSTALL_SECONDS, TimeUnit.SECONDS) ? npm.exitValue() : -1;
            npm.destroy();
        } catch (IOException e) {
            exit = -1;
        }
        assumeTrue(
                exit == 0, "no OpenID provider: npm cannot install oidc-provider here (target/oidc-provider/npm.log)");
    }

    /** It says its port, is told the address of the console, and says that it is ready. */
    private static Process provider() throws IOException {
        Path script = Path.of("src", "test", "resources", "oidc-provider.mjs").toAbsolutePath();
        return new ProcessBuilder("node", script.toString())
                .directory(DIRECTORY.toFile())
                .redirectError(DIRECTORY.resolve("provider.log").toFile())
                .start();
    }

    /** What it says behind that word. */
    private static String said(BufferedReader out, String word) throws IOException {
        String line;
        do {
            line = out.readLine();
        } while (line != null && !line.startsWith(word));
        assertThat(line).as("target/oidc-provider/provider.log says why").startsWith(word);
        return String.valueOf(line).substring(word.length());
    }

    /** The page that a browser has in the end. */
    private static String logIn(Console console, String name) throws Exception {
        HttpClient browser = HttpClient.newBuilder()
                .cookieHandler(new CookieManager())
                .followRedirects(HttpClient.Redirect.ALWAYS)
                .build();
        String login = browser.send(
                        HttpRequest.newBuilder(console.address().resolve("/tasks"))
                                .header("Accept", "text/html")
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
        Matcher link = Pattern.compile("href=\"(/login/oidc[^\"]*)\"").matcher(login);
        assertThat(link.find()).as(login).isTrue();
        HttpResponse<String> page = browser.send(
                HttpRequest.newBuilder(console.address().resolve(link.group(1))).build(),
                HttpResponse.BodyHandlers.ofString());
        for (String form : List.of("prompt=login&login=" + name + "&password=any", "prompt=consent")) {
            Matcher action = Pattern.compile("action=\"([^\"]+)\"").matcher(page.body());
            assertThat(action.find()).as(page.body()).isTrue();
            URI to = page.uri().resolve(action.group(1));
            page = browser.send(
                    HttpRequest.newBuilder(to)
                            .header("Content-Type", "application/x-www-form-urlencoded")
                            .header("Accept", "text/html")
                            .POST(HttpRequest.BodyPublishers.ofString(form))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
        return page.body();
    }
}
