package dev.howdah.internal.health;

import dev.howdah.health.HealthCheck;
import dev.howdah.health.HealthCheck.Level;
import dev.howdah.internal.connection.SchemaConnection;
import dev.howdah.internal.pause.PauseMark;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.internal.sql.SqlFile;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Makes the checks of a database's health, one after the other; one that fails does not keep the others from being made. Immutable and
 * safe for use by many threads.
 */
public final class HealthReader {
    private static final SqlFile SQL = SqlFile.of(HealthReader.class, "health.sql");
    private static final int LONGEST_MILLIS = 1_000;
    private static final String UNKNOWN = "unknown";
    private static final String NODES = "nodes";
    private static final String WAITS = "waits";
    private static final String PAUSED = "paused";
    private static final Check AHEAD = new Check("ahead", false, false);
    /** The first version with a view of its own for checkpoints. */
    private static final int CHECKPOINTER = 170_000;

    /** Opens connections. */
    public interface Opener {
        Connection open() throws SQLException;
    }

    /** A check: the name of its statement, whether it looks at sessions of others, and its bounds. */
    private record Check(String name, boolean ofSessions, boolean timed, Object... bounds) {}

    private static final List<Check> CHECKS = List.of(
            new Check("snapshot", true, true),
            new Check("idle_transaction", true, true),
            new Check("blocked", true, true),
            new Check("connections", false, false, 80, 95),
            new Check("dead_rows", false, false, 10_000L),
            new Check("autovacuum", false, false),
            new Check("vacuum_workers", true, true),
            new Check("wraparound", false, false, 500_000_000L, 1_200_000_000L),
            new Check("statistics", false, false, 10_000L),
            new Check("indexes", false, false),
            new Check("bloat", false, false, 100_000_000L, 4),
            new Check("triggers", false, false),
            new Check("notifications", false, false, 0.1, 0.5),
            new Check("replication", true, true),
            new Check("checkpoints", false, false, 20L),
            new Check("durability", false, false),
            new Check("foreign_locks", false, false),
            new Check("lock_table", false, false, 60, 85, 16),
            new Check("days", false, false),
            new Check("nodes", false, false),
            new Check(WAITS, false, false),
            new Check("archiving", false, true),
            new Check("size", false, false));

    private final Opener opener;
    private final SchemaName schema;
    private final double patience;

    public HealthReader(Opener opener, SchemaName schema) {
        this(opener, schema, 1);
    }

    /** @param patience by how much bounds on times are multiplied */
    HealthReader(Opener opener, SchemaName schema, double patience) {
        this.opener = opener;
        this.schema = schema;
        this.patience = patience;
    }

    /** The same with the tables in that schema. */
    public HealthReader in(SchemaName other) {
        return new HealthReader(opener, other, patience);
    }

    /**
     * Who asks, and where.
     *
     * @param seesAll whether the role sees what sessions of others do
     * @param enters whether it may use the schema of the tables
     * @param hasNodes whether there is a table of nodes
     * @param hasSchedules whether there is one of schedules of jobs
     */
    private record Asker(
            String role, boolean seesAll, boolean enters, int version, boolean hasNodes, boolean hasSchedules) {
        /** The statement of a check: tables and columns that are not there cannot stand in one. */
        String statement(Check check) {
            if (check.name().equals(NODES) && !hasNodes) return "check_nodes_none";
            if (check.name().equals(WAITS) && !hasSchedules) return "check_waits_none";
            if (check.name().equals("checkpoints") && version >= CHECKPOINTER) return "check_checkpoints_17";
            return "check_" + check.name();
        }
    }

    /**
     * Makes all checks.
     *
     * @return the results, the worst first
     */
    public List<HealthCheck> check() throws SQLException {
        List<HealthCheck> results =
                RolledBackTransaction.run(() -> SchemaConnection.of(opener.open(), schema), this::checkAll);
        results.sort(Comparator.comparing(HealthCheck::level));
        return List.copyOf(results);
    }

    private List<HealthCheck> checkAll(Connection connection) throws SQLException {
        Asker asker = begin(connection);
        List<HealthCheck> results = new ArrayList<>();
        for (Check each : CHECKS) results.add(check(connection, asker, each));
        results.add(read(connection, asker, AHEAD, () -> ahead(connection, asker)));
        results.add(pause(connection));
        return results;
    }

    private static HealthCheck pause(Connection connection) throws SQLException {
        PauseMark.State state = PauseMark.read(connection);
        PauseMark mark = state.mark();
        String stranger = state.stranger();
        String threshold = "everything is paused";
        if (mark != null)
            return new HealthCheck(
                    PAUSED,
                    Level.WARNING,
                    PAUSED,
                    threshold,
                    "Nothing of Howdah begins here, everything is " + mark + ".",
                    "howdah resume --all, or DROP VIEW "
                            + SchemaConnection.schema(connection).name() + ".paused;");
        if (stranger != null)
            return new HealthCheck(PAUSED, Level.CRITICAL, "no mark", threshold, stranger + ".", null);
        return new HealthCheck(PAUSED, Level.OK, "no", threshold, "Work goes on.", null);
    }

    private static Asker begin(Connection connection) throws SQLException {
        try (PreparedStatement statement = SQL.statement("health_begin").prepare(connection, LONGEST_MILLIS);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return new Asker(
                    row.getString("role"),
                    row.getBoolean("stats"),
                    row.getBoolean("enters"),
                    row.getInt("version"),
                    row.getBoolean("nodes"),
                    row.getBoolean("schedules"));
        }
    }

    private HealthCheck check(Connection connection, Asker asker, Check check) throws SQLException {
        if (check.ofSessions() && !asker.seesAll())
            return unknown(
                    check,
                    "Role " + asker.role() + " may not see what sessions of other roles do.",
                    "GRANT pg_monitor TO " + asker.role() + ";");
        Object[] bounds = check.timed() ? new Object[] {patience} : check.bounds();
        return read(connection, asker, check, () -> {
            try (PreparedStatement statement =
                            SQL.statement(asker.statement(check)).prepare(connection, bounds);
                    ResultSet row = statement.executeQuery()) {
                row.next();
                Level level = Level.valueOf(row.getString("level").toUpperCase(Locale.ROOT));
                return new HealthCheck(
                        check.name(),
                        level,
                        row.getString("value"),
                        row.getString("threshold"),
                        row.getString("sentence"),
                        level == Level.OK ? null : row.getString("remedy"));
            }
        });
    }

    /** Rows with times that have not come. What repeats goes on by itself, what was planned ahead waits for its time. */
    private static HealthCheck ahead(Connection connection, Asker asker) throws SQLException {
        List<String> found = new ArrayList<>();
        find(connection, SQL, "server_ahead", found);
        if (asker.hasNodes()) find(connection, SQL, "node_ahead", found);
        if (asker.hasSchedules()) find(connection, SQL, "schedule_ahead", found);
        for (String each : tables(connection))
            find(connection, SQL.with(Map.of("table", each)), "task_ahead", found, each);
        boolean none = found.isEmpty();
        return new HealthCheck(
                AHEAD.name(),
                none ? Level.OK : Level.WARNING,
                none ? "none" : String.valueOf(found.size()),
                "a time that has not come",
                none
                        ? "No node, schedule or task began at a time that has not come."
                        : "The clock of the server was ahead, and was set back: " + String.join(", ", found) + ".",
                none
                        ? null
                        : "Let NTP keep the clock of the server. Schedules and repeating tasks go on by themselves; what"
                                + " was added with a delay meanwhile waits for the time that it has, unless it is run now.");
    }

    private static void find(Connection connection, SqlFile sql, String statement, List<String> found, Object... values)
            throws SQLException {
        try (PreparedStatement asked = sql.statement(statement).prepare(connection, values);
                ResultSet row = asked.executeQuery()) {
            while (row.next())
                found.add(row.getString("what") + " at "
                        + row.getObject("at", OffsetDateTime.class).truncatedTo(ChronoUnit.SECONDS));
        }
    }

    private static List<String> tables(Connection connection) throws SQLException {
        List<String> names = new ArrayList<>();
        try (PreparedStatement asked = SQL.statement("table_of_tasks").prepare(connection);
                ResultSet row = asked.executeQuery()) {
            while (row.next()) names.add(row.getString("name"));
        }
        return names;
    }

    /** Asks the database for the result of a check. */
    @FunctionalInterface
    private interface Reading {
        HealthCheck read() throws SQLException;
    }

    private HealthCheck read(Connection connection, Asker asker, Check check, Reading reading) throws SQLException {
        Savepoint savepoint = connection.setSavepoint();
        try {
            return reading.read();
        } catch (SQLException e) {
            connection.rollback(savepoint);
            if ("42501".equals(e.getSQLState()))
                return unknown(
                        check, "Role " + asker.role() + " may not read this: " + e.getMessage(), grant(asker, check));
            if ("57014".equals(e.getSQLState()))
                return unknown(check, "This took longer than " + LONGEST_MILLIS + " ms.", "Try again later.");
            if (connection.isClosed()) throw e;
            return unknown(check, "This could not be read: " + e.getMessage(), "Look into the log of the server.");
        }
    }

    private String grant(Asker asker, Check check) {
        String privilege = !asker.enters()
                ? "USAGE ON SCHEMA " + schema.name() + ", " + schema.internal()
                : check == AHEAD && asker.hasSchedules()
                        ? "SELECT ON " + schema.internal() + ".node, " + schema.name() + ".schedule"
                        : check.name().equals(WAITS)
                                ? "SELECT ON " + schema.internal() + ".node, " + schema.internal() + ".job, "
                                        + schema.internal() + ".job_record, " + schema.internal() + ".lane, "
                                        + schema.internal() + ".lane_priority"
                                : check == AHEAD || check.name().equals(NODES)
                                        ? "SELECT ON " + schema.internal() + ".node"
                                        : "pg_monitor";
        return "GRANT " + privilege + " TO " + asker.role() + ";";
    }

    private static HealthCheck unknown(Check check, String sentence, String remedy) {
        return new HealthCheck(check.name(), Level.UNKNOWN, UNKNOWN, "", sentence, remedy);
    }
}
