package dev.howdah.task;

import dev.howdah.internal.sql.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Adds a task in a transaction that is rolled back, and has its SQL prepared there. Only one statement without a semicolon in it is
 * prepared, so that nothing behind one is ever run.
 */
final class TaskTrial {
    /** Commands that cannot be prepared. Any other word is: PostgreSQL says where it is none. */
    private static final Set<String> UTILITIES = Set.of(
            ("abort alter analyse analyze begin call checkpoint close cluster comment commit copy create deallocate declare discard "
                            + "do drop end execute explain fetch grant import listen load lock move notify prepare reassign refresh "
                            + "reindex release repack reset revoke rollback savepoint security set show start truncate unlisten vacuum wait")
                    .split(" ", -1));

    private static final Pattern FIRST_WORD = Pattern.compile(
            "\\A(?:\\s|--[^\\n]*(?:\\n|\\z)|/\\*.*?\\*/|\\()*([a-z]+)", Pattern.DOTALL | Pattern.CASE_INSENSITIVE);
    private static final Pattern LAST_SEMICOLON = Pattern.compile(";\\s*\\z");
    private static final String PREPARE = "PREPARE howdah_check AS ";

    private TaskTrial() {}

    /** @param add with the columns of the task */
    static TaskCheck of(Connection connection, Sql add, NewTask task) throws SQLException {
        connection.setAutoCommit(false);
        try {
            try (PreparedStatement insert = add.prepare(connection, task.names(), task.values())) {
                insert.execute();
            }
            String sql = LAST_SEMICOLON.matcher(task.sql()).replaceFirst("");
            String unchecked = unchecked(sql, task.has("remote"));
            return unchecked == null ? prepared(connection, sql) : new TaskCheck(null, 0, unchecked);
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    private static @Nullable String unchecked(String sql, boolean remote) {
        if (remote) return "it runs on another server";
        if (sql.indexOf(';') >= 0) return "it has more than one statement, or a semicolon in it";
        Matcher word = FIRST_WORD.matcher(sql);
        if (!word.find()) return "it has no statement";
        String first = word.group(1).toLowerCase(Locale.ROOT);
        return UTILITIES.contains(first)
                ? "PostgreSQL looks at " + first.toUpperCase(Locale.ROOT) + " only when it runs"
                : null;
    }

    private static TaskCheck prepared(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.execute(PREPARE + sql);
            statement.execute("DEALLOCATE howdah_check");
            return new TaskCheck(null, 0, null);
        } catch (PSQLException e) {
            ServerErrorMessage said = e.getServerErrorMessage();
            if (said == null) throw e;
            int position = Math.max(0, said.getPosition() - PREPARE.length());
            return new TaskCheck(String.valueOf(said.getMessage()), position, null);
        }
    }
}
