package dev.howdah.internal.sql;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * SQL as major versions of PostgreSQL before 12 understand it: what they lack is left out where they behave so anyway.
 * Stateless.
 */
final class OlderServers {
    /** Before it every WITH query is materialized, and tables of jobs, processes and sweeps cannot be made. */
    private static final int SINCE = 12;

    private static final String MATERIALIZED = " AS MATERIALIZED (";

    private OlderServers() {}

    /** The text for servers before 12; null if it is the same for all. */
    static @Nullable String before12(String text) {
        return text.contains(MATERIALIZED) ? text.replace(MATERIALIZED, " AS (") : null;
    }

    static boolean isBefore12(Connection connection) throws SQLException {
        return connection.getMetaData().getDatabaseMajorVersion() < SINCE;
    }

    /**
     * Refuses a server that cannot hold tables of jobs, processes and sweeps: paths in JSON are missing there, and before 11
     * indexes of partitioned tables and procedures.
     *
     * @param what the things in the tables, for the message
     */
    static void checkTables(Connection connection, String what) throws SQLException {
        if (isBefore12(connection))
            throw new SQLException(
                    what + " need PostgreSQL " + SINCE + " or later, and this server is "
                            + connection.getMetaData().getDatabaseProductVersion() + "; tasks need 10",
                    "0A000");
    }
}
