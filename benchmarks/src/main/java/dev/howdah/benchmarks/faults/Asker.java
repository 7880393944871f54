package dev.howdah.benchmarks.faults;

import dev.howdah.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A connection of the suite's own, opened again when the server has dropped it. For one thread. */
final class Asker implements AutoCloseable {
    private final Database database;
    private @Nullable Connection connection;

    Asker(Database database) {
        this.database = database;
    }

    Connection connection() throws SQLException {
        Connection now = connection;
        if (now == null || now.isClosed()) {
            now = database.connect();
            connection = now;
        }
        return now;
    }

    void execute(String sql) throws SQLException {
        try (Statement statement = connection().createStatement()) {
            statement.execute(sql);
        }
    }

    /** The rows of a named statement, each a list of its values as text. */
    List<List<@Nullable String>> rows(String name, Object... parameters) throws SQLException {
        try (PreparedStatement statement = History.SQL.statement(name).prepare(connection(), parameters);
                ResultSet rows = statement.executeQuery()) {
            List<List<@Nullable String>> all = new ArrayList<>();
            while (rows.next()) {
                List<@Nullable String> row = new ArrayList<>();
                for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) row.add(rows.getString(i));
                all.add(row);
            }
            return all;
        }
    }

    String value(String name, Object... parameters) throws SQLException {
        return String.valueOf(rows(name, parameters).get(0).get(0));
    }

    boolean is(String name, Object... parameters) throws SQLException {
        return value(name, parameters).equals("t");
    }

    @Override
    public void close() {
        try {
            if (connection != null) connection.close();
        } catch (SQLException e) {
            connection = null; // the server has dropped it
        }
    }
}
