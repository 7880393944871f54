package dev.howdah.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;

/** What a server says of statements: how it would run them, and how many rows they have read. */
public final class Plans {
    private Plans() {}

    /** The plan of a statement of a file, for nothing but NULL. */
    public static String of(Statement session, SqlFile file, String name) throws SQLException {
        int parameters = Sql.of(file.text(name)).parameters();
        return of(
                session,
                file,
                name,
                parameters == 0 ? "" : "(" + String.join(", ", Collections.nCopies(parameters, "NULL")) + ")");
    }

    /** The plan of a statement of a file, for these values in brackets. */
    public static String of(Statement session, SqlFile file, String name, String values) throws SQLException {
        session.execute("PREPARE hot AS " + file.text(name));
        StringBuilder plan = new StringBuilder();
        try (ResultSet rows = session.executeQuery("EXPLAIN (COSTS OFF) EXECUTE hot" + values)) {
            while (rows.next()) plan.append(rows.getString(1)).append('\n');
        }
        session.execute("DEALLOCATE hot");
        assertThat(plan).isNotEmpty();
        return plan.toString();
    }

    /** How many rows of Howdah's tables this session has read that it has not yet told the server's statistics of. */
    public static long rowsRead(Statement session) throws SQLException {
        try (ResultSet row = session.executeQuery(
                "SELECT COALESCE(sum(seq_tup_read), 0) + COALESCE(sum(idx_tup_fetch), 0) FROM pg_stat_xact_user_tables"
                        + " WHERE schemaname IN ('howdah', 'howdah_internal')")) {
            row.next();
            return row.getLong(1);
        }
    }
}
