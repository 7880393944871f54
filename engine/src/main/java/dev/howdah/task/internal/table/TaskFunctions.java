package dev.howdah.task.internal.table;

import dev.howdah.internal.sql.SqlFile;
import dev.howdah.internal.sql.Transactions;
import dev.howdah.internal.text.Identifiers;
import dev.howdah.task.internal.leader.SchedulerSettings;
import dev.howdah.task.internal.store.TaskSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The SQL functions such as {@code howdah.run} and {@code howdah.wait}, which add tasks and wait for them, and the tables of documents. */
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

    /** Those for tasks that reach out, in the same way. */
    private static final List<String> REACHING = List.of(
            "percent",
            "remote",
            "task_columns",
            "document_name",
            "send",
            "template_version",
            "template",
            "http",
            "pdf",
            "render",
            "mail",
            "ssh",
            "sftp",
            "exec");

    /** Those for triggers, in the same way. */
    private static final List<String> TRIGGERS = List.of(
            "row_json",
            "row_of",
            "row_key",
            "task_of_change",
            "task_of_row",
            "task_of_statement",
            "task_trigger_function",
            "drop_task_trigger",
            "task_trigger");

    /** What the tables of templates and documents consist of. */
    private static final List<String> TABLES = List.of(
            "template_table",
            "template_guard",
            "template_trigger",
            "document_table",
            "document_storage",
            "document_index_task",
            "document_index_expires",
            "document_security",
            "document_policy",
            "document_grant");

    private record Found(
            boolean hasSchema,
            boolean mayCreate,
            boolean complete,
            boolean hasTables,
            @Nullable String strange,
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
        if (found.complete() && found.hasTables()) return;
        String owner = found.foreignOwner();
        if (found.strange() != null) {
            log.warn(
                    "{} is not Howdah's, so the functions howdah.run, howdah.wait and howdah.cron are not made: rename it, or"
                            + " switch pg_task.functions off",
                    found.strange());
        } else if (!found.mayCreate()) {
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
            make(found);
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

    private void make(Found found) throws SQLException {
        Transactions.run(connection, () -> {
            try (Statement statement = connection.createStatement()) {
                if (!found.hasSchema()) statement.execute(sql.text("function_create_schema"));
                if (!found.hasSchema()) statement.execute(sql.text("schema_grant"));
                for (String each : TABLES) if (!found.hasTables()) statement.execute(TaskSql.DOCUMENTS.text(each));
                for (String each : all()) statement.execute(text(each));
                for (String each : found("function_drop_older", names(), bodies())) statement.execute(each);
                for (String each : found("function_comment", (Object) names())) statement.execute(each);
            }
        });
    }

    /** Statements that the database makes of what is there. */
    private List<String> found(String name, Object... values) throws SQLException {
        List<String> statements = new ArrayList<>();
        try (PreparedStatement statement = sql.statement(name).prepare(connection, values);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) statements.add(rows.getString(1));
        }
        return statements;
    }

    static String[] names() {
        return all().toArray(String[]::new);
    }

    private String[] bodies() {
        return all().stream().map(this::body).toArray(String[]::new);
    }

    private Found find() throws SQLException {
        try (PreparedStatement statement = sql.statement("function_found").prepare(connection, names(), bodies());
                ResultSet row = statement.executeQuery()) {
            row.next();
            return new Found(
                    row.getBoolean("has_schema"),
                    row.getBoolean("may_create"),
                    row.getBoolean("complete"),
                    row.getBoolean("has_tables"),
                    row.getString("strange"),
                    row.getString("foreign_owner"),
                    row.getString("distrusted_owner"),
                    row.getString("role"),
                    row.getString("database"));
        }
    }

    private static List<String> all() {
        return Stream.of(FUNCTIONS, REACHING, TRIGGERS).flatMap(List::stream).toList();
    }

    private String text(String function) {
        SqlFile file =
                FUNCTIONS.contains(function) ? sql : TRIGGERS.contains(function) ? TaskSql.TRIGGERS : TaskSql.DOCUMENTS;
        return file.text("function_" + function);
    }

    private String body(String function) {
        String text = text(function);
        return text.substring(text.indexOf(BODY) + BODY.length(), text.lastIndexOf(BODY));
    }
}
