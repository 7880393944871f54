package dev.howdah.embedded;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** SQL for tests, one connection each. */
final class Databases {
    /** Unpacked once for all tests of this build. */
    static final Path BINARIES = Path.of("target", "postgres-binaries").toAbsolutePath();

    private Databases() {}

    static EmbeddedPostgres.Builder at(Path directory) {
        return EmbeddedPostgres.at(directory).binaries(BINARIES);
    }

    static Connection connect(int port, String password) throws SQLException {
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port + "/postgres", "postgres", password);
    }

    static String value(EmbeddedPostgres server, String sql) throws SQLException {
        return value(server.port(), sql);
    }

    static String value(int port, String sql) throws SQLException {
        try (Connection connection = connect(port, "");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    static void execute(int port, String sql) throws SQLException {
        try (Connection connection = connect(port, "");
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    static boolean alive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false) && !zombie(pid);
    }

    /** A container's first process may be slow to collect what is long dead. */
    private static boolean zombie(long pid) {
        try {
            return Files.readString(Path.of("/proc/" + pid + "/stat")).contains(") Z ");
        } catch (java.io.IOException e) {
            return false;
        }
    }
}
