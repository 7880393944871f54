package dev.howdah.task;

import dev.howdah.internal.sql.Identifiers;
import dev.howdah.internal.sql.SqlFile;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the table of tasks where there is none, and completes one that exists: missing columns, checks, indexes and the
 * trigger are added; what the user has changed or added stays (specification, sections 0 and 2).
 */
final class TaskSetup {
    private static final Logger log = LoggerFactory.getLogger(TaskSetup.class);

    private static final List<String> STATES =
            Arrays.stream(TaskState.values()).map(Enum::name).toList();

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

    private final Connection connection;
    private final TableName table;
    private final SqlFile sql;
    private final OwnerSetup owners;

    /** Whether columns are made with the defaults that hold where nothing is set. */
    private boolean plainly;

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
     * Makes or completes the table, in one transaction but for its schema and type.
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

    private Table complete(boolean plain) throws SQLException {
        plainly = plain;
        connection.setAutoCommit(false);
        try {
            begin();
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
        boolean made = found.oid() == null;
        if (made) {
            create(found);
            found = find();
        }
        Long oid = found.oid();
        if (oid == null) throw new TaskTableException("table " + table + " was dropped while it was being made");
        if (found.kind() != null && !found.kind().matches("[rp]"))
            throw new TaskTableException(
                    table + " exists but is not a table; serve another name with --schema and --table");
        checkStates(found);
        Found there = found;
        Consumer<String> requireOwner = what -> requireOwner(there, what);
        TableRepair repair = new TableRepair(connection, table, sql, requireOwner);
        new TableColumns(connection, table, sql, requireOwner).complete(oid);
        new TableFittings(connection, table, sql, requireOwner).complete(oid, repair);
        repair.repair(oid, TableColumns.names(), found.owned());
        checkRights(oid, found);
        return new Table(oid, owners.complete(oid, made, requireOwner));
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
        makeShared(found);
        execute("create_table");
        execute("primary_key");
        log.info("made the table {}", table);
    }

    /** What tables of a schema share is made by one of them, and there for the others at once. */
    private void makeShared(Found found) throws SQLException {
        if (found.hasSchema() && found.hasState()) return;
        execute("making");
        Found now = find();
        if (!now.hasSchema()) execute("create_schema");
        if (!now.hasState()) execute("create_state");
        connection.commit();
        begin();
    }

    /** What holds for one transaction. */
    private void begin() throws SQLException {
        execute("patience");
        if (plainly) execute("plain_settings");
    }

    private void checkStates(Found found) {
        Set<String> states = found.states() == null ? Set.of() : found.states();
        if (!states.containsAll(STATES)) {
            Set<String> missing = new HashSet<>(STATES);
            missing.removeAll(states);
            throw new TaskTableException("type " + table.schema() + ".state lacks " + String.join(", ", missing)
                    + ": ALTER TYPE " + Identifiers.quote(table.schema(), "state") + " ADD VALUE ... for each");
        }
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
                    TableFittings.strings(row.getArray("states")),
                    oid == 0 ? null : oid,
                    row.getString("kind"),
                    row.getString("owner"),
                    row.getBoolean("owned"),
                    row.getString("role"),
                    row.getBoolean("may_create"),
                    row.getString("database"));
        }
    }

    private void execute(String name) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql.text(name));
        }
    }
}
