package dev.howdah.quarkus.deployment;

import dev.howdah.embedded.EmbeddedPostgres;
import io.quarkus.deployment.builditem.Startable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A PostgreSQL for an application in dev mode or in its tests. */
final class DevPostgres implements Startable {
    private final @Nullable Path kept;
    private @Nullable Path directory;
    private @Nullable EmbeddedPostgres server;

    /** @param kept where its data are from one run to the next; null: they are gone when it ends */
    DevPostgres(@Nullable Path kept) {
        this.kept = kept;
    }

    @Override
    public synchronized void start() {
        try {
            directory = kept == null ? Files.createTempDirectory("howdah-dev-") : kept;
            // One place for all applications of a user, so that PostgreSQL is unpacked once.
            Path binaries = Path.of(
                    System.getProperty("java.io.tmpdir"), "howdah-dev-postgres-" + System.getProperty("user.name"));
            server = EmbeddedPostgres.at(directory)
                    .binaries(binaries)
                    .durable(kept != null)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public synchronized String getConnectionInfo() {
        return "jdbc:postgresql://127.0.0.1:"
                + Objects.requireNonNull(server, "not started").port() + "/postgres";
    }

    @Override
    public @Nullable String getContainerId() {
        return null;
    }

    @Override
    public synchronized void close() throws IOException {
        if (server != null) server.close();
        server = null;
        if (kept != null || directory == null) return;
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) Files.deleteIfExists(each);
        }
        directory = null;
    }
}
