package dev.howdah.task.internal.table;

import dev.howdah.internal.sql.Migrations;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.internal.sql.Transactions;
import dev.howdah.internal.text.Identifiers;
import dev.howdah.task.internal.store.TableName;
import dev.howdah.task.internal.store.TaskSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Takes out what Howdah has made for a table of tasks: triggers, functions, logins of owners and, with the last table of the database,
 * the functions, templates and documents in the schema howdah. Rows, columns, indexes and checks belong to the table.
 */
public final class TableUninstaller {
    private final Connection connection;
    private final TableName table;
    private final SqlFile sql;
    private final SqlFile tableSql;

    public TableUninstaller(Connection connection, TableName table) {
        this.connection = connection;
        this.table = table;
        this.sql = table.sql("uninstall.sql");
        this.tableSql = table.sql("task-table.sql");
    }

    /**
     * Drops it, unless something would be lost, in one transaction.
     *
     * @param force even so
     * @param dropTable the table too, with its rows
     * @return why nothing was dropped; null: it is gone
     */
    public @Nullable String run(boolean force, boolean dropTable) throws SQLException {
        String refusal = Transactions.in(connection, () -> {
            execute(tableSql.text("table_patience"));
            String why = refusal(force, dropTable);
            if (why == null) drop(dropTable);
            return why == null ? "" : why;
        });
        return refusal.isEmpty() ? null : refusal;
    }

    /** The oid of the table; null: it is not there. */
    private @Nullable Long oid() throws SQLException {
        try (PreparedStatement statement =
                        tableSql.statement("table_find").prepare(connection, table.schema(), table.table());
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getObject("oid", Long.class);
        }
    }

    private boolean isMarked() throws SQLException {
        try (PreparedStatement statement =
                        tableSql.statement("table_find").prepare(connection, table.schema(), table.table());
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getBoolean("marked");
        }
    }

    private @Nullable String refusal(boolean force, boolean dropTable) throws SQLException {
        Long oid = oid();
        boolean free = "t".equals(first(sql, "lock_take", table.quoted()));
        if (oid != null) {
            if (!isMarked())
                return "the table " + table + " is not a table of tasks that Howdah keeps, and is left as it is";
            String strange = dropTable ? first(sql, "column_strange", oid, columns()) : null;
            if (strange != null)
                return "the table " + table + " has columns that Howdah has not made: " + strange
                        + "; drop it yourself";
        }
        if (force) return null;
        if (!free) return "a scheduler still serves the table " + table + "; stop it first";
        String left = oid == null ? null : first(sql, "task_left");
        if (left != null) return left + " in " + table;
        return isLast(oid) && hasDocuments() ? first(sql, "document_left") : null;
    }

    private static String[] columns() {
        return Stream.concat(TableColumns.names().stream(), Stream.of("owner", "owner_oid"))
                .toArray(String[]::new);
    }

    private boolean isLast(@Nullable Long oid) throws SQLException {
        return "f".equals(first(sql, "table_served", oid));
    }

    private boolean hasDocuments() throws SQLException {
        return "t".equals(first(sql, "document_there"));
    }

    private void drop(boolean dropTable) throws SQLException {
        Long oid = oid();
        boolean last = isLast(oid);
        if (oid != null) {
            for (String each : list(
                    sql,
                    "trigger_of_table",
                    oid,
                    names(TableInstaller.TRIGGERS),
                    names(TableInstaller.TRIGGER_FUNCTIONS),
                    table.schema())) execute(each);
            for (String each : list(sql, "login_of_table", oid.toString())) dropLogin(each);
            if (dropTable) execute(sql.text("table_drop_itself"));
        }
        for (String each : list(sql, "function_of_table", (Object) signatures())) execute(each);
        if (dropTable)
            for (String each : list(
                    sql,
                    "state_drop",
                    Identifiers.quote(table.schema(), "state"),
                    TableInstaller.STATES.toArray(String[]::new))) execute(each);
        if (last) dropShared();
    }

    private void dropLogin(String login) throws SQLException {
        SqlFile named = TaskSql.RIGHTS.with(
                Map.of("login", Identifiers.quote(login), "database", Identifiers.quote(connection.getCatalog())));
        execute(named.text("login_revoke_connect"));
        execute(named.text("login_drop"));
    }

    private void dropShared() throws SQLException {
        boolean documents = hasDocuments();
        for (String each : list(sql, "function_shared", (Object) TaskFunctions.names())) execute(each);
        if (documents) {
            execute(sql.text("document_drop"));
            for (String each : list(sql, "function_shared", (Object) new String[] {"template_guard"})) execute(each);
        }
        Migrations.dropEmptySchema(connection);
    }

    private String[] names(List<String> of) {
        return of.stream().map(each -> table.table() + "_" + each).toArray(String[]::new);
    }

    private String[] signatures() {
        return Stream.concat(
                        TableInstaller.TRIGGER_FUNCTIONS.stream().map(each -> table.function(each) + "()"),
                        Stream.of(
                                table.function("schedule") + "(text, jsonb)",
                                table.function("schedules") + "()",
                                table.function("done") + "(bigint, text)"))
                .toArray(String[]::new);
    }

    private @Nullable String first(SqlFile from, String name, @Nullable Object... values) throws SQLException {
        List<String> all = list(from, name, values);
        return all.isEmpty() ? null : all.get(0);
    }

    /** The first column of all rows, but for those that are NULL. */
    private List<String> list(SqlFile from, String name, @Nullable Object... values) throws SQLException {
        List<String> all = new ArrayList<>();
        try (PreparedStatement statement = from.statement(name).prepare(connection, values);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                String value = row.getString(1);
                if (value != null) all.add(value);
            }
        }
        return all;
    }

    private void execute(String text) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(text);
        }
    }
}
