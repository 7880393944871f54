package dev.howdah.task.internal.table;

import dev.howdah.internal.sql.SqlFile;
import dev.howdah.task.internal.store.TableName;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The objects of the table of tasks beside its columns: key, checks, indexes, triggers and functions. */
final class TableObjects {
    private final Connection connection;
    private final TableName table;
    private final SqlFile sql;
    private final SqlFile scheduleSql;
    private final Consumer<String> requireOwner;
    private final boolean marked;

    /**
     * @param requireOwner fails if the scheduler's role may not do this to the table
     * @param marked whether the table is known to be Howdah's
     */
    TableObjects(Connection connection, TableName table, SqlFile sql, Consumer<String> requireOwner, boolean marked) {
        this.marked = marked;
        this.connection = connection;
        this.table = table;
        this.sql = sql;
        this.scheduleSql = table.sql("task-schedule.sql");
        this.requireOwner = requireOwner;
    }

    /**
     * Makes those that are missing; {@code addKey} where {@code id} has no key.
     *
     * @param hashGenerated whether the server fills the column {@code hash}
     */
    void complete(long oid, TableRepair repair, boolean hashGenerated) throws SQLException {
        Set<String> constraints = new HashSet<>();
        Set<String> indexes = new HashSet<>();
        boolean[] idIsKey = {false};
        try (PreparedStatement statement = sql.statement("table_details").prepare(connection, oid);
                ResultSet row = statement.executeQuery()) {
            row.next();
            constraints.addAll(strings(row.getArray("constraints")));
            indexes.addAll(strings(row.getArray("indexes")));
            idIsKey[0] = row.getBoolean("id_is_key");
        }
        if (!idIsKey[0]) repair.addKey();
        for (String check : TableName.CHECKS)
            add(constraints, table.table() + "_" + check + "_check", "check_" + check);
        for (String index : TableName.INDEXES) add(indexes, table.table() + "_" + index + "_idx", "index_" + index);
        completeTrigger(oid, "wake_up", sql, "wake_up");
        if (canPrepare()) completeTrigger(oid, "ring", sql, "wake_ring");
        completeTrigger(oid, "after", sql, "after");
        completeTrigger(oid, "parent", sql, "parent");
        completeTrigger(oid, "cron", scheduleSql, "schedule_cron");
        if (!hashGenerated && completeTrigger(oid, "hash", sql, "hash")) execute(sql, "hash_fill");
        execute(sql, "table_vacuum");
        completeDone(oid);
        completeFunction(oid, "schedule", "(text, jsonb)", "schedule_function");
        completeFunction(oid, "schedules", "()", "schedule_list_function");
    }

    /** Whether transactions can be prepared for a commit in two phases. */
    private boolean canPrepare() throws SQLException {
        try (PreparedStatement statement = sql.statement("server_two_phase").prepare(connection);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getBoolean(1);
        }
    }

    private void add(Set<String> there, String name, String statement) throws SQLException {
        if (there.contains(name)) return;
        requireOwner.accept("add " + name);
        execute(sql, statement);
    }

    private void completeFunction(long oid, String what, String parameters, String statement) throws SQLException {
        function(oid, table.function(what) + parameters, scheduleSql.text(statement))
                .complete(requireOwner);
    }

    /**
     * Makes a trigger of ours where it is missing, does not always fire, or calls another function than this one; returns
     * whether it was made.
     */
    private boolean completeTrigger(long oid, String what, SqlFile from, String statements) throws SQLException {
        String name = table.table() + "_" + what;
        String function = table.function(what) + "()";
        boolean made =
                function(oid, function, from.text(statements + "_function")).complete(requireOwner);
        boolean there = false;
        try (PreparedStatement statement = sql.statement("table_trigger").prepare(connection, oid, function, name);
                ResultSet row = statement.executeQuery()) {
            if (row.next()) {
                there = true;
                if (made && row.getBoolean("working")) return false;
            }
        }
        requireOwner.accept("make the trigger " + name);
        if (there) execute(from, statements + "_drop_trigger");
        execute(from, statements + "_trigger");
        execute(from, statements + "_always");
        return true;
    }

    private void completeDone(long oid) throws SQLException {
        String function = table.function("done") + "(bigint, text)";
        if (function(oid, function, sql.text("done_function")).complete(requireOwner)) return;
        execute(sql, "done_grant");
    }

    private TableFunction function(long oid, String signature, String definition) {
        return new TableFunction(connection, table, oid, marked, signature, definition);
    }

    /** What is in an array of texts; nothing in none. */
    static Set<String> strings(@Nullable Array array) throws SQLException {
        return array == null ? Set.of() : new HashSet<>(Arrays.asList((String[]) array.getArray()));
    }

    private void execute(SqlFile from, String name) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(from.text(name));
        }
    }
}
