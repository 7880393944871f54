package dev.howdah.daemon.cli.migrate;

import dev.howdah.Database;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.database.DaemonSql;
import dev.howdah.internal.sql.SqlFile;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The database in which another scheduler keeps its jobs. */
final class SourceDatabase implements AutoCloseable {
    static final SqlFile SQL = DaemonSql.IMPORT;

    private final Database database;
    private final Connection connection;

    private SourceDatabase(Database database, Connection connection) {
        this.database = database;
        this.connection = connection;
    }

    static SourceDatabase connect(Database database) throws SQLException {
        Connection connection = database.connect();
        try (PreparedStatement statement =
                SQL.statement("command_import_session").prepare(connection)) {
            statement.execute();
            return new SourceDatabase(database, connection);
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    String name() {
        return database.database();
    }

    /**
     * Checks that the other scheduler's table is its own.
     *
     * @return what is to be said of the rows that are not seen; null: all are
     */
    @Nullable
    String check(String table, String extension) throws SQLException {
        try (PreparedStatement statement =
                        SQL.statement("command_import_source").prepare(connection, table, extension);
                ResultSet row = statement.executeQuery()) {
            row.next();
            if (!row.getBoolean("present"))
                throw CliException.failed("there is no table " + table + " in " + database.describe()
                        + ": --source names the database in which " + extension + " keeps its jobs");
            if (!row.getBoolean("genuine"))
                throw CliException.failed("the table " + table + " in " + database.describe()
                        + " does not belong to the extension " + extension
                        + ": what stands in it could name any role and any SQL");
            return row.getBoolean("sees_all")
                    ? null
                    : "only jobs of role \"" + row.getString("role") + "\" are seen: row security hides the others";
        }
    }

    /** Reads one row. */
    interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    <T> List<T> rows(String statement, Reader<T> reader) throws SQLException {
        List<T> read = new ArrayList<>();
        try (PreparedStatement prepared = SQL.statement(statement).prepare(connection);
                ResultSet rows = prepared.executeQuery()) {
            while (rows.next()) read.add(reader.read(rows));
        }
        return read;
    }

    /** Ends a schedule there. */
    void disable(String statement, long id) throws SQLException {
        try (PreparedStatement prepared = SQL.statement(statement).prepare(connection, id)) {
            prepared.execute();
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
