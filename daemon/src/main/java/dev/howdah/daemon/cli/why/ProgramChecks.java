package dev.howdah.daemon.cli.why;

import dev.howdah.daemon.database.DaemonSql;
import dev.howdah.health.HealthCheck;
import dev.howdah.health.HealthCheck.Level;
import dev.howdah.job.Jobs;
import dev.howdah.process.Processes;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Checks whether this program fits its database: the versions of the server and of the tables, and the two clocks. */
final class ProgramChecks {
    private static final int OLDEST = 13;
    private static final int NEWEST = 18;
    private static final Duration OFF = Duration.ofSeconds(10);
    private static final Duration FAR_OFF = Duration.ofMinutes(5);
    private static final String NO_PRIVILEGE = "42501";

    private ProgramChecks() {}

    /** @param connection in which names of tables of Howdah lead to its installation */
    static List<HealthCheck> of(Connection connection) throws SQLException {
        List<HealthCheck> checks = new ArrayList<>();
        long before = System.currentTimeMillis();
        try (PreparedStatement statement =
                        DaemonSql.DATABASE.statement("command_doctor_server").prepare(connection);
                ResultSet row = statement.executeQuery()) {
            row.next();
            long after = System.currentTimeMillis();
            checks.add(server(row.getInt("number"), row.getString("version")));
            // At some time between the two.
            long server = row.getLong("millis");
            checks.add(clock(server < before ? before - server : Math.max(server - after, 0)));
        }
        checks.add(tables(connection));
        return checks;
    }

    static HealthCheck server(int number, String version) {
        int major = number / 10_000;
        String range = OLDEST + " to " + NEWEST;
        if (major < OLDEST)
            return new HealthCheck(
                    "server",
                    Level.WARNING,
                    version,
                    "older than " + OLDEST,
                    "PostgreSQL " + version + " is older than what Howdah is tested with: " + range + ".",
                    "Upgrade the server; until then some features are missing.");
        if (major > NEWEST)
            return new HealthCheck(
                    "server",
                    Level.NOTICE,
                    version,
                    "older than " + OLDEST,
                    "PostgreSQL " + version + " is newer than what this version of Howdah is tested with: " + range
                            + ".",
                    "Look for a newer version of Howdah.");
        return new HealthCheck(
                "server",
                Level.OK,
                version,
                "older than " + OLDEST,
                "Howdah is tested with PostgreSQL " + major + ".",
                null);
    }

    /** @param millis by how much the clocks differ at least */
    static HealthCheck clock(long millis) {
        Level level =
                millis >= FAR_OFF.toMillis() ? Level.CRITICAL : millis >= OFF.toMillis() ? Level.WARNING : Level.OK;
        String value = millis / 1_000 + " s";
        return new HealthCheck(
                "clock",
                level,
                value,
                OFF.toSeconds() + " s; " + FAR_OFF.toMinutes() + " min",
                level == Level.OK
                        ? "The clocks of this machine and of the server agree."
                        : "The clocks of this machine and of the server differ by " + value
                                + ": receivers may refuse requests that are signed here.",
                level == Level.OK ? null : "Set both clocks by NTP: timedatectl set-ntp true");
    }

    private static HealthCheck tables(Connection connection) throws SQLException {
        Map<String, Integer> versions;
        try {
            versions = versions(connection);
        } catch (SQLException e) {
            if (!NO_PRIVILEGE.equals(e.getSQLState())) throw e;
            return new HealthCheck(
                    "tables",
                    Level.UNKNOWN,
                    "unknown",
                    "",
                    "The role may not read which versions the tables have.",
                    "GRANT SELECT ON howdah.migration TO the role.");
        }
        HealthCheck jobs = tables("job", "jobs", versions.get("job"), Jobs.schemaVersion());
        HealthCheck processes = tables("process", "processes", versions.get("process"), Processes.schemaVersion());
        return jobs.level().compareTo(processes.level()) <= 0 ? jobs : processes;
    }

    /** Those of the tables that are there, by feature. */
    private static Map<String, Integer> versions(Connection connection) throws SQLException {
        Map<String, Integer> versions = new HashMap<>();
        try (PreparedStatement statement = DaemonSql.DATABASE
                        .statement("command_doctor_migrations")
                        .prepare(connection);
                ResultSet row = statement.executeQuery()) {
            if (!row.next() || !row.getBoolean("present")) return versions;
        }
        try (PreparedStatement statement =
                        DaemonSql.DATABASE.statement("command_doctor_tables").prepare(connection);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) versions.put(rows.getString("feature"), rows.getInt("version"));
        }
        return versions;
    }

    /** @param found null where there are none */
    static HealthCheck tables(String command, String what, @Nullable Integer found, int known) {
        String threshold = "other than " + known;
        if (found == null || found == known)
            return new HealthCheck(
                    "tables",
                    Level.OK,
                    found == null ? "none" : "version " + found,
                    threshold,
                    "The tables of jobs and processes have the versions of this program, as far as they are there.",
                    null);
        String sentence = "The tables of " + what + " have version " + found + ", this program has version " + known;
        return found < known
                ? new HealthCheck(
                        "tables",
                        Level.WARNING,
                        "version " + found,
                        threshold,
                        sentence + ": they are brought up to date by the next program that may do so.",
                        "howdah " + command + " install")
                : new HealthCheck(
                        "tables",
                        Level.NOTICE,
                        "version " + found,
                        threshold,
                        sentence + ": a newer program uses them.",
                        "Upgrade this program.");
    }
}
