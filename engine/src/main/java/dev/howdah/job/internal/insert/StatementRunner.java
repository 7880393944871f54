package dev.howdah.job.internal.insert;

import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.store.JobSession;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs a statement: on a connection of the caller's, or in a session of ours, where it stays prepared. */
interface StatementRunner {
    /** Reads that result, of several; the first is 0. */
    <T> T run(Reader<T> reader, int result, Sql sql, @Nullable Object... values) throws SQLException;

    /** The numbers in the first column of all rows. */
    default List<Long> run(Sql sql, @Nullable Object... values) throws SQLException {
        return run(StatementRunner::numbers, 0, sql, values);
    }

    /** Reads what a statement returns. */
    interface Reader<T> {
        T read(ResultSet rows) throws SQLException;
    }

    static StatementRunner on(Connection connection) {
        return new StatementRunner() {
            @Override
            public <T> T run(Reader<T> reader, int result, Sql sql, @Nullable Object... values) throws SQLException {
                try (PreparedStatement statement = sql.prepare(connection, values)) {
                    return read(reader, result, statement);
                }
            }
        };
    }

    static StatementRunner on(JobSession session) {
        return new StatementRunner() {
            @Override
            public <T> T run(Reader<T> reader, int result, Sql sql, @Nullable Object... values) throws SQLException {
                PreparedStatement statement = session.prepare(sql);
                sql.bind(statement, values);
                return read(reader, result, statement);
            }
        };
    }

    private static <T> T read(Reader<T> reader, int result, PreparedStatement statement) throws SQLException {
        statement.execute();
        for (int i = 0; i < result; i++) statement.getMoreResults();
        try (ResultSet rows = statement.getResultSet()) {
            return reader.read(rows);
        }
    }

    private static List<Long> numbers(ResultSet row) throws SQLException {
        List<Long> numbers = new ArrayList<>();
        while (row.next()) numbers.add(row.getLong(1));
        return numbers;
    }

    /** Reads the numbers of an array, as PostgreSQL writes it, into that list. */
    static void numbers(String array, List<Long> numbers) {
        if (array.equals("{}")) return;
        long number = 0;
        for (int i = 1; i < array.length(); i++) {
            char c = array.charAt(i);
            if (c >= '0' && c <= '9') {
                number = number * 10 + (c - '0');
            } else {
                numbers.add(number);
                number = 0;
            }
        }
    }
}
