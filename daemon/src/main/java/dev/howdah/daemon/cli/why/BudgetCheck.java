package dev.howdah.daemon.cli.why;

import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.database.DaemonSql;
import dev.howdah.health.HealthCheck;
import dev.howdah.health.HealthCheck.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Compares the connections that a daemon with these settings takes at most with those that its role can have. */
final class BudgetCheck {
    private static final String NAME = "budget";
    private static final String THRESHOLD = "more are needed than there are";
    /** The beginning of the names of logins that the daemon makes for owners of tasks. */
    private static final String LOGINS = "howdah_";

    private static final int TASKS = 3;
    private static final int NODE_OF_JOBS = 8;
    private static final int NODE_OF_PROCESSES = 5;
    private static final int CONSOLE = 4;

    private BudgetCheck() {}

    /**
     * The connections that there are.
     *
     * @param most of the server, without those that are kept for superusers
     * @param ofRole the limit of the role; null: none
     * @param ofDatabase the limit of the database; null: none
     * @param others sessions of other roles now
     */
    record Room(
            String role,
            String database,
            int most,
            @Nullable Integer ofRole,
            @Nullable Integer ofDatabase,
            int others) {}

    static HealthCheck of(Connection connection, Configuration configuration) throws SQLException {
        try (PreparedStatement statement =
                        DaemonSql.DOCTOR.statement("command_doctor_budget").prepare(connection, LOGINS);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return check(
                    needed(configuration),
                    new Room(
                            row.getString("quoted"),
                            row.getString("database"),
                            row.getInt("most"),
                            row.getObject("of_role", Integer.class),
                            row.getObject("of_database", Integer.class),
                            row.getInt("others")));
        }
    }

    /** At most, with one database: tasks, and what else is set. */
    static int needed(Configuration configuration) {
        int tasks = configuration.given(Setting.TOTAL_SESSIONS)
                ? configuration.number(Setting.TOTAL_SESSIONS)
                : configuration.number(Setting.SESSIONS);
        int needed = tasks + TASKS;
        if (configuration.given(Setting.QUEUES)) needed += NODE_OF_JOBS + configuration.number(Setting.WORKERS);
        if (configuration.given(Setting.PROCESSES)) needed += NODE_OF_PROCESSES;
        if (configuration.text(Setting.CONSOLE).equals("on")) needed += CONSOLE;
        return needed;
    }

    static HealthCheck check(int needed, Room room) {
        List<String> remedies = new ArrayList<>();
        if (room.ofRole() != null && room.ofRole() < needed)
            remedies.add("ALTER ROLE " + room.role() + " CONNECTION LIMIT " + needed + ";");
        if (room.ofDatabase() != null && room.ofDatabase() < needed)
            remedies.add("ALTER DATABASE " + room.database() + " CONNECTION LIMIT " + (needed + room.others()) + ";");
        int free = room.most() - room.others();
        if (free < needed)
            remedies.add("Lower --total-sessions by " + (needed - free) + ", or raise max_connections by as many.");
        int there = Math.min(
                free,
                Math.min(
                        room.ofRole() == null ? free : room.ofRole(),
                        room.ofDatabase() == null ? free : room.ofDatabase()));
        String value = needed + " of " + Math.max(there, 0);
        if (remedies.isEmpty())
            return new HealthCheck(
                    NAME,
                    Level.OK,
                    value,
                    THRESHOLD,
                    "A daemon with these settings takes up to " + needed + " connections, of " + there
                            + " that it can have.",
                    null);
        return new HealthCheck(
                NAME,
                Level.WARNING,
                value,
                THRESHOLD,
                "A daemon with these settings takes up to " + needed + " connections, and can have "
                        + Math.max(there, 0) + " now: tasks will wait for connections, or programs will be refused.",
                String.join(" ", remedies));
    }
}
