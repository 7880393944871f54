package dev.howdah.daemon;

import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.InstalledServer;
import dev.howdah.fixtures.Patience;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A server of Debian's PostgreSQL 15 with the extensions pg_cron and pgAgent, on a port of its own. */
final class DebianPostgres implements AutoCloseable {
    private static final Path BIN = Path.of("/usr/lib/postgresql/15/bin");
    private static final Path EXTENSIONS = Path.of("/usr/share/postgresql/15/extension");

    private final InstalledServer server;
    private final int port;

    private DebianPostgres(InstalledServer server, int port) {
        this.server = server;
        this.port = port;
    }

    /** Starts it, or skips the test where a package is missing. */
    static DebianPostgres start(Path directory) throws Exception {
        InstalledServer.require(
                "postgresql-15, postgresql-15-cron, pgagent",
                BIN.resolve("postgres"),
                EXTENSIONS.resolve("pg_cron.control"),
                EXTENSIONS.resolve("pgagent.control"));
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
        InstalledServer.prepare(
                directory.resolve("initdb.log"),
                with(
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
                        "UTF8"));
        int port = InstalledServer.freePort();
        InstalledServer server = InstalledServer.start(
                directory.resolve("server.log"),
                user,
                List.of(
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
                        "shared_preload_libraries=pg_cron"));
        DebianPostgres there = new DebianPostgres(server, port);
        await().atMost(Patience.LIMIT).until(() -> {
            server.checkAlive();
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
        server.close();
    }
}
