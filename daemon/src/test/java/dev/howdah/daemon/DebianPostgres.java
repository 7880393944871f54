package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.howdah.internal.run.Threads;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A server of Debian's PostgreSQL 15 with the extensions pg_cron and pgAgent, on a port of its own. */
final class DebianPostgres implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(DebianPostgres.class);
    private static final Path BIN = Path.of("/usr/lib/postgresql/15/bin");
    private static final Path EXTENSIONS = Path.of("/usr/share/postgresql/15/extension");

    private final Process server;
    private final int port;

    private DebianPostgres(Process server, int port) {
        this.server = server;
        this.port = port;
    }

    /** Starts it, or skips the test where a package is missing. */
    static DebianPostgres start(Path directory) throws Exception {
        for (Path each : List.of(
                BIN.resolve("postgres"), EXTENSIONS.resolve("pg_cron.control"), EXTENSIONS.resolve("pgagent.control")))
            if (!Files.exists(each)) {
                log.warn("NOT TESTED: there is no {} (Debian: postgresql-15, postgresql-15-cron, pgagent)", each);
                abort("there is no " + each);
            }
        boolean root = System.getProperty("user.name").equals("root");
        List<String> user =
                root ? List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups") : List.of();
        Path home = Files.createDirectory(directory.resolve("server"));
        if (root) {
            Files.setPosixFilePermissions(
                    directory, java.nio.file.attribute.PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.setOwner(
                    home, home.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("postgres"));
        }
        Path data = home.resolve("data");
        Process made = new ProcessBuilder(with(
                        user,
                        BIN.resolve("initdb").toString(),
                        "-D",
                        data.toString(),
                        "-U",
                        "postgres",
                        "-A",
                        "trust",
                        "-N",
                        "--locale=C",
                        "-E",
                        "UTF8"))
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("initdb.log").toFile())
                .start();
        assertThat(made.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(made.exitValue())
                .as(Files.readString(directory.resolve("initdb.log")))
                .isZero();
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        List<String> command = with(
                List.of("setpriv", "--pdeathsig=KILL"),
                with(
                                user.isEmpty() ? List.of() : user.subList(1, user.size()),
                                BIN.resolve("postgres").toString(),
                                "-D",
                                data.toString(),
                                "-p",
                                Integer.toString(port),
                                "-k",
                                home.toString(),
                                "-h",
                                "127.0.0.1",
                                "-F",
                                "-c",
                                "timezone=UTC",
                                "-c",
                                "shared_preload_libraries=pg_cron")
                        .toArray(String[]::new));
        CompletableFuture<Process> started = new CompletableFuture<>();
        // It ends with the thread that has begun it, hence also when this JVM is killed.
        Threads.daemon("debian-postgres", () -> {
                    try {
                        Process process = new ProcessBuilder(command)
                                .redirectErrorStream(true)
                                .redirectOutput(directory.resolve("server.log").toFile())
                                .start();
                        started.complete(process);
                        process.waitFor();
                    } catch (IOException | InterruptedException e) {
                        started.completeExceptionally(e);
                    }
                })
                .start();
        DebianPostgres there = new DebianPostgres(started.get(1, TimeUnit.MINUTES), port);
        await().atMost(Duration.ofMinutes(1)).until(() -> {
            if (!there.server.isAlive())
                throw new IllegalStateException(Files.readString(directory.resolve("server.log")));
            try {
                return "1".equals(there.value("SELECT 1"));
            } catch (SQLException e) {
                return false;
            }
        });
        return there;
    }

    private static List<String> with(List<String> first, String... more) {
        List<String> all = new ArrayList<>(first);
        all.addAll(List.of(more));
        return all;
    }

    String uri() {
        return "postgresql://postgres@127.0.0.1:" + port + "/postgres";
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Nullable
    String value(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(1) : null;
        }
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres");
    }

    @Override
    public void close() throws InterruptedException {
        server.destroyForcibly();
        server.waitFor();
    }
}
