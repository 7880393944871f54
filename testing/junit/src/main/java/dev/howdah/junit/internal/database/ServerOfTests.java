package dev.howdah.junit.internal.database;

import dev.howdah.Database;
import dev.howdah.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The server of all tests of a JVM: one that was started for them, or the user's. Safe for use by many threads. */
public final class ServerOfTests implements AutoCloseable {
    private final Database address;
    private final @Nullable EmbeddedPostgres started;
    private final @Nullable Path directory;

    private ServerOfTests(Database address, @Nullable EmbeddedPostgres started, @Nullable Path directory) {
        this.address = address;
        this.started = started;
        this.directory = directory;
    }

    /** @param url of the user's; null: one is started */
    public static ServerOfTests start(@Nullable String url) {
        if (url != null && !url.isBlank()) return new ServerOfTests(Database.of(url), null, null);
        try {
            Path directory = Files.createTempDirectory("howdah-junit-");
            // One place for all JVMs of a user, so that PostgreSQL is unpacked once.
            Path binaries = Path.of(
                    System.getProperty("java.io.tmpdir"), "howdah-junit-postgres-" + System.getProperty("user.name"));
            EmbeddedPostgres postgres = EmbeddedPostgres.at(directory)
                    .binaries(binaries)
                    .durable(false)
                    .start();
            return new ServerOfTests(Database.of(postgres.uri()), postgres, directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A name that no other database has. */
    String newName() {
        return "howdah_test_" + UUID.randomUUID().toString().replace("-", "");
    }

    Database address(String database) {
        return address.withDatabase(database);
    }

    void run(String sql) {
        try (Connection connection = address.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(
                    "no database could be made or dropped for a test, at " + address.describe() + ": " + e.getMessage()
                            + " (howdah.test.url names the server; its role needs CREATEDB)",
                    e);
        }
    }

    /** Ends the server, unless it is the user's. */
    @Override
    public void close() throws IOException {
        if (started == null || directory == null) return;
        started.close();
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) Files.deleteIfExists(path);
        }
    }
}
