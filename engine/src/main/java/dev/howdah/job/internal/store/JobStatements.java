package dev.howdah.job.internal.store;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrorText;
import dev.howdah.job.JobsException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs single statements, each in a transaction of its own; a failure is a {@link JobsException}. Immutable and safe for use by many threads.
 *
 * @param subject with which its messages begin; may be empty
 */
public record JobStatements(ConnectionSource source, String subject) {
    public JobStatements(ConnectionSource source) {
        this(source, "");
    }

    /** Reads one row. */
    public interface Reader<T extends @Nullable Object> {
        T read(ResultSet row) throws SQLException;
    }

    /** The same, about that subject. */
    public JobStatements about(String other) {
        return new JobStatements(source, other + ": ");
    }

    /** Reads all rows, into a list that cannot be changed. */
    public <T extends @Nullable Object> List<T> list(Sql sql, Reader<T> reader, @Nullable Object... values) {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = sql.prepare(connection, values);
                ResultSet row = statement.executeQuery()) {
            List<T> read = new ArrayList<>();
            while (row.next()) read.add(reader.read(row));
            return Collections.unmodifiableList(read);
        } catch (SQLException e) {
            throw new JobsException(subject + SqlErrorText.of(e), e);
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

    /** Returns the answer of a statement that says yes or no. */
    public boolean isSo(Sql sql, @Nullable Object... values) {
        return list(sql, row -> row.getBoolean(1), values).get(0);
    }

    /** Runs a statement whose answer says nothing. */
    public void run(Sql sql, @Nullable Object... values) {
        list(sql, row -> true, values);
    }
}
