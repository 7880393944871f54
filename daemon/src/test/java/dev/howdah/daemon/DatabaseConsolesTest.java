package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.Database;
import dev.howdah.daemon.database.SessionSource;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.operations.store.TokenStore;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Consoles of more databases beside that of the daemon. */
@PostgresTest
@Tag("long")
class DatabaseConsolesTest {
    private static final Pattern OWN = Pattern.compile("\"console\":\"(http://127\\.0\\.0\\.1:\\d+)");
    private static final Pattern OTHER = Pattern.compile("the console of staging is at (http://127\\.0\\.0\\.1:\\d+)");

    private final HttpClient http = HttpClient.newHttpClient();
    private final TestDatabase database;

    DatabaseConsolesTest(TestDatabase database) {
        this.database = database;
    }

    private static Path file(Path home, String text) throws Exception {
        Path file = Files.createFile(
                home.resolve("databases.properties"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.writeString(file, text);
    }

    private static String token(TestDatabase of, String role) {
        return new TokenStore(new SessionSource(Database.of(of.uri())), "howdah").add(role, role, null, null);
    }

    private HttpResponse<String> get(String address, String token) throws Exception {
        return http.send(
                HttpRequest.newBuilder(URI.create(address))
                        .header("Authorization", "Bearer " + token)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static String found(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? matcher.group(1) : "";
    }

    private HowdahProcess start(Path home, TestDatabase staging, String... more) throws Exception {
        Path file = file(home, "staging = " + staging.uri() + "\n");
        List<String> words = new ArrayList<>(List.of(
                "up",
                "--url",
                database.uri(),
                "--port",
                "0",
                "--console-login",
                "token",
                "--console-databases",
                file.toString()));
        words.addAll(List.of(more));
        return HowdahProcess.start(home, Map.of(), words.toArray(String[]::new));
    }

    @Test
    void database_ofTheFile_hasAConsoleWithTokensOfItsOwn_andEachLeadsToTheOther(@TempDir Path home) throws Exception {
        try (TestDatabase staging = TestDatabase.create();
                HowdahProcess daemon = start(home, staging, "--json")) {
            await().atMost(Patience.LIMIT)
                    .until(() -> OWN.matcher(daemon.out()).find()
                            && OTHER.matcher(daemon.out() + daemon.err()).find());
            String own = found(OWN, daemon.out());
            String other = found(OTHER, daemon.out() + daemon.err());
            String viewer = token(staging, "viewer");
            String operator = token(database, "operator");
            assertThat(get(other + "/tokens", viewer).statusCode()).isEqualTo(403);
            assertThat(get(other + "/jobs/queues", operator).statusCode())
                    .as("a token of the other database")
                    .isEqualTo(401);
            assertThat(get(own + "/jobs/queues", viewer).statusCode()).isEqualTo(401);
            HttpResponse<String> page = get(other + "/jobs/queues", viewer);
            assertThat(page.statusCode()).isEqualTo(200);
            assertThat(page.body())
                    .contains("<span class=\"label\">staging</span>", "href=\"" + own + "/jobs/queues\">")
                    .contains(staging.name());
            assertThat(get(own + "/jobs/queues", operator).body())
                    .contains("href=\"" + other + "/jobs/queues\">staging</a>");
            daemon.terminate();
            assertThat(daemon.exitCode()).isZero();
        }
    }

    @Test
    void console_behindAProxyOfThisMachine_isLinkedByItsHost(@TempDir Path home) throws Exception {
        try (TestDatabase staging = TestDatabase.create();
                HowdahProcess daemon =
                        start(home, staging, "--console-host", "ops.example.com", "--trusted-proxy", "127.0.0.1")) {
            await().atMost(Patience.LIMIT)
                    .until(() -> OTHER.matcher(daemon.out() + daemon.err()).find());
            String other = found(OTHER, daemon.out() + daemon.err());
            HttpResponse<String> page = http.send(
                    HttpRequest.newBuilder(URI.create(other + "/jobs/queues"))
                            .header("Authorization", "Bearer " + token(staging, "viewer"))
                            .header("X-Forwarded-For", "127.0.0.1")
                            .header("X-Forwarded-Proto", "https")
                            .header("X-Forwarded-Host", "ops.example.com")
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(page.body()).contains("href=\"https://ops.example.com/jobs/queues\">");
            daemon.terminate();
            assertThat(daemon.exitCode()).isZero();
        }
    }

    @Test
    void file_withAWrongLine_isRefusedWithASentence(@TempDir Path home) throws Exception {
        Path file = file(home, "");
        for (String[] wrong : new String[][] {
            {"address = //ops.example/shop", "shop.address is no address of a page: //ops.example/shop"},
            {"address = ftp://ops.example/shop", "shop.address is no address of a page"},
            {"port = abc", "shop.port is a number from 1 to 65535, not abc"},
            {"port = 70000", "shop.port is a number from 1 to 65535, not 70000"},
            {"oidc = " + home.resolve("none"), "shop.oidc"}
        }) {
            Files.writeString(file, "shop = " + database.uri() + "\nshop." + wrong[0] + "\n");
            try (HowdahProcess daemon = HowdahProcess.start(
                    home, Map.of(), "up", "--url", database.uri(), "--console-databases", file.toString())) {
                assertThat(daemon.exitCode()).as(wrong[0]).isEqualTo(2);
                assertThat(daemon.err()).contains("--console-databases", wrong[1]);
            }
        }
    }

    @Test
    void file_thatOthersCanRead_orWithAnUnknownLine_isRefused(@TempDir Path home) throws Exception {
        Path file = file(home, "staging = " + database.uri() + "\nstaging.adress = https://howdah.example/\n");
        String[] up = {"up", "--url", database.uri(), "--console-databases", file.toString()};
        try (HowdahProcess daemon = HowdahProcess.start(home, Map.of(), up)) {
            assertThat(daemon.exitCode()).isEqualTo(2);
            assertThat(daemon.err()).contains("--console-databases", "unknown: staging.adress");
        }
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        try (HowdahProcess daemon = HowdahProcess.start(home, Map.of(), up)) {
            assertThat(daemon.exitCode()).isEqualTo(2);
            assertThat(daemon.err()).contains("can be read or written by other users");
        }
    }
}
