package dev.howdah.daemon.database;

import dev.howdah.internal.sql.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The identity of a database, which tells its work from that of others. */
public final class DatabaseIdentity {
    private static final Sql NUMBER = DaemonSql.DATABASE.statement("database_number");

    private DatabaseIdentity() {}

    public static String of(Connection connection) throws SQLException {
        try (PreparedStatement statement = NUMBER.prepare(connection);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getString(1);
        }
    }
}
