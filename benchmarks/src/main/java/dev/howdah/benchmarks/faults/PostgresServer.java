package dev.howdah.benchmarks.faults;

import dev.howdah.Database;
import dev.howdah.embedded.EmbeddedPostgres;
import dev.howdah.embedded.EmbeddedPostgresException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The PostgreSQL that is done harm to: durable, with a directory and a port of its own. */
final class PostgresServer implements AutoCloseable {
    private final Path directory;
    private final Map<String, String> settings;
    private EmbeddedPostgres postgres;

    private PostgresServer(Path directory, Map<String, String> settings) {
        this.directory = directory;
        this.settings = settings;
        this.postgres = start(0);
    }

    static PostgresServer start(Path directory, Map<String, String> settings) {
        return new PostgresServer(directory, settings);
    }

    private EmbeddedPostgres start(int port) {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.at(directory)
                .binaries(Path.of(System.getProperty("java.io.tmpdir"), "howdah-faults-postgres"))
                .port(port);
        settings.forEach(builder::setting);
        return builder.start();
    }

    Database database() {
        return Database.of(postgres.uri());
    }

    String uri() {
        return postgres.uri();
    }

    Path log() {
        return directory.resolve("postgres.log");
    }

    boolean isAlive() {
        return ProcessHandle.of(postgres.pid()).isPresent();
    }

    /** Sends its first process a signal and waits until it is gone. */
    void end(String signal) throws IOException, InterruptedException {
        var process = ProcessHandle.of(postgres.pid());
        if (process.isEmpty()) return;
        Signal.send(signal, postgres.pid());
        try {
            process.get().onExit().get(60, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("PostgreSQL did not end after SIG" + signal, e);
        }
    }

    /** Starts it again where it was, after it has ended in whatever way. */
    void restart() {
        int port = postgres.port();
        postgres.close();
        postgres = start(port);
    }

    /** The same while it may not be possible yet; says whether it was. */
    boolean tryToRestart() {
        try {
            restart();
            return true;
        } catch (EmbeddedPostgresException e) {
            return false;
        }
    }

    @Override
    public void close() {
        postgres.close();
    }
}
