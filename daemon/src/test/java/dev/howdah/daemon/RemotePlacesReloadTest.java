package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.Database;
import dev.howdah.fixtures.HttpPlace;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The setting allow, and the file of reach: read at the start, and again on SIGHUP. */
@Tag("long")
class RemotePlacesReloadTest {
    @TempDir
    Path home;

    @Test
    void allow_inTheFile_isReadAgain() throws Exception {
        assumeThat(ignoresHangUp())
                .as("nohup is around this build, and the programs that it starts ignore SIGHUP")
                .isFalse();
        Path file = home.resolve("settings");
        Files.writeString(file, "allow = postgresql://db.invalid\n");
        String place = "postgresql://127.0.0.1:" + TestServer.shared().port();
        try (HowdahProcess up = HowdahProcess.start(
                home,
                Map.of(),
                "up",
                "--data",
                home.resolve("d").toString(),
                "--config",
                file.toString(),
                "--pg-port",
                "0",
                "--json")) {
            String uri = String.valueOf(up.ready().get("postgres"));
            execute(uri, "CREATE ROLE boss SUPERUSER");
            assertThat(run(uri)).startsWith("ERROR:  remote is not allowed\n");
            Files.writeString(file, "allow = " + place + "/postgres=boss " + place + "/x\n");
            up.hangUp();
            up.says("tasks may connect to: " + place + "/postgres=boss " + place + "/x");
            await().atMost(Patience.LIMIT).until(() -> run(uri).equals("1"));
            Files.writeString(file, "allow = postgresql://app:secret@127.0.0.1\n");
            up.hangUp();
            up.says("the settings are wrong, those from before stay: ");
            assertThat(up.err())
                    .contains("has a place that cannot be understood")
                    .doesNotContain("secret");
            assertThat(run(uri)).isEqualTo("1");
            up.terminate();
            assertThat(up.exitCode()).isZero();
        }
    }

    @Test
    void reach_ofTheFile_isReadAgain_withTheSecretsThatItNames() throws Exception {
        assumeThat(ignoresHangUp())
                .as("nohup is around this build, and the programs that it starts ignore SIGHUP")
                .isFalse();
        Path settings = home.resolve("settings");
        Path token = secret("token", "s3cr3t-one");
        Path reach = home.resolve("reach.json");
        try (HttpPlace api = new HttpPlace((exchange, request) -> exchange.sendResponseHeaders(204, -1))) {
            Files.writeString(settings, "allow = " + api.address() + "=boss\nreach = " + reach + "\n");
            Files.writeString(reach, credential(api.address() + "/v1/*=boss"));
            try (HowdahProcess up = HowdahProcess.start(
                    home,
                    Map.of(),
                    "up",
                    "--data",
                    home.resolve("d").toString(),
                    "--config",
                    settings.toString(),
                    "--pg-port",
                    "0",
                    "--json")) {
                String uri = String.valueOf(up.ready().get("postgres"));
                execute(uri, "CREATE ROLE boss SUPERUSER");
                String there = api.address() + "/v1/x#as=shop";
                assertThat(run(uri, there)).isEmpty();
                assertThat(authorization(api)).isEqualTo("Bearer s3cr3t-one");
                assertThat(run(uri, api.address() + "/v2#as=shop")).contains("there is no credential \"shop\"");
                Files.writeString(token, "s3cr3t-two");
                up.hangUp();
                await().atMost(Patience.LIMIT)
                        .until(() ->
                                run(uri, there).isEmpty() && authorization(api).equals("Bearer s3cr3t-two"));
                Files.writeString(
                        reach, "{\"credentials\": {\"shop\": {\"kind\": \"bearer\", \"secret\": \"s3cr3t-three\"}}}");
                up.hangUp();
                up.says("the settings are wrong, those from before stay: ");
                assertThat(run(uri, there)).isEmpty();
                Files.writeString(reach, "{}");
                up.hangUp();
                await().atMost(Patience.LIMIT).until(() -> run(uri, there).contains("there is no credential \"shop\""));
                assertThat(up.err()).doesNotContain("s3cr3t");
            }
        }
    }

    private static String credential(String place) {
        return "{\"credentials\": {\"shop\": {\"kind\": \"bearer\", \"file\": \"token\", \"for\": \"" + place + "\"}}}";
    }

    private Path secret(String name, String text) throws IOException {
        Path file = Files.writeString(home.resolve(name), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    private static String authorization(HttpPlace api) {
        return api.seen().stream()
                .map(each -> String.valueOf(each.headers().getFirst("Authorization")))
                .reduce("", (before, last) -> last);
    }

    /** A program inherits that a signal is ignored, and Java then leaves it so. */
    private static boolean ignoresHangUp() throws IOException {
        Path status = Path.of("/proc/self/status");
        return Files.exists(status)
                && Files.readAllLines(status).stream()
                        .filter(line -> line.startsWith("SigIgn:"))
                        .anyMatch(
                                line -> Long.parseUnsignedLong(line.substring(7).strip(), 16) % 2 != 0);
    }

    private static String run(String uri) throws SQLException {
        return run(uri, "host=127.0.0.1 port=" + TestServer.shared().port() + " user=postgres dbname=postgres");
    }

    /** The error or the output of a task of the role boss; empty where it has none. */
    private static String run(String uri, String remote) throws SQLException {
        try (Connection connection = Database.of(uri).connect();
                Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO task (input, owner, remote, \"delete\") VALUES ('SELECT 1', 'boss', '"
                    + remote + "', false)");
            return await().atMost(Patience.LIMIT)
                    .until(
                            () -> {
                                try (ResultSet row = statement.executeQuery(
                                        "SELECT COALESCE(error, output, '') FROM task WHERE stop IS NOT NULL AND id ="
                                                + " (SELECT max(id) FROM task)")) {
                                    return row.next() ? Optional.of(row.getString(1)) : Optional.<String>empty();
                                }
                            },
                            Optional::isPresent)
                    .orElseThrow();
        }
    }

    private static void execute(String uri, String sql) throws SQLException {
        try (Connection connection = Database.of(uri).connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
