package dev.howdah.task.internal.table;

import dev.howdah.internal.sql.OlderServers;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.internal.text.Identifiers;
import dev.howdah.task.TaskTableException;
import dev.howdah.task.internal.store.TableName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The columns of the table of tasks: which there have to be, of which type, with which default. */
final class TableColumns {
    /** Columns and their types, in the order in which they are made. */
    private static final Map<String, String> COLUMNS = new LinkedHashMap<>();

    static {
        COLUMNS.put("id", "bigint");
        COLUMNS.put("parent", "bigint");
        for (String each : List.of("plan", "start", "stop")) COLUMNS.put(each, "timestamp with time zone");
        for (String each : List.of("active", "live", "repeat", "timeout")) COLUMNS.put(each, "interval");
        for (String each : List.of("count", "max", "pid")) COLUMNS.put(each, "integer");
        COLUMNS.put("state", "state");
        for (String each : List.of("delete", "drift", "header", "save", "string")) COLUMNS.put(each, "boolean");
        for (String each : List.of("delimiter", "escape", "quote")) COLUMNS.put(each, "\"char\"");
        for (String each : List.of("data", "error", "group", "input", "null", "output", "remote"))
            COLUMNS.put(each, "text");
        COLUMNS.put("hash", "integer");
        for (String each : List.of("notify", "cron", "zone")) COLUMNS.put(each, "text");
        COLUMNS.put("attempts", "integer");
        COLUMNS.put("backoff", "interval");
        COLUMNS.put("retry", "bigint");
        COLUMNS.put("once", "boolean");
        COLUMNS.put("after", "bigint[]");
        for (String each : List.of("schedule", "on_failure", "sqlstate", "notices")) COLUMNS.put(each, "text");
        COLUMNS.put("duration", "interval");
    }

    /** Types to and from which those of the columns are cast by themselves, and with which they are compared. */
    private static final Map<String, List<String>> CASTABLE = Map.of(
            "bigint", List.of("integer", "smallint"),
            "integer", List.of("bigint", "smallint"),
            "timestamp with time zone", List.of("timestamp without time zone"),
            "text", List.of("character varying", "character"),
            "\"char\"", List.of("text", "character varying", "character"));

    private record Column(
            String type, boolean notNull, @Nullable String defaultText, boolean generated) {}

    private final Connection connection;
    private final TableName table;
    private final SqlFile sql;
    private final Consumer<String> requireOwner;
    private boolean hashGenerated;

    /** @param requireOwner fails if the scheduler's role may not do this to the table */
    TableColumns(Connection connection, TableName table, SqlFile sql, Consumer<String> requireOwner) {
        this.connection = connection;
        this.table = table;
        this.sql = sql;
        this.requireOwner = requireOwner;
    }

    /** The names of all that Howdah makes. */
    static List<String> names() {
        return List.copyOf(COLUMNS.keySet());
    }

    /**
     * Checks those that are there, and adds those that are missing.
     *
     * @param wrong what is wrong with the column {@code state}
     * @throws TaskTableException if one cannot be what it has to be, with the remedy
     */
    void complete(long oid, List<String> wrong) throws SQLException {
        Map<String, Column> columns = columns(oid);
        checkTypes(columns, new ArrayList<>(wrong));
        Column hash = columns.get("hash");
        hashGenerated = hash == null ? isGenerating() : hash.generated();
        if (hash != null && !hash.generated() && isGenerating() && !isFilled(oid))
            throw new TaskTableException("column \"hash\" of " + table + " is not generated from group and remote:"
                    + " rename it, and the right one is made");
        add(columns);
        giveDefaults(columns);
    }

    private void checkTypes(Map<String, Column> columns, List<String> wrong) {
        List<String> changes = new ArrayList<>();
        COLUMNS.forEach((name, type) -> {
            Column column = columns.get(name);
            if (column == null || name.equals("state") || isGood(name, type, column.type())) return;
            wrong.add("column \"" + name + "\" of " + table + " is of type " + column.type() + ", " + type
                    + " is needed");
            // A default is not cast along with the values; the one that is needed is given anew.
            if (column.defaultText() != null) changes.add("ALTER COLUMN " + Identifiers.quote(name) + " DROP DEFAULT");
            changes.add("ALTER COLUMN " + Identifiers.quote(name) + " TYPE " + type + " USING "
                    + Identifiers.quote(name) + "::" + type);
        });
        if (wrong.isEmpty()) return;
        throw new TaskTableException(String.join("; ", wrong)
                + (changes.isEmpty() ? "" : ": ALTER TABLE " + table.quoted() + " " + String.join(", ", changes)));
    }

    private static boolean isGood(String name, String needed, String found) {
        return found.equals(needed)
                || !name.equals("hash")
                        && CASTABLE.getOrDefault(needed, List.of()).contains(found);
    }

    /** Whether the server fills the column {@code hash}; false where a trigger does. To be asked after {@link #complete}. */
    boolean isHashGenerated() {
        return hashGenerated;
    }

    private boolean isGenerating() throws SQLException {
        return !OlderServers.isBefore12(connection);
    }

    /** By our trigger: the table comes from a server that has no generated columns. */
    private boolean isFilled(long oid) throws SQLException {
        try (PreparedStatement statement = sql.statement("table_trigger")
                        .prepare(connection, oid, table.function("hash") + "()", table.table() + "_hash");
                ResultSet row = statement.executeQuery()) {
            return row.next();
        }
    }

    private void add(Map<String, Column> columns) throws SQLException {
        for (String name : COLUMNS.keySet()) {
            if (columns.containsKey(name)) continue;
            requireOwner.accept("add column \"" + name + "\"");
            if (name.equals("id")) throw new TaskTableException("table " + table + " has no column \"id\"");
            run(sql.text(name.equals("hash") && !isGenerating() ? "column_hash_before_12" : "column_" + name));
        }
    }

    private void giveDefaults(Map<String, Column> columns) throws SQLException {
        for (Map.Entry<String, Column> each : columns.entrySet()) {
            Column column = each.getValue();
            // The extension's own defaults fail where it is not loaded: they name settings that are not registered.
            boolean theirs = column.defaultText() != null
                    && column.defaultText().matches("(?s).*current_setting\\('pg_task\\.\\w+'::text\\).*");
            boolean none = column.defaultText() == null;
            String made = each.getKey().equals("id") || !COLUMNS.containsKey(each.getKey())
                    ? ""
                    : sql.text("column_" + each.getKey());
            int at = made.indexOf("DEFAULT");
            if (at < 0 || !theirs && !none) continue;
            requireOwner.accept("give column \"" + each.getKey() + "\" its default");
            run("ALTER TABLE " + table.quoted() + " ALTER COLUMN " + Identifiers.quote(each.getKey()) + " SET "
                    + made.substring(at));
        }
    }

    private Map<String, Column> columns(long oid) throws SQLException {
        Map<String, Column> columns = new LinkedHashMap<>();
        try (PreparedStatement statement = sql.statement("table_columns").prepare(connection, oid);
                ResultSet row = statement.executeQuery()) {
            while (row.next())
                columns.put(
                        row.getString("name"),
                        new Column(
                                row.getString("type"),
                                row.getBoolean("not_null"),
                                row.getString("default"),
                                row.getBoolean("generated")));
        }
        return columns;
    }

    private void run(String text) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(text);
        }
    }
}
