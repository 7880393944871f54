package dev.howdah.daemon.database;

import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * Which database the program served last, as is noted in the database itself: in a copy that is served it stands that it is one.
 *
 * @param now the identity of the database
 * @param last that of the one that was served last; null: none was, or nothing is noted
 * @param isWritable whether this role may note it
 */
public record ServedDatabase(String now, @Nullable String last, boolean isWritable) {
    private static final Sql IDENTITY = DaemonSql.DATABASE.statement("database_identity");
    private static final Sql SERVED = DaemonSql.DATABASE.statement("database_served");
    private static final Sql SET = DaemonSql.DATABASE.statement("database_served_set");

    public static ServedDatabase read(Connection connection) throws SQLException {
        String now;
        try (PreparedStatement statement = IDENTITY.prepare(connection);
                ResultSet row = statement.executeQuery()) {
            row.next();
            now = row.getString(1);
        }
        try (PreparedStatement statement = SERVED.prepare(connection);
                ResultSet row = statement.executeQuery()) {
            if (!row.next()) return new ServedDatabase(now, null, false);
            String last = row.getBoolean("trusted") ? row.getString("noted") : null;
            return new ServedDatabase(now, last, row.getBoolean("writable"));
        }
    }

    /** Returns whether another one was served last. */
    public boolean isMoved() {
        return last != null && !last.equals(now);
    }

    /** Notes that this one is served. */
    public void write(Connection connection) throws SQLException {
        Transactions.run(connection, () -> {
            try (Statement statement = connection.createStatement();
                    PreparedStatement set = SET.prepare(connection, now)) {
                statement.execute(DaemonSql.DATABASE.text("database_served_make"));
                set.execute();
                statement.execute(DaemonSql.DATABASE.text("database_served_write"));
            }
        });
    }
}
