package dev.howdah.job.internal.store;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.error.SqlErrorText;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.JobsException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs single statements, each in a transaction of its own; a failure is a {@link JobsException}. Immutable and safe for use by many threads.
 *
 * @param held a connection that the caller holds, for reading: another one might never come, where all are held by such callers
 * @param subject with which its messages begin; may be empty
 */
public record JobStatements(ConnectionSource source, Held held, String subject) {
    public JobStatements(ConnectionSource source) {
        this(source, () -> null, "");
    }

    /** Reads on the connection that the caller holds, while there is one. */
    public static JobStatements reading(ConnectionSource source, Held held) {
        return new JobStatements(source, held, "");
    }

    /** A connection in a transaction of a caller. */
    public interface Held {
        /** Null: there is none, or none that can be read with. */
        @Nullable
        Connection connection();
    }

    /** Reads one row. */
    public interface Reader<T extends @Nullable Object> {
        T read(ResultSet row) throws SQLException;
    }

    /** The same, about that subject. */
    public JobStatements about(String other) {
        return new JobStatements(source, held, other + ": ");
    }

    /** Reads all rows, into a list that cannot be changed. */
    public <T extends @Nullable Object> List<T> list(Sql sql, Reader<T> reader, @Nullable Object... values) {
        Connection mine = held.connection();
        if (mine != null) {
            List<T> read = listWithin(source.inSchema(mine), sql, reader, values);
            if (read != null) return read;
        }
        try (Connection connection = source.getConnection()) {
            return list(connection, sql, reader, values);
        } catch (SQLException e) {
            throw new JobsException(subject + SqlErrorText.of(e), e);
        }
    }

    private static <T extends @Nullable Object> List<T> list(
            Connection connection, Sql sql, Reader<T> reader, @Nullable Object... values) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, values);
                ResultSet row = statement.executeQuery()) {
            List<T> read = new ArrayList<>();
            while (row.next()) read.add(reader.read(row));
            return Collections.unmodifiableList(read);
        }
    }

    /** Null: it cannot be read there, such as by a role that the handler has set. That transaction goes on. */
    private static <T extends @Nullable Object> @Nullable List<T> listWithin(
            Connection connection, Sql sql, Reader<T> reader, @Nullable Object... values) {
        try {
            Savepoint before = connection.setSavepoint();
            try {
                List<T> read = list(connection, sql, reader, values);
                connection.releaseSavepoint(before);
                return read;
            } catch (SQLException e) {
                connection.rollback(before);
                return null;
            }
        } catch (SQLException e) {
            return null;
        }
    }

    /** Returns the value of a statement that answers one. */
    public String value(Sql sql, @Nullable Object... values) {
        return list(sql, row -> String.valueOf(row.getString(1)), values).get(0);
    }

    /** Returns the number of a statement that answers one. */
    public long number(Sql sql, @Nullable Object... values) {
        return list(sql, row -> row.getLong(1), values).get(0);
    }

    /** Returns the number of a statement that answers one, in the transaction of that connection. */
    public long number(Connection connection, Sql sql, @Nullable Object... values) {
        return Long.parseLong(value(connection, sql, values));
    }

    /** Returns the value of a statement that answers one, in the transaction of that connection. */
    public String value(Connection connection, Sql sql, @Nullable Object... values) {
        try {
            return list(source.inSchema(connection), sql, row -> String.valueOf(row.getString(1)), values)
                    .get(0);
        } catch (SQLException e) {
            throw new JobsException(subject + SqlErrorText.of(e), e);
        }
    }

    /** Returns the answer of a statement that says yes or no. */
    public boolean isSo(Sql sql, @Nullable Object... values) {
        return list(sql, row -> row.getBoolean(1), values).get(0);
    }

    /** Runs a statement whose answer says nothing. */
    public void run(Sql sql, @Nullable Object... values) {
        list(sql, row -> true, values);
    }
}
