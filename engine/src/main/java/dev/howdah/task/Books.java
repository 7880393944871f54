package dev.howdah.task;

import dev.howdah.Database;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * The session that keeps the books of one table: it holds the scheduler's lock, and nothing about tasks is written
 * anywhere else. When it ends, for whatever reason, the server frees the lock that instant, and what could have been
 * written late can no longer be written at all. Used by the scheduler's thread, but for {@link #abort}.
 */
final class Books implements AutoCloseable {
    /** Makes something of a row. */
    interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** Takes notice of a row. */
    interface Visitor {
        void visit(ResultSet row) throws SQLException;
    }

    private final Connection connection;
    private final SqlFile sql;
    private final Map<String, Sql> statements = new HashMap<>();

    private Books(Connection connection, SqlFile sql) {
        this.connection = connection;
        this.sql = sql;
    }

    static Books open(Database database, TableName table) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("ApplicationName", "howdah " + table.schema() + " " + table.table());
        properties.setProperty("prepareThreshold", "3");
        Connection connection = database.connect(properties);
        try {
            Books books = new Books(connection, table.sql("scheduler.sql"));
            books.run("prepare_session");
            return books;
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    Connection connection() {
        return connection;
    }

    <T> List<T> query(String name, Reader<T> reader, @Nullable Object... parameters) throws SQLException {
        List<T> rows = new ArrayList<>();
        message().add(name, row -> rows.add(reader.read(row)), parameters).send();
        return rows;
    }

    /** Calls the visitor for each row. */
    void each(String name, Visitor visitor, @Nullable Object... parameters) throws SQLException {
        message().add(name, visitor, parameters).send();
    }

    /** The one row of a statement that always has one. */
    <T> T one(String name, Reader<T> reader, @Nullable Object... parameters) throws SQLException {
        return query(name, reader, parameters).get(0);
    }

    /** For the effect alone. */
    void run(String name, @Nullable Object... parameters) throws SQLException {
        message().add(name, null, parameters).send();
    }

    /** Several statements in one round trip and, outside of {@link #atomically}, one transaction. */
    Message message() {
        return new Message();
    }

    /** Work that is committed as a whole, or not at all. */
    interface Work {
        void run() throws SQLException;
    }

    void atomically(Work work) throws SQLException {
        connection.setAutoCommit(false);
        try {
            work.run();
            connection.commit();
        } catch (SQLException | RuntimeException e) {
            try {
                connection.rollback();
            } catch (SQLException rollback) {
                e.addSuppressed(rollback);
            }
            throw e;
        } finally {
            if (!connection.isClosed()) connection.setAutoCommit(true);
        }
    }

    /** Whether the session has ended, as far as the driver has heard; asks nobody. */
    boolean isLost() {
        try {
            // Reads what the server may have sent, such as the reason for which it ended the session.
            if (!connection.isClosed()) connection.unwrap(PGConnection.class).getNotifications();
            return connection.isClosed();
        } catch (SQLException e) {
            return true;
        }
    }

    /** Whether an error means that the session is gone, rather than that a statement failed. */
    boolean isLoss(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        try {
            return state.startsWith("08")
                    || state.startsWith("57P0")
                    || state.equals("25006") // the server has become a standby
                    || connection.isClosed();
        } catch (SQLException closed) {
            return true;
        }
    }

    /** Ends the session at once; from any thread. */
    void abort() {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            // Nothing is left to end.
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            abort();
        }
    }

    /** Statements that travel together. */
    final class Message {
        private final List<@Nullable Visitor> visitors = new ArrayList<>();
        private final List<@Nullable Object> values = new ArrayList<>();
        private @Nullable Sql joined;

        /** @param visitor called for each row; null where none is of interest */
        Message add(String name, @Nullable Visitor visitor, @Nullable Object... parameters) {
            return add(statements.computeIfAbsent(name, sql::statement), visitor, parameters);
        }

        Message add(Sql statement, @Nullable Visitor visitor, @Nullable Object... parameters) {
            joined = joined == null ? statement : joined.then(statement);
            visitors.add(visitor);
            for (Object each : parameters) values.add(each);
            return this;
        }

        void send() throws SQLException {
            if (joined == null) return;
            try (PreparedStatement statement = joined.prepare(connection, values.toArray())) {
                boolean hasRows = statement.execute();
                for (Visitor visitor : visitors) {
                    if (hasRows) read(statement.getResultSet(), visitor);
                    hasRows = statement.getMoreResults();
                }
            }
        }

        private void read(ResultSet rows, @Nullable Visitor visitor) throws SQLException {
            try (rows) {
                while (visitor != null && rows.next()) visitor.visit(rows);
            }
        }
    }

    /** A statement with names in it that are only known now, quoted already. */
    Sql statement(String name, Map<String, String> names) {
        return sql.with(names).statement(name);
    }
}
