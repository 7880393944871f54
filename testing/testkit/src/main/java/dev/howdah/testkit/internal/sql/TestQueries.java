package dev.howdah.testkit.internal.sql;

import dev.howdah.Database;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.internal.text.Identifiers;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Runs the statements of tests, each on a connection of its own that is committed. Safe for use by many threads. */
public final class TestQueries {
    /** Reads one row. */
    public interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    private final Connector source;
    private final SqlFile file;

    /** @param name of the file beside this class, without its ending */
    public TestQueries(DataSource source, String name) {
        this(ConnectionSource.of(source)::getConnection, SqlFile.of(TestQueries.class, name + ".sql"));
    }

    /** @param schema of the tables */
    public TestQueries(DataSource source, String name, String schema) {
        this(
                ConnectionSource.of(source).in(SchemaName.of(schema))::getConnection,
                SqlFile.of(TestQueries.class, name + ".sql"));
    }

    private TestQueries(Connector source, SqlFile file) {
        this.source = source;
        this.file = file;
    }

    /** Those of tasks, for a table of that name. */
    public static TestQueries ofTasks(Database database, String schema, String table) {
        SqlFile file = SqlFile.of(TestQueries.class, "task.sql");
        return new TestQueries(database::connect, file.with(Map.of("table", Identifiers.quote(schema, table))));
    }

    private interface Connector {
        Connection connect() throws SQLException;
    }

    /** Returns all rows of a statement. */
    public <T> List<T> list(String name, Reader<T> reader, @Nullable Object... values) {
        Sql sql = file.statement(name);
        List<T> found = new ArrayList<>();
        try (Connection connection = source.connect();
                PreparedStatement statement = sql.prepare(connection, values)) {
            if (!statement.execute()) return found;
            try (ResultSet row = statement.getResultSet()) {
                while (row.next()) found.add(reader.read(row));
            }
            return found;
        } catch (SQLException e) {
            throw new AssertionError("the test's database could not be asked: " + e.getMessage(), e);
        }
    }

    /** Runs a statement whose rows do not matter. */
    public void run(String name, @Nullable Object... values) {
        list(name, row -> name, values);
    }

    /** Returns the number in the only column of the only row; null if it is NULL. */
    public @Nullable Long number(String name, @Nullable Object... values) {
        List<Long[]> found = list(name, row -> new Long[] {row.getObject(1, Long.class)}, values);
        return found.isEmpty() ? null : found.get(0)[0];
    }
}
