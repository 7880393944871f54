package dev.howdah.daemon.cli.why;

import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.database.CommandTarget;
import dev.howdah.daemon.database.DaemonSql;
import dev.howdah.health.HealthCheck;
import dev.howdah.health.HealthCheck.Level;
import dev.howdah.internal.text.Identifiers;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Checks what privileges the role that asks, and the roles of programs, lack: with the GRANT that gives them. */
final class PrivilegeChecks {
    static final String NAME = "privileges";
    private static final String THRESHOLD = "some are missing";
    /** SELECT, INSERT, UPDATE and DELETE. */
    private static final int ALL = 4;

    private static final Map<String, String> FEATURES =
            Map.of("job", "jobs", "process", "processes", "sweep", "sweeps");

    private PrivilegeChecks() {}

    /** @param connection in which names of tables of Howdah lead to its installation */
    static List<HealthCheck> of(Connection connection, CommandTarget target, Configuration configuration)
            throws SQLException {
        List<HealthCheck> checks = new ArrayList<>(features(connection));
        checks.addAll(tasks(connection, target, configuration));
        if (checks.isEmpty())
            checks.add(new HealthCheck(
                    NAME, Level.OK, "none missing", THRESHOLD, "No role lacks a privilege that it needs.", null));
        return checks;
    }

    private static List<HealthCheck> features(Connection connection) throws SQLException {
        List<HealthCheck> checks = new ArrayList<>();
        try (PreparedStatement statement =
                        DaemonSql.DOCTOR.statement("command_doctor_privileges").prepare(connection);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                String feature = rows.getString("feature");
                List<String> lacking =
                        List.of((String[]) rows.getArray("lacking").getArray());
                String quoted = rows.getString("quoted");
                // The duty of jobs is more than can be listed here, and is given at once.
                String remedy = feature.equals("job")
                        ? "SELECT howdah.allow(" + rows.getString("literal") + ", 'worker');"
                        : lacking.stream()
                                .map(each -> "GRANT " + each + " TO " + quoted + ";")
                                .collect(Collectors.joining(" "));
                checks.add(lacking(
                        rows.getBoolean("granted"),
                        rows.getString("role"),
                        FEATURES.getOrDefault(feature, feature),
                        lacking,
                        remedy));
            }
        }
        return checks;
    }

    /** @param granted whether the role has some, so that it is meant to have all */
    private static HealthCheck lacking(boolean granted, String role, String what, List<String> lacking, String remedy) {
        String value = lacking.size() == 1 ? lacking.get(0) : lacking.size() + " missing, such as " + lacking.get(0);
        return granted
                ? new HealthCheck(
                        NAME,
                        Level.WARNING,
                        value,
                        THRESHOLD,
                        "Role " + role + " may work with " + what + ", but lacks privileges for some of it.",
                        remedy)
                : new HealthCheck(
                        NAME,
                        Level.NOTICE,
                        value,
                        THRESHOLD,
                        "Role " + role + " may not run " + what + ": no program that does can have this role.",
                        remedy);
    }

    private static List<HealthCheck> tasks(Connection connection, CommandTarget target, Configuration configuration)
            throws SQLException {
        try (PreparedStatement statement = DaemonSql.DOCTOR
                        .statement("command_doctor_task_table")
                        .prepare(connection, target.schema(), target.table());
                ResultSet row = statement.executeQuery()) {
            row.next();
            if (row.getBoolean("super")) return List.of();
            String role = row.getString("role");
            String quoted = row.getString("quoted");
            List<String> lacking = List.of((String[]) row.getArray("lacking").getArray());
            // A role of jobs, processes or sweeps need not run tasks.
            boolean other = row.getBoolean("works_otherwise");
            if (!row.getBoolean("present")) return other ? List.of() : missing(row, role, quoted);
            if (!row.getBoolean("owns")) {
                String name = row.getString("name");
                return lacking.isEmpty() || lacking.size() == ALL && other
                        ? List.of()
                        : List.of(lacking(
                                lacking.size() < ALL,
                                role,
                                "tasks of " + name,
                                List.of(String.join(", ", lacking) + " ON " + name),
                                "GRANT " + String.join(", ", lacking) + " ON " + name + " TO " + quoted
                                        + "; -- and up with --rights scheduler; for tasks with the rights of their owners the table"
                                        + " has to belong to the role: ALTER TABLE " + name + " OWNER TO " + quoted
                                        + ";"));
            }
            List<HealthCheck> checks = new ArrayList<>();
            // A table from elsewhere has no owners: its tasks have the rights of the scheduler.
            if (!row.getBoolean("has_owners")
                    || configuration
                            .find(Setting.RIGHTS)
                            .filter("scheduler"::equals)
                            .isPresent()) return checks;
            if (!row.getBoolean("creates_roles"))
                checks.add(new HealthCheck(
                        NAME,
                        Level.WARNING,
                        "CREATEROLE",
                        THRESHOLD,
                        "Role " + role + " may not create the logins with which tasks of other owners run.",
                        "ALTER ROLE " + quoted + " CREATEROLE;"));
            checks.addAll(owners(connection, target, role, quoted));
            return checks;
        }
    }

    private static List<HealthCheck> missing(ResultSet row, String role, String quoted) throws SQLException {
        boolean may = row.getBoolean(row.getBoolean("schema_present") ? "may_create" : "may_create_schema");
        if (may) return List.of();
        return List.of(new HealthCheck(
                NAME,
                Level.NOTICE,
                "CREATE",
                THRESHOLD,
                "There is no table " + row.getString("name") + " for tasks, and role " + role + " may not create it.",
                row.getBoolean("schema_present")
                        ? "GRANT CREATE, USAGE ON SCHEMA " + row.getString("schema") + " TO " + quoted + ";"
                        : "GRANT CREATE ON DATABASE " + row.getString("database") + " TO " + quoted + ";"));
    }

    private static List<HealthCheck> owners(Connection connection, CommandTarget target, String role, String quoted)
            throws SQLException {
        List<HealthCheck> checks = new ArrayList<>();
        try (PreparedStatement statement = DaemonSql.DOCTOR
                .with(Map.of("table", Identifiers.quote(target.schema(), target.table())))
                .statement("command_doctor_task_owners")
                .prepare(connection)) {
            // Another session may have locked the table.
            statement.setQueryTimeout(1);
            ResultSet rows = statement.executeQuery();
            while (rows.next())
                checks.add(new HealthCheck(
                        NAME,
                        Level.WARNING,
                        rows.getString("owner"),
                        THRESHOLD,
                        "Tasks of role " + rows.getString("owner") + " wait, and role " + role
                                + " may not run them with the rights of their owner.",
                        "GRANT " + rows.getString("quoted") + " TO " + quoted + " WITH ADMIN OPTION;"));
        } catch (SQLException e) {
            if (connection.isClosed()) throw e;
            checks.add(new HealthCheck(
                    NAME,
                    Level.UNKNOWN,
                    "unknown",
                    "",
                    "The owners of tasks that wait could not be read: " + e.getMessage(),
                    "Try again later."));
        }
        return checks;
    }
}
