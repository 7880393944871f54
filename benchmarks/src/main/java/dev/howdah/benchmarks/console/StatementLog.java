package dev.howdah.benchmarks.console;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Counts the statements of a server by the program that sent them: PostgreSQL logs all of them meanwhile. */
final class StatementLog implements AutoCloseable {
    private static final Pattern LINE =
            Pattern.compile("^~([^|\n]*)\\|[^\n]*?LOG:  (?:statement|execute [^:\n]*):", Pattern.MULTILINE);

    private final Connection connection;
    private final Path log;
    private final long from;

    private StatementLog(Connection connection, Path log, long from) {
        this.connection = connection;
        this.log = log;
        this.from = from;
    }

    static StatementLog begin(Connection connection, Path log) throws SQLException, IOException, InterruptedException {
        set(connection, "ALTER SYSTEM SET log_line_prefix = '~%a|'");
        set(connection, "ALTER SYSTEM SET log_statement = 'all'");
        set(connection, "SELECT pg_reload_conf()");
        // Sessions read their configuration between two statements.
        Thread.sleep(1_000);
        return new StatementLog(connection, log, Files.size(log));
    }

    private static void set(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** How many there were up to now, by program. */
    Map<String, Long> counts() throws IOException {
        byte[] bytes;
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            bytes = new byte[(int) (file.length() - from)];
            file.seek(from);
            file.readFully(bytes);
        }
        Map<String, Long> counts = new TreeMap<>();
        Matcher matcher = LINE.matcher(new String(bytes, StandardCharsets.UTF_8));
        while (matcher.find()) counts.merge(matcher.group(1), 1L, Long::sum);
        return counts;
    }

    @Override
    public void close() throws SQLException {
        set(connection, "ALTER SYSTEM RESET log_line_prefix");
        set(connection, "ALTER SYSTEM RESET log_statement");
        set(connection, "SELECT pg_reload_conf()");
    }
}
