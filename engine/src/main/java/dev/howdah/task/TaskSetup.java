package dev.howdah.task;

import dev.howdah.internal.sql.Identifiers;
import dev.howdah.internal.sql.SqlFile;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the table of tasks where there is none, and completes one that exists: missing columns, checks, indexes and the
 * trigger are added; what the user has changed or added stays (specification, sections 0 and 2).
 */
final class TaskSetup {
    private static final Logger log = LoggerFactory.getLogger(TaskSetup.class);

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
    }

    private static final List<String> STATES =
            Arrays.stream(TaskState.values()).map(Enum::name).toList();
    private static final List<String> CHECKS = TableName.CHECKS;
    private static final List<String> INDEXES = TableName.INDEXES;

    private record Found(
            boolean hasSchema,
            boolean hasState,
            @Nullable Set<String> states,
            @Nullable Long oid,
            @Nullable String kind,
            @Nullable String owner,
            boolean owned,
            String role,
            boolean mayCreate,
            String database) {}

    private record Column(
            String type, boolean notNull, @Nullable String defaultText, boolean generated) {}

    private final Connection connection;
    private final TableName table;
    private final SqlFile sql;
    private final OwnerSetup owners;

    /** @param rights which tasks are to have; null where nobody has said */
    TaskSetup(Connection connection, TableName table, @Nullable TaskRights rights) {
        this.connection = connection;
        this.table = table;
        this.owners = new OwnerSetup(connection, table, rights);
        this.sql = table.sql("task-table.sql");
    }

    /** @param byOwner whether tasks have the rights of their owners */
    record Table(long oid, boolean byOwner) {}

    /**
     * Makes or completes the table, in one transaction.
     *
     * @throws TaskTableException if it cannot be served, with the reason and the remedy
     */
    Table complete() throws SQLException {
        try {
            return complete(false);
        } catch (SQLException e) {
            String state = String.valueOf(e.getSQLState());
            if (!state.startsWith("22") && !state.startsWith("23")) throw e;
            // A setting that does not fit is to fail the inserts that need it, not the scheduler (specification,
            // section 0).
            log.warn("a setting pg_task.* does not fit its column of {}: {}", table, e.getMessage());
            return complete(true);
        }
    }

    /** @param plainly whether columns are made with the defaults that hold where nothing is set */
    private Table complete(boolean plainly) throws SQLException {
        connection.setAutoCommit(false);
        try {
            execute("patience");
            if (plainly) execute("plain_settings");
            Table completed = completeNow();
            connection.commit();
            return completed;
        } catch (SQLException | RuntimeException e) {
            if (!connection.isClosed()) connection.rollback();
            throw e;
        } finally {
            if (!connection.isClosed()) connection.setAutoCommit(true);
        }
    }

    private Table completeNow() throws SQLException {
        Found found = find();
        boolean made = false;
        if (found.oid() == null) {
            execute("making");
            found = find();
            made = found.oid() == null;
        }
        if (made) {
            create(found);
            found = find();
        }
        Long oid = found.oid();
        if (oid == null) throw new TaskTableException("table " + table + " was dropped while it was being made");
        if (found.kind() != null && !found.kind().matches("[rp]"))
            throw new TaskTableException(
                    table + " exists but is not a table; serve another name with --schema and --table");
        checkColumns(oid, found);
        repair(found).repair(oid, List.copyOf(COLUMNS.keySet()), found.owned());
        checkRights(oid, found);
        Found there = found;
        return new Table(oid, owners.complete(oid, made, what -> requireOwner(there, what)));
    }

    private TableRepair repair(Found found) {
        return new TableRepair(connection, table, sql, what -> requireOwner(found, what));
    }

    private void create(Found found) throws SQLException {
        if (!found.mayCreate()) {
            String on = found.hasSchema()
                    ? "SCHEMA " + Identifiers.quote(table.schema())
                    : "DATABASE " + Identifiers.quote(found.database());
            throw new TaskTableException(
                    "role " + found.role() + " may not make the table " + table + ": GRANT CREATE ON " + on + " TO "
                            + Identifiers.quote(found.role()) + ", or make the table yourself");
        }
        if (!found.hasSchema()) execute("create_schema");
        if (!found.hasState()) execute("create_state");
        execute("create_table");
        execute("primary_key");
        log.info("made the table {}", table);
    }

    private void checkColumns(long oid, Found found) throws SQLException {
        Map<String, Column> columns = columns(oid);
        Set<String> states = found.states() == null ? Set.of() : found.states();
        if (!states.containsAll(STATES)) {
            Set<String> missing = new HashSet<>(STATES);
            missing.removeAll(states);
            throw new TaskTableException("type " + table.schema() + ".state lacks " + String.join(", ", missing)
                    + ": ALTER TYPE " + Identifiers.quote(table.schema(), "state") + " ADD VALUE ... for each");
        }
        COLUMNS.forEach((name, type) -> {
            Column column = columns.get(name);
            if (column == null) return;
            String wanted = name.equals("state") ? column.type() : type;
            if (!column.type().equals(wanted))
                throw new TaskTableException(
                        "column \"" + name + "\" of " + table + " is of type " + column.type() + ", "
                                + type + " is needed: ALTER TABLE " + table.quoted() + " ALTER COLUMN "
                                + Identifiers.quote(name) + " TYPE " + type);
        });
        Column hash = columns.get("hash");
        if (hash != null && !hash.generated())
            throw new TaskTableException("column \"hash\" of " + table + " is not generated from group and remote:"
                    + " rename it, and the right one is made");
        completeColumns(oid, columns, found);
    }

    private void completeColumns(long oid, Map<String, Column> columns, Found found) throws SQLException {
        for (String name : COLUMNS.keySet()) {
            if (columns.containsKey(name)) continue;
            requireOwner(found, "add column \"" + name + "\"");
            if (name.equals("id")) throw new TaskTableException("table " + table + " has no column \"id\"");
            execute("column_" + name);
        }
        for (Map.Entry<String, Column> each : columns.entrySet()) {
            Column column = each.getValue();
            // The extension's own defaults fail where it is not loaded: they name settings that nobody has registered.
            boolean theirs = column.defaultText() != null
                    && column.defaultText().matches("(?s).*current_setting\\('pg_task\\.\\w+'::text\\).*");
            boolean none = column.defaultText() == null;
            String made = each.getKey().equals("id") || !COLUMNS.containsKey(each.getKey())
                    ? ""
                    : sql.text("column_" + each.getKey());
            int at = made.indexOf("DEFAULT");
            if (at < 0 || !theirs && !none) continue;
            requireOwner(found, "give column \"" + each.getKey() + "\" its default");
            run("ALTER TABLE " + table.quoted() + " ALTER COLUMN " + Identifiers.quote(each.getKey()) + " SET "
                    + made.substring(at));
        }
        completeRest(oid, found);
    }

    private void completeRest(long oid, Found found) throws SQLException {
        Set<String> constraints = new HashSet<>();
        Set<String> indexes = new HashSet<>();
        boolean[] idIsKey = {false};
        String[] done = {null};
        try (PreparedStatement statement = sql.statement("details").prepare(connection, oid, table.function("done"));
                ResultSet row = statement.executeQuery()) {
            row.next();
            constraints.addAll(strings(row.getArray("constraints")));
            indexes.addAll(strings(row.getArray("indexes")));
            idIsKey[0] = row.getBoolean("id_is_key");
            done[0] = row.getString("done");
        }
        if (!idIsKey[0]) repair(found).addKey();
        for (String check : CHECKS)
            complete(found, constraints, table.table() + "_" + check + "_check", "check_" + check);
        for (String index : INDEXES) complete(found, indexes, table.table() + "_" + index + "_idx", "index_" + index);
        completeTrigger(oid, found, "wake_up");
        completeTrigger(oid, found, "after");
        completeDone(found, done[0]);
    }

    private void complete(Found found, Set<String> there, String name, String statement) throws SQLException {
        if (there.contains(name)) return;
        requireOwner(found, "add " + name);
        execute(statement);
    }

    /** Makes a trigger of ours where it is missing, does not always fire, or calls another function than this one. */
    private void completeTrigger(long oid, Found found, String what) throws SQLException {
        String name = table.table() + "_" + what;
        boolean there = false;
        try (PreparedStatement statement =
                        sql.statement("trigger").prepare(connection, oid, table.function(what), name);
                ResultSet row = statement.executeQuery()) {
            if (row.next()) {
                String source = row.getString("source");
                there = true;
                if (row.getBoolean("always")
                        && source != null
                        && sql.text(what + "_function").contains(source)) return;
            }
        }
        requireOwner(found, "make the trigger " + name);
        execute(what + "_function");
        if (there) execute("drop_" + what + "_trigger");
        execute(what + "_trigger");
        execute(what + "_always");
    }

    private void completeDone(Found found, @Nullable String source) throws SQLException {
        if (source != null && sql.text("done_function").contains(source)) return;
        requireOwner(found, "make the function " + table.table() + "_done");
        execute("done_function");
        execute("done_grant");
    }

    private void requireOwner(Found found, String what) {
        if (found.owned() || found.oid() == null) return;
        throw new TaskTableException(
                "role " + found.role() + " may not " + what + " on " + table + ", which belongs to "
                        + found.owner() + ": GRANT " + Identifiers.quote(String.valueOf(found.owner())) + " TO "
                        + Identifiers.quote(found.role()) + ", or let Howdah connect once as " + found.owner());
    }

    private void checkRights(long oid, Found found) throws SQLException {
        try (PreparedStatement statement = sql.statement("privileges").prepare(connection, oid, table.quoted());
                ResultSet rows = statement.executeQuery()) {
            List<String> grants = new ArrayList<>();
            while (rows.next())
                grants.add("GRANT " + rows.getString("lacking") + " TO " + Identifiers.quote(found.role()));
            if (!grants.isEmpty())
                throw new TaskTableException(
                        "role " + found.role() + " may not keep the table " + table + ": " + String.join("; ", grants));
        }
    }

    private Found find() throws SQLException {
        try (PreparedStatement statement = sql.statement("find").prepare(connection, table.schema(), table.table());
                ResultSet row = statement.executeQuery()) {
            row.next();
            long oid = row.getLong("oid");
            return new Found(
                    row.getBoolean("has_schema"),
                    row.getBoolean("has_state"),
                    strings(row.getArray("states")),
                    oid == 0 ? null : oid,
                    row.getString("kind"),
                    row.getString("owner"),
                    row.getBoolean("owned"),
                    row.getString("role"),
                    row.getBoolean("may_create"),
                    row.getString("database"));
        }
    }

    private Map<String, Column> columns(long oid) throws SQLException {
        Map<String, Column> columns = new LinkedHashMap<>();
        try (PreparedStatement statement = sql.statement("columns").prepare(connection, oid);
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

    private static Set<String> strings(@Nullable Array array) throws SQLException {
        return array == null ? Set.of() : new HashSet<>(Arrays.asList((String[]) array.getArray()));
    }

    private void execute(String statement) throws SQLException {
        run(sql.text(statement));
    }

    private void run(String text) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(text);
        }
    }
}
