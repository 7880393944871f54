package dev.howdah.daemon.work;

import dev.howdah.job.FatalException;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The result of the last of the statements that a job has run.
 *
 * @param rows the number of rows that it has changed or found
 * @param type of the first column; null: it has none, or was not asked for
 * @param first the value of the first column in the first row; null: there is none, or it is NULL
 */
record SqlResult(long rows, @Nullable String type, @Nullable String first) {
    /** In bytes: a result is kept with the history of its job. */
    private static final int LONGEST = 1_000_000;

    /** Reads the results of a statement that has been executed; type and first value only if they are wanted. */
    static SqlResult of(PreparedStatement statement, boolean isQuery, boolean keepsValue) throws SQLException {
        SqlResult last = new SqlResult(0, null, null);
        boolean query = isQuery;
        while (true) {
            if (query) {
                try (ResultSet found = statement.getResultSet()) {
                    last = keepsValue ? valued(found) : counted(found);
                }
            } else {
                long changed = statement.getLargeUpdateCount();
                if (changed < 0) return last;
                last = new SqlResult(changed, null, null);
            }
            query = statement.getMoreResults();
        }
    }

    private static SqlResult counted(ResultSet found) throws SQLException {
        long rows = 0;
        while (found.next()) rows++;
        return new SqlResult(rows, null, null);
    }

    private static SqlResult valued(ResultSet found) throws SQLException {
        ResultSetMetaData columns = found.getMetaData();
        if (columns.getColumnCount() == 0) return counted(found);
        String type = columns.getColumnTypeName(1);
        long rows = 0;
        String first = null;
        while (found.next()) if (rows++ == 0) first = found.getString(1);
        return new SqlResult(rows, type, first);
    }

    /**
     * Returns the JSON value that the last statement has returned.
     *
     * @throws FatalException if it returns something else than JSON, or too much of it
     */
    String value() {
        if (!"json".equals(type) && !"jsonb".equals(type))
            throw new FatalException("\"result\": true is for a last statement whose first column is json or jsonb, "
                    + (type == null ? "and this one returns none" : "not " + type));
        if (first == null) return "null";
        int size = first.getBytes(StandardCharsets.UTF_8).length;
        if (size > LONGEST)
            throw new FatalException("a result of " + size + " bytes: a job of kind sql keeps " + LONGEST + " at most");
        return first;
    }
}
