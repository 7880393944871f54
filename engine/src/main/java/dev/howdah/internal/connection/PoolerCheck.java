package dev.howdah.internal.connection;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the connections of a data source are sessions of their own. A pooler that hands them out for a transaction only
 * gives the session that one connection has just used to the next one that begins a transaction.
 */
public final class PoolerCheck {
    private PoolerCheck() {}

    /**
     * What there is to say against them; null if they are.
     *
     * @param first of the data source, in autocommit mode
     */
    public static @Nullable String objection(ConnectionSource source, Connection first) throws SQLException {
        int before = session(first);
        int other;
        int after;
        try (Connection second = source.getConnection()) {
            second.setAutoCommit(false);
            other = session(second);
            after = session(first);
            second.rollback();
        }
        if (other != before && after == before) return null;
        if (other == before && after == before)
            return "this data source gave the same session twice, while the first connection was still open: it needs a"
                    + " session for each connection;";
        return "this data source gives sessions for a transaction only (one connection was in the sessions " + before
                + " and " + after + ", another one meanwhile in " + other
                + "), as PgBouncer does with pool_mode = transaction; a node lives as long as its session does:";
    }

    private static int session(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
            row.next();
            return row.getInt(1);
        }
    }
}
