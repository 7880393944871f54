package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.Database;
import dev.howdah.fixtures.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The setting allow: read at the start, and again on SIGHUP. */
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
            await().atMost(Duration.ofMinutes(1)).until(() -> run(uri).equals("1"));
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
        try (Connection connection = Database.of(uri).connect();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "INSERT INTO task (input, owner, remote) VALUES ('SELECT 1', 'boss', 'host=127.0.0.1 port="
                            + TestServer.shared().port() + " user=postgres dbname=postgres')");
            return await().atMost(Duration.ofMinutes(1))
                    .until(
                            () -> {
                                try (ResultSet row = statement.executeQuery(
                                        "SELECT COALESCE(error, output) FROM task WHERE stop IS NOT NULL AND id ="
                                                + " (SELECT max(id) FROM task)")) {
                                    return row.next() ? String.valueOf(row.getString(1)) : "";
                                }
                            },
                            text -> !text.isEmpty());
        }
    }

    private static void execute(String uri, String sql) throws SQLException {
        try (Connection connection = Database.of(uri).connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
