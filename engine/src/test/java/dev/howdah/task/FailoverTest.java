package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.Database;
import dev.howdah.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The primary dies and its standby is promoted: the scheduler, which knows both addresses, goes on there, with what was
 * acknowledged (replication is synchronous), within 15 seconds.
 */
class FailoverTest {
    private static final int TASKS = 300;
    private static final Path PROGRAMS =
            Path.of(System.getProperty("java.io.tmpdir"), "howdah-test-postgres-" + System.getProperty("user.name"));

    @TempDir
    private Path directory;

    @Test
    void primaryKilled_standbyPromoted_workGoesOnThere() throws Exception {
        try (EmbeddedPostgres primary = server("primary")
                .setting("wal_keep_size", "128MB")
                .setting("synchronous_standby_names", "standby")
                // Until the standby is there nobody waits for it.
                .setting("synchronous_commit", "local")
                .start()) {
            copy(primary);
            try (EmbeddedPostgres standby = server("standby")
                    .setting(
                            "primary_conninfo",
                            "host=127.0.0.1 port=" + primary.port() + " user=postgres application_name=standby")
                    .setting("synchronous_standby_names", "")
                    .start()) {
                failOver(primary, standby);
            }
        }
    }

    private EmbeddedPostgres.Builder server(String name) {
        return EmbeddedPostgres.at(directory.resolve(name)).binaries(PROGRAMS);
    }

    /** A base backup, made a standby. */
    private void copy(EmbeddedPostgres primary) throws SQLException, IOException {
        Path data = directory.resolve("standby/data");
        try (Connection connection = Database.of(primary.uri()).connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_backup_start('copy', true)");
            copy(directory.resolve("primary/data"), data);
            try (ResultSet label = statement.executeQuery("SELECT labelfile FROM pg_backup_stop(false)")) {
                label.next();
                Files.writeString(data.resolve("backup_label"), label.getString(1));
            }
        }
        Files.createFile(data.resolve("standby.signal"));
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to.getParent());
        Path log = from.resolve("pg_wal"); // it comes by streaming
        try (Stream<Path> paths = Files.walk(from)) {
            paths.filter(path -> !path.endsWith("postmaster.pid"))
                    .filter(path -> !(path.startsWith(log) && Files.isRegularFile(path)))
                    .forEach(path -> copyOne(path, to.resolve(from.relativize(path))));
        }
    }

    private static void copyOne(Path from, Path to) {
        try {
            Files.copy(from, to, StandardCopyOption.COPY_ATTRIBUTES);
        } catch (NoSuchFileException e) {
            // The server removes files while it is copied; what is needed of them is in its log.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void failOver(EmbeddedPostgres primary, EmbeddedPostgres standby) throws Exception {
        Database before = Database.of(primary.uri());
        Database after = Database.of(standby.uri());
        await("replication")
                .atMost(Duration.ofSeconds(30))
                .until(() -> values(
                                before, "SELECT application_name FROM pg_stat_replication WHERE sync_state = 'sync'")
                        .contains("standby"));
        execute(before, "ALTER ROLE postgres SET synchronous_commit = 'on'");
        String both =
                "postgresql://postgres@127.0.0.1:" + primary.port() + ",127.0.0.1:" + standby.port() + "/postgres";
        try (TaskScheduler scheduler =
                TaskScheduler.on(Database.of(both)).sessions(8).start()) {
            assertThat(scheduler.awaitServed(Duration.ofSeconds(30))).isTrue();
            execute(
                    before,
                    "INSERT INTO task (input, \"group\", max) SELECT 'SELECT pg_sleep(0.02), ' || n, 'g' || n % 4, 1"
                            + " FROM generate_series(1, " + TASKS + ") n");
            await("some done")
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> ended(before).size() >= 50);
            List<String> acknowledged = ended(before);
            assertThat(acknowledged).hasSizeLessThan(TASKS);
            ProcessHandle.of(primary.pid()).orElseThrow().destroyForcibly();
            execute(after, "SELECT pg_promote()");
            long promoted = System.nanoTime();
            int done = ended(after).size();
            await("work goes on")
                    .atMost(Duration.ofSeconds(15))
                    .until(() -> ended(after).size() > done);
            System.out.printf("work goes on %d ms after the promotion%n", (System.nanoTime() - promoted) / 1_000_000);
            await("all done")
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> ended(after).size() == TASKS);
            // With their ends as they were: none of them ran again.
            assertThat(ended(after)).containsAll(acknowledged);
        }
    }

    private static List<String> ended(Database database) throws SQLException {
        return values(database, "SELECT id || ' ' || stop || ' ' || output FROM task WHERE state = 'DONE'");
    }

    private static List<String> values(Database database, String query) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            List<String> values = new ArrayList<>();
            while (rows.next()) values.add(rows.getString(1));
            return values;
        }
    }

    private static void execute(Database database, String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
