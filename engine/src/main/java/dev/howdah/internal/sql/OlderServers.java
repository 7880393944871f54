package dev.howdah.internal.sql;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * What PostgreSQL 10 and 11 lack, which have tasks alone, and how tasks do without: all that the library knows of these versions. Before
 * 12 there are no generated columns, each WITH query is materialized whatever is said of it, paths in JSON are missing, and before 11
 * indexes of partitioned tables. Stateless.
 */
public final class OlderServers {
    /** The oldest with what the table of tasks and the logins of owners need. */
    private static final int TASKS = 10;

    /** The oldest with all features. */
    private static final int SINCE = 12;

    private static final String MATERIALIZED = " AS MATERIALIZED (";

    private OlderServers() {}

    /** The text for servers before 12; null if it is the same for all. */
    static @Nullable String before12(String text) {
        return text.contains(MATERIALIZED) ? text.replace(MATERIALIZED, " AS (") : null;
    }

    /** Says why the server cannot have tasks; null: it can. */
    public static @Nullable String whyNoTasks(Connection connection) throws SQLException {
        return connection.getMetaData().getDatabaseMajorVersion() >= TASKS
                ? null
                : "tasks need PostgreSQL " + TASKS + " or later, and this server is " + version(connection);
    }

    /** Says that the server can have tasks alone; null: it can have all features. */
    public static @Nullable String whyTasksAlone(Connection connection) throws SQLException {
        return !isBefore12(connection)
                ? null
                : "this server is PostgreSQL " + version(connection)
                        + ", which has tasks alone: jobs, processes and sweeps need " + SINCE;
    }

    private static String version(Connection connection) throws SQLException {
        return connection.getMetaData().getDatabaseProductVersion();
    }

    /** Whether columns cannot be generated: a trigger of ours fills them. */
    public static boolean isBefore12(Connection connection) throws SQLException {
        return connection.getMetaData().getDatabaseMajorVersion() < SINCE;
    }

    /**
     * Refuses a server that cannot hold tables of jobs, processes and sweeps.
     *
     * @param what the things in the tables, for the message
     */
    static void checkTables(Connection connection, String what) throws SQLException {
        if (isBefore12(connection))
            throw new SQLException(
                    what + " need PostgreSQL " + SINCE + " or later, and this server is " + version(connection)
                            + "; tasks need " + TASKS,
                    "0A000");
    }
}
