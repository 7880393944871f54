package dev.howdah.benchmarks.faults;

import dev.howdah.internal.sql.SqlFile;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What has happened to a table of tasks. Times are microseconds of the epoch by the server's clock.
 *
 * @param changes of states, in the order in which they were written
 * @param runs of the tasks' texts, by their begin
 * @param rows that are left in the end
 * @param acknowledged ids of tasks whose insertion the server has confirmed
 */
record History(List<Change> changes, List<Run> runs, List<Row> rows, Set<Long> acknowledged) {
    static final SqlFile SQL = SqlFile.of(History.class, "faults.sql");

    /**
     * A task's state has changed.
     *
     * @param before null: the row was inserted, and only then the rest is known
     * @param after null: the row was deleted
     * @param label what kind of task it is
     * @param lane its group, and whether it has a remote
     */
    record Change(
            long at,
            long id,
            @Nullable String before,
            @Nullable String after,
            @Nullable String label,
            @Nullable String lane,
            int max,
            @Nullable Long parent,
            long plan,
            long repeat) {}

    /**
     * One run of a task's text.
     *
     * @param ended null: its work was not committed, or failed
     * @param twin whether the server saw the same task running at its begin
     * @param beside how many of its group the server saw running at its begin
     * @param logged whether its begin was written down before its work, which the work of {@code once} cannot
     */
    record Run(long task, int pid, long began, @Nullable Long ended, boolean twin, int beside, boolean logged) {}

    /** A row of the table of tasks as it stands in the end. */
    record Row(
            long id,
            String state,
            @Nullable String error,
            @Nullable String label,
            @Nullable Long start,
            @Nullable Long stop,
            @Nullable Integer pid) {}

    static History read(Connection connection, Set<Long> acknowledged) throws SQLException {
        return new History(
                list(
                        connection,
                        "changes",
                        row -> new Change(
                                row.getLong("at"),
                                row.getLong("id"),
                                row.getString("before"),
                                row.getString("after"),
                                row.getString("label"),
                                row.getString("lane"),
                                row.getInt("max"),
                                number(row, "parent"),
                                row.getLong("plan"),
                                row.getLong("repeat"))),
                list(
                        connection,
                        "runs",
                        row -> new Run(
                                row.getLong("task"),
                                row.getInt("pid"),
                                row.getLong("began"),
                                number(row, "ended"),
                                row.getBoolean("twin"),
                                row.getInt("beside"),
                                number(row, "n") != null)),
                list(connection, "rows", row -> {
                    Long pid = number(row, "pid");
                    return new Row(
                            row.getLong("id"),
                            row.getString("state"),
                            row.getString("error"),
                            row.getString("label"),
                            number(row, "start"),
                            number(row, "stop"),
                            pid == null ? null : pid.intValue());
                }),
                acknowledged);
    }

    private interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    private static <T> List<T> list(Connection connection, String name, Reader<T> reader) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(SQL.text(name))) {
            List<T> all = new ArrayList<>();
            while (rows.next()) all.add(reader.read(rows));
            return all;
        }
    }

    private static @Nullable Long number(ResultSet row, String column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? null : value;
    }
}
