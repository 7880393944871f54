package dev.howdah.task.internal.leader;

import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.task.internal.store.TaskSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Has a session plan its statements anew when its tables have grown. A plan for a few rows reads all of them, and
 * the server keeps it until the table is analyzed; one for many rows finds its rows by an index, however few or many there are, and
 * whatever the statistics say. For the thread that has the session's turn, but for {@link #watch}.
 */
final class PlanRenewal {
    private static final Sql SIZE =
            TaskSql.SCHEDULER.statement("session_prepare_step").then(TaskSql.SCHEDULER.statement("task_size"));

    private static final long PAUSE_NANOS = 100_000_000;
    private static final long PAUSE_OF_LOCKED_NANOS = 1_000_000_000;
    private static final long SMALL_BYTES = 1 << 17;

    private final Connection connection;
    private final Set<String> tables = ConcurrentHashMap.newKeySet();
    private long next = System.nanoTime();
    private long planned;
    private String files = "";

    PlanRenewal(Connection connection) {
        this.connection = connection;
    }

    /** @param table quoted */
    void watch(String table) {
        tables.add(table);
    }

    /** Asks the server for the sizes, unless it has just been asked; not within a transaction. */
    void renew() throws SQLException {
        long now = System.nanoTime();
        if (now - next < 0 || tables.isEmpty()) return;
        next = now + PAUSE_NANOS;
        try (PreparedStatement sizes = SIZE.prepare(connection, (Object) tables.toArray(new String[0]))) {
            sizes.execute();
            sizes.getMoreResults();
            try (ResultSet row = sizes.getResultSet()) {
                row.next();
                renew(row.getLong("bytes"), row.getString("files"));
            }
        } catch (SQLException e) {
            if (!SqlErrors.isLockNotAvailable(e)) throw e;
            next = now + PAUSE_OF_LOCKED_NANOS;
        }
    }

    private void renew(long bytes, String found) throws SQLException {
        boolean grown = bytes > 2 * planned + SMALL_BYTES;
        // A table that was emptied meanwhile may have been planned for while it was empty.
        if (grown || !found.equals(files)) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("DISCARD PLANS");
            }
        }
        if (grown || bytes < planned) planned = bytes;
        files = found;
    }
}
