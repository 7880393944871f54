package dev.howdah.operations.read;

import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Says which GRANT is missing where tables cannot be created. */
public final class MissingPrivilege {
    private static final String STATE = "42501";
    private static final Sql SENTENCE =
            SqlFile.of(MissingPrivilege.class, "reads.sql").statement("schema_privilege");

    private MissingPrivilege() {}

    /**
     * The error with the GRANT in its message, if a privilege was missing.
     *
     * @param connection without an open transaction
     * @param failed what did not happen, such as {@code the tables of jobs were not created}
     * @return null: it was something else
     */
    public static @Nullable SQLException of(Throwable thrown, Connection connection, String schema, String failed)
            throws SQLException {
        SQLException cause = null;
        for (Throwable each = thrown; each != null; each = each.getCause())
            if (each instanceof SQLException sql) cause = sql;
        if (cause == null || !STATE.equals(cause.getSQLState())) return null;
        try (PreparedStatement statement = SENTENCE.prepare(connection, schema);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return new SQLException(failed + ": " + row.getString(1), STATE);
        }
    }
}
