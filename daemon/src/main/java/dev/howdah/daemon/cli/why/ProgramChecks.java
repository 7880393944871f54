package dev.howdah.daemon.cli.why;

import dev.howdah.console.Console;
import dev.howdah.daemon.database.DaemonSql;
import dev.howdah.health.HealthCheck;
import dev.howdah.health.HealthCheck.Level;
import dev.howdah.internal.sql.Migrations;
import dev.howdah.job.Jobs;
import dev.howdah.process.Processes;
import dev.howdah.sweep.Sweeps;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

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
        String role;
        long before = System.currentTimeMillis();
        try (PreparedStatement statement =
                        DaemonSql.DOCTOR.statement("command_doctor_server").prepare(connection);
                ResultSet row = statement.executeQuery()) {
            row.next();
            long after = System.currentTimeMillis();
            role = row.getString("role");
            checks.add(server(row.getInt("number"), row.getString("version")));
            // At some time between the two.
            long server = row.getLong("millis");
            checks.add(clock(server < before ? before - server : Math.max(server - after, 0)));
        }
        checks.addAll(tables(connection, role));
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

    /** A feature with tables of its own: its name among the migrations, and what creates its tables. */
    private record Feature(String name, String what, int version, String remedy) {}

    private static final List<Feature> FEATURES = List.of(
            new Feature("job", "jobs", Jobs.schemaVersion(), "howdah job install"),
            new Feature("process", "processes", Processes.schemaVersion(), "howdah process install"),
            new Feature("sweep", "sweeps", Sweeps.schemaVersion(), "howdah sweep install"),
            // With the first change that the console makes, or with a token.
            new Feature(
                    "console", "the console", Console.schemaVersion(), "As a role that owns them: howdah token list"));

    private static List<HealthCheck> tables(Connection connection, String role) throws SQLException {
        Map<String, Integer> versions;
        try {
            Migrations.Unreleased unreleased = Migrations.unreleased(connection);
            if (unreleased != null)
                return List.of(new HealthCheck(
                        "tables",
                        Level.CRITICAL,
                        "unreleased",
                        "of an unreleased version",
                        capital(unreleased.sentence()) + ".",
                        capital(unreleased.remedy())));
            versions = versions(connection);
        } catch (SQLException e) {
            if (!NO_PRIVILEGE.equals(e.getSQLState())) throw e;
            return List.of(new HealthCheck(
                    "tables",
                    Level.UNKNOWN,
                    "unknown",
                    "",
                    "Role " + role + " may not read which versions the tables have.",
                    "GRANT USAGE ON SCHEMA howdah, howdah_internal TO " + role
                            + "; GRANT SELECT ON howdah.migration TO " + role + ";"));
        }
        List<HealthCheck> checks = new ArrayList<>();
        for (Feature each : FEATURES) {
            Integer found = versions.get(each.name());
            if (found != null && found != each.version())
                checks.add(tables(each.remedy(), each.what(), found, each.version()));
        }
        if (checks.isEmpty())
            checks.add(new HealthCheck(
                    "tables",
                    Level.OK,
                    versions.isEmpty() ? "none" : "current",
                    "other versions",
                    "The tables have the versions of this program, as far as they are there.",
                    null));
        return checks;
    }

    private static String capital(String words) {
        return words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
    }

    /** Those of the tables that are there, by feature. */
    private static Map<String, Integer> versions(Connection connection) throws SQLException {
        Map<String, Integer> versions = new HashMap<>();
        try (PreparedStatement statement =
                        DaemonSql.DOCTOR.statement("command_doctor_migrations").prepare(connection);
                ResultSet row = statement.executeQuery()) {
            if (!row.next() || !row.getBoolean("present")) return versions;
        }
        try (PreparedStatement statement =
                        DaemonSql.DOCTOR.statement("command_doctor_tables").prepare(connection);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) versions.put(rows.getString("feature"), rows.getInt("version"));
        }
        return versions;
    }

    private static HealthCheck tables(String remedy, String what, int found, int known) {
        String threshold = "other than " + known;
        String sentence = "The tables of " + what + " have version " + found + ", this program has version " + known;
        return found < known
                ? new HealthCheck(
                        "tables",
                        Level.WARNING,
                        "version " + found,
                        threshold,
                        sentence + ": they are brought up to date by the next program that may do so.",
                        remedy)
                : new HealthCheck(
                        "tables",
                        Level.NOTICE,
                        "version " + found,
                        threshold,
                        sentence + ": a newer program uses them.",
                        "Upgrade this program.");
    }
}
