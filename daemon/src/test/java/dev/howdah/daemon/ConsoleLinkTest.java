package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The link that {@code howdah up} prints at its start, which makes its browser an administrator: on terminals, and nowhere else. */
@PostgresTest
@Tag("long")
class ConsoleLinkTest {
    private static final Pattern LINK = Pattern.compile("http://127\\.0\\.0\\.1:\\d+/login\\?key=[A-Za-z0-9_-]+");
    private static final Pattern ADDRESS = Pattern.compile("http://127\\.0\\.0\\.1:\\d+");

    private final TestDatabase database;
    private final HttpClient http = HttpClient.newHttpClient();

    ConsoleLinkTest(TestDatabase database) {
        this.database = database;
    }

    private String[] up(String format) {
        String[] words = {"up", "--url", database.uri(), "--port", "0", "--json"};
        return format.equals("json") ? words : Arrays.copyOf(words, words.length - 1);
    }

    private HttpResponse<String> open(String link) throws IOException, InterruptedException {
        return http.send(HttpRequest.newBuilder(URI.create(link)).build(), HttpResponse.BodyHandlers.ofString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"text", "json"})
    void link_onATerminal_isPrintedAndOpensOneSession(String format, @TempDir Path home) throws Exception {
        assumeTrue(PseudoTerminal.isThere(), "no script here");
        try (PseudoTerminal terminal =
                PseudoTerminal.start(home, 200, 50, Map.of("HOME", home.toString()), up(format))) {
            // Whole, whatever the width of the terminal makes of it.
            await().atMost(Patience.LIMIT)
                    .untilAsserted(() -> assertThat(terminal.raw()).containsPattern(LINK + "[^A-Za-z0-9_-]"));
            Matcher link = LINK.matcher(terminal.raw());
            assertThat(link.find()).isTrue();
            HttpResponse<String> first = open(link.group());
            assertThat(first.headers().allValues("Set-Cookie"))
                    .anySatisfy(
                            cookie -> assertThat(cookie).startsWith("howdah").contains("HttpOnly"));
            HttpResponse<String> again = open(link.group());
            assertThat(again.statusCode()).isIn(401, 403);
            assertThat(again.headers().allValues("Set-Cookie")).isEmpty();
            terminal.type("\u0003");
            terminal.end();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"text", "json"})
    void link_withoutATerminal_isNotPrinted(String format, @TempDir Path home) throws Exception {
        try (HowdahProcess daemon = HowdahProcess.start(home, Map.of(), up(format))) {
            await().atMost(Patience.LIMIT)
                    .until(() -> ADDRESS.matcher(daemon.out()).find());
            daemon.terminate();
            assertThat(daemon.exitCode()).isZero();
            assertThat(daemon.out() + daemon.err()).doesNotContain("login?key=");
            if (format.equals("text")) assertThat(daemon.out()).containsPattern("howdah console(\\n| --data [^ ]+\\n)");
        }
    }
}
