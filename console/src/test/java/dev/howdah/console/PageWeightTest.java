package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a browser loads for a page: little, and nothing from elsewhere. */
class PageWeightTest extends ApiTestBase {
    private static final Pattern LOADED = Pattern.compile("(?:src|<link[^>]* href)=\"([^\"]+)\"");
    private static final Pattern IMPORTED = Pattern.compile("url\\((?!data:)|@import|https?://(?!www\\.w3\\.org/)");

    PageWeightTest(TestDatabase database) {
        super(database);
    }

    @Override
    void install() throws SQLException {
        ConsoleFixtures.tasksAndJobs(database);
        database.execute("INSERT INTO task (input, plan) SELECT 'SELECT ' || n, now() + interval '1 h'"
                + " FROM generate_series(1, 100) n;"
                + " SELECT howdah.add('queue ' || n % 10, 'kind', to_json(n)) FROM generate_series(1, 100) n");
    }

    @Override
    ConsoleBuilder console() {
        return ConsoleFixtures.console(database);
    }

    private static int zipped(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(bytes)) {
            zip.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.size();
    }

    private Set<String> loaded(String html) {
        Set<String> paths = new LinkedHashSet<>();
        Matcher each = LOADED.matcher(html);
        while (each.find()) paths.add(each.group(1));
        return paths;
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/tasks", "/tasks/1", "/jobs", "/jobs/queues", "/database"})
    void page_withAllThatItLoads_isSmall(String path) throws IOException {
        ConsoleClient client = new ConsoleClient(console.address());
        String html = client.get(path).body();
        int raw = html.length();
        int wire = zipped(html);
        assertThat(loaded(html)).hasSizeBetween(2, 4).allMatch(each -> each.startsWith("/static/"));
        for (String each : loaded(html)) {
            String text = client.get(each).body();
            assertThat(text).doesNotContainPattern(IMPORTED);
            raw += text.length();
            wire += zipped(text);
        }
        assertThat(raw).as("bytes of %s", path).isLessThan(250_000);
        assertThat(wire).as("bytes of %s, compressed", path).isLessThan(90_000);
    }

    @Test
    void script_keepsNothingButWhatTheReaderChose() {
        ConsoleClient client = new ConsoleClient(console.address());
        String page = client.get("/").body();
        for (String each : loaded(page))
            if (each.endsWith(".js"))
                assertThat(client.get(each).body())
                        .doesNotContain("eval(", "new Function", "sessionStorage", "document.cookie", "indexedDB");
    }
}
