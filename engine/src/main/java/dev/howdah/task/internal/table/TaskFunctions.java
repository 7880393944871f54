package dev.howdah.task.internal.table;

import dev.howdah.internal.sql.Identifiers;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.internal.sql.Transactions;
import dev.howdah.task.internal.leader.SchedulerSettings;
import dev.howdah.task.internal.store.TaskSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The SQL functions {@code howdah.run}, {@code howdah.wait} and {@code howdah.cron}, which add tasks, wait for them and keep their schedules. */
public final class TaskFunctions {
    private static final Logger log = LoggerFactory.getLogger(TaskFunctions.class);
    private static final String BODY = "$howdah$";

    /** All there are, in the order in which they are made. */
    private static final List<String> FUNCTIONS = List.of(
            "task_table",
            "writers",
            "run",
            "wait",
            "task_schedule",
            "cron",
            "cron_pause",
            "cron_resume",
            "cron_run",
            "cron_remove",
            "cron_list");

    private record Found(
            boolean hasSchema,
            boolean mayCreate,
            boolean complete,
            @Nullable String foreignOwner,
            @Nullable String distrustedOwner,
            String role,
            String database) {}

    private final Connection connection;
    private final SqlFile sql = TaskSql.FUNCTIONS;

    public TaskFunctions(Connection connection) {
        this.connection = connection;
    }

    /**
     * Makes them, or makes them anew where they differ, if the setting {@code pg_task.functions} asks for them; where that
     * is not allowed the log says what is missing, and the table is served all the same.
     */
    public void complete() throws SQLException {
        if (!wanted()) return;
        Found found = find();
        String role = Identifiers.quote(found.role());
        if (found.hasSchema() && found.distrustedOwner() != null)
            log.warn(
                    "the schema howdah, or howdah.run or howdah.wait in it, belongs to role {}, which could make these"
                            + " functions do anything with the rights of their callers: ALTER SCHEMA howdah OWNER TO {},"
                            + " and the same for its functions",
                    found.distrustedOwner(),
                    role);
        if (found.complete()) return;
        String owner = found.foreignOwner();
        if (!found.mayCreate()) {
            String where = found.hasSchema() ? "SCHEMA howdah" : "DATABASE " + Identifiers.quote(found.database());
            log.warn(
                    "role {} may not make the functions howdah.run, howdah.wait and howdah.cron: GRANT CREATE ON {} TO {}",
                    found.role(),
                    where,
                    role);
        } else if (owner != null) {
            log.warn(
                    "role {} may not replace the functions howdah.run, howdah.wait and howdah.cron, which belong to {}: GRANT {} TO {}",
                    found.role(),
                    owner,
                    owner,
                    role);
        } else {
            make(found.hasSchema());
            log.info("made the functions howdah.run, howdah.wait and howdah.cron");
        }
    }

    private boolean wanted() throws SQLException {
        try (PreparedStatement statement = sql.statement("function_wanted").prepare(connection);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return SchedulerSettings.flag("pg_task.functions", row.getString("wanted"), false);
        }
    }

    private void make(boolean hasSchema) throws SQLException {
        Transactions.run(connection, () -> {
            try (Statement statement = connection.createStatement()) {
                if (!hasSchema) statement.execute(sql.text("function_create_schema"));
                if (!hasSchema) statement.execute(sql.text("schema_grant"));
                for (String function : FUNCTIONS) statement.execute(sql.text("function_" + function));
            }
        });
    }

    private Found find() throws SQLException {
        try (PreparedStatement statement = sql.statement("function_found")
                        .prepare(
                                connection,
                                FUNCTIONS.toArray(String[]::new),
                                FUNCTIONS.stream().map(this::body).toArray(String[]::new));
                ResultSet row = statement.executeQuery()) {
            row.next();
            return new Found(
                    row.getBoolean("has_schema"),
                    row.getBoolean("may_create"),
                    row.getBoolean("complete"),
                    row.getString("foreign_owner"),
                    row.getString("distrusted_owner"),
                    row.getString("role"),
                    row.getString("database"));
        }
    }

    private String body(String function) {
        String text = sql.text("function_" + function);
        return text.substring(text.indexOf(BODY) + BODY.length(), text.lastIndexOf(BODY));
    }
}
