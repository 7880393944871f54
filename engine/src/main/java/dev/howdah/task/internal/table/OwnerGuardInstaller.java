package dev.howdah.task.internal.table;

import dev.howdah.internal.sql.SqlFile;
import dev.howdah.task.TaskRights;
import dev.howdah.task.TaskTableException;
import dev.howdah.task.internal.store.TableName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes sure that a table says truly whose its tasks are: the column {@code owner}, the triggers that guard it, and that
 * no role that could not be the scheduler anyway can have code run in the scheduler's session. Works within the transaction
 * that completes the table.
 */
final class OwnerGuardInstaller {
    private static final Logger log = LoggerFactory.getLogger(OwnerGuardInstaller.class);

    private record Found(
            @Nullable String type,
            boolean filled,
            boolean defaulted,
            @Nullable String oidType,
            boolean oidDefaulted,
            boolean guarded,
            String role,
            String owner,
            boolean trusted) {}

    private final Connection connection;
    private final TableName table;
    private final @Nullable TaskRights rights;
    private final SqlFile sql;
    private boolean marked;

    /** @param rights null where none are configured */
    OwnerGuardInstaller(Connection connection, TableName table, @Nullable TaskRights rights) {
        this.connection = connection;
        this.table = table;
        this.rights = rights;
        this.sql = table.sql("rights.sql");
    }

    /**
     * @param made whether the table was made just now
     * @param marked whether the table is known to be Howdah's
     * @param requireOwner complains, saying what for, if the scheduler may not alter the table
     * @return whether tasks are to run with the rights of their owners
     * @throws TaskTableException if the table cannot be served so, with the reason and the remedy
     */
    boolean complete(long oid, boolean made, boolean marked, Consumer<String> requireOwner) throws SQLException {
        this.marked = marked;
        if (rights == TaskRights.SCHEDULER) return false;
        Found found = find(oid);
        boolean ours = found.guarded() || found.defaulted();
        if (rights == null && !made && !(found.type() != null && ours)) {
            unguarded(found);
            return false;
        }
        column(found, requireOwner);
        oidColumn(found, requireOwner);
        if (!found.guarded()) {
            requireOwner.accept("guard the column \"owner\"");
            guard(oid).complete(requireOwner);
            binder(oid).complete(requireOwner);
            // A guard of another table, or none, means that no row is known to name a role of this server.
            for (String each :
                    new String[] {"bind_drop", "guard_drop", "oid_rows", "bind_added", "bind_changed", "bind_always"})
                execute(each);
            SqlFile named = sql.with(Map.of("mark", "'" + oid + "'"));
            for (String each : new String[] {"guard_added", "guard_changed", "guard_always"})
                try (Statement statement = connection.createStatement()) {
                    statement.execute(named.text(each));
                }
        }
        guardIds(oid, requireOwner);
        if (made) keepTriggersOut(oid);
        checkTrust(oid);
        return true;
    }

    /** As a table of the extension's: but then no other role may have a way to take the guard away. */
    private void unguarded(Found found) {
        if (!found.trusted())
            throw new TaskTableException(
                    "table " + table + " has no column \"owner\" that Howdah guards, and belongs to role "
                            + found.owner() + ", who would have the rights of role " + found.role()
                            + " by adding tasks: start with --rights owner to let tasks have the rights of those who add them, or"
                            + " with --rights scheduler if this is wanted");
        log.info(
                "tasks of {} have the rights of role {}, whoever adds them: the table has no column \"owner\""
                        + " (--rights owner adds it)",
                table,
                found.role());
    }

    private void column(Found found, Consumer<String> requireOwner) throws SQLException {
        if (found.type() == null) {
            requireOwner.accept("add column \"owner\"");
            execute("owner_column");
            execute("owner_comment");
            return;
        }
        if (!found.type().equals("text"))
            throw new TaskTableException("column \"owner\" of " + table + " is of type " + found.type()
                    + ", text is needed: rename it, and the right one is made; or start with --rights scheduler");
        if (found.filled() && found.defaulted()) return;
        requireOwner.accept("mend column \"owner\"");
        execute("owner_column_mended");
        execute("owner_rows");
        execute("owner_column_filled");
    }

    private void oidColumn(Found found, Consumer<String> requireOwner) throws SQLException {
        if (found.oidType() == null) {
            requireOwner.accept("add column \"owner_oid\"");
            execute("oid_column");
            execute("oid_comment");
        } else if (!found.oidType().equals("oid")) {
            throw new TaskTableException("column \"owner_oid\" of " + table + " is of type " + found.oidType()
                    + ", oid is needed: rename it, and the right one is made; or start with --rights scheduler");
        }
        if (found.oidDefaulted()) return;
        requireOwner.accept("give column \"owner_oid\" its default");
        execute("oid_default");
    }

    /** Sees to it that only the owner of the table chooses ids, and says of rows that they run. */
    private void guardIds(long oid, Consumer<String> requireOwner) throws SQLException {
        String signature = table.function("accept") + "()";
        boolean complete = function(oid, signature, "accept_function").complete(requireOwner);
        String sequence;
        try (PreparedStatement statement = sql.statement("owner_accepting")
                        .prepare(connection, oid, table.quoted(), signature, table.table() + "_accept");
                ResultSet row = statement.executeQuery()) {
            row.next();
            if (row.getBoolean("accepting") && complete) return;
            sequence = row.getString("sequence");
        }
        requireOwner.accept("guard the column \"id\"");
        String numbers = literal(sequence) + "::regclass";
        String chosen = sequence.isEmpty()
                ? "false"
                : "NEW.id IS DISTINCT FROM pg_sequence_last_value(" + numbers + ") OR NEW.id IS DISTINCT FROM currval("
                        + numbers + ")";
        execute("accept_drop");
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql.with(Map.of(
                            "relation",
                            literal(table.quoted()) + "::regclass",
                            "chosen",
                            chosen,
                            "numbers",
                            literal(sequence)))
                    .text("accept_trigger"));
        }
        execute("accept_always");
    }

    /** The name of a relation for the definition of a trigger, which takes no parameters. */
    private static String literal(String name) {
        return " E'" + name.replace("\\", "\\\\").replace("'", "''") + "'";
    }

    private void keepTriggersOut(long oid) throws SQLException {
        List<String> grantees = new ArrayList<>();
        try (PreparedStatement statement =
                        sql.statement("owner_trigger_holders").prepare(connection, oid);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) grantees.add(row.getString("grantee"));
        }
        for (String grantee : grantees)
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql.with(Map.of("grantee", grantee)).text("owner_keep_triggers_out"));
            }
    }

    private void checkTrust(long oid) throws SQLException {
        StringBuilder risks = new StringBuilder();
        StringBuilder remedies = new StringBuilder();
        try (PreparedStatement statement = sql.statement("owner_distrusted").prepare(connection, oid, table.quoted());
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                risks.append(risks.length() == 0 ? "" : ", ")
                        .append(row.getString("who"))
                        .append(' ')
                        .append(row.getString("what"));
                remedies.append(remedies.length() == 0 ? "" : "; ").append(row.getString("remedy"));
            }
        }
        if (risks.length() == 0) return;
        throw new TaskTableException(
                "tasks of " + table + " are to have the rights of their owners, but could have the scheduler's: "
                        + risks + ". What is put on the table runs in the scheduler's session: " + remedies
                        + "; or start with --rights scheduler");
    }

    private TableFunction guard(long oid) {
        return function(oid, table.guardFunction() + "()", "guard_function");
    }

    private TableFunction binder(long oid) {
        return function(oid, table.function("bind") + "()", "bind_function");
    }

    private TableFunction function(long oid, String signature, String definition) {
        return new TableFunction(connection, table, oid, marked, signature, sql.text(definition));
    }

    private Found find(long oid) throws SQLException {
        boolean complete = guard(oid).isComplete() && binder(oid).isComplete();
        try (PreparedStatement statement = sql.statement("owner_find")
                        .prepare(connection, oid, table.guardFunction() + "()", table.function("bind") + "()");
                ResultSet row = statement.executeQuery()) {
            row.next();
            boolean guarded = row.getInt("guards") == 2 && row.getInt("binders") == 2 && complete;
            return new Found(
                    row.getString("type"),
                    row.getBoolean("filled"),
                    row.getBoolean("defaulted"),
                    row.getString("oid_type"),
                    row.getBoolean("oid_defaulted"),
                    guarded,
                    row.getString("role"),
                    row.getString("owner"),
                    row.getBoolean("trusted"));
        }
    }

    private void execute(String name) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql.text(name));
        }
    }
}
