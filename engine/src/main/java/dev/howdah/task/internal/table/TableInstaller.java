package dev.howdah.task.internal.table;

import dev.howdah.internal.sql.OlderServers;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.internal.sql.Transactions;
import dev.howdah.internal.text.Identifiers;
import dev.howdah.task.TaskRights;
import dev.howdah.task.TaskState;
import dev.howdah.task.TaskTableException;
import dev.howdah.task.internal.store.TableName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the table of tasks where there is none, and completes one that exists: missing columns, checks, indexes and the
 * trigger are added; what the user has changed or added stays.
 */
public final class TableInstaller {
    private static final Logger log = LoggerFactory.getLogger(TableInstaller.class);

    static final List<String> STATES =
            Arrays.stream(TaskState.values()).map(Enum::name).toList();

    /** The triggers, each with the name of the table before it. */
    static final List<String> TRIGGERS = List.of(
            "wake_up",
            "ring",
            "after",
            "cron",
            "hash",
            "parent",
            "accept",
            "bind_added",
            "bind_changed",
            "added",
            "changed");

    /** The functions that they call. */
    static final List<String> TRIGGER_FUNCTIONS =
            List.of("wake_up", "ring", "after", "cron", "hash", "parent", "accept", "bind", "guard");

    private record Found(
            boolean hasSchema,
            boolean hasState,
            @Nullable String stateKind,
            @Nullable String otherType,
            boolean otherHolds,
            @Nullable Set<String> states,
            @Nullable Long oid,
            boolean marked,
            boolean known,
            @Nullable String kind,
            @Nullable String owner,
            boolean owned,
            String role,
            boolean mayCreate,
            String database) {}

    private final Connection connection;
    private final TableName table;
    private SqlFile sql;
    private final OwnerGuardInstaller owners;
    private final boolean adopting;

    /** Whether columns are made with the defaults that hold where nothing is set. */
    private boolean plainly;

    private boolean made;

    /**
     * @param rights the privileges that tasks are to have; null where none are configured
     * @param adopting whether a table that is there becomes one of tasks, whatever it looks like
     */
    public TableInstaller(Connection connection, TableName table, @Nullable TaskRights rights, boolean adopting) {
        this.adopting = adopting;
        this.connection = connection;
        this.table = table;
        this.owners = new OwnerGuardInstaller(connection, table, rights);
        this.sql = table.sql("task-table.sql");
    }

    /**
     * @param stateType the type of the column {@code state}, quoted
     * @param byOwner whether tasks have the rights of their owners
     * @param warnings what others could do that they should not be able to, or how names may mislead; each a sentence
     */
    public record Table(long oid, String stateType, boolean byOwner, List<String> warnings) {}

    /**
     * Makes or completes the table, in one transaction but for its schema and type.
     *
     * @throws TaskTableException if it cannot be served, with the reason and the remedy
     */
    public Table complete() throws SQLException {
        String refused = OlderServers.whyNoTasks(connection);
        if (refused != null) throw new TaskTableException(refused);
        try {
            return complete(false);
        } catch (SQLException e) {
            String state = String.valueOf(e.getSQLState());
            if (!state.startsWith("22") && !state.startsWith("23")) throw e;
            // A setting that does not fit is to fail the inserts that need it, not the scheduler.
            log.warn("a setting pg_task.* does not fit its column of {}: {}", table, e.getMessage());
            return complete(true);
        }
    }

    private Table complete(boolean plain) throws SQLException {
        plainly = plain;
        Table completed = Transactions.in(connection, () -> {
            begin();
            return completeNow();
        });
        if (made) log.info("made the table {}", table);
        return completed;
    }

    private Table completeNow() throws SQLException {
        Found found = find();
        if (found.kind() != null && !found.kind().matches("[rp]"))
            throw new TaskTableException(
                    table + " exists but is not a table; serve another name with --schema and --table");
        boolean made = found.oid() == null;
        if (!made) checkIsOurs(found);
        String ownType = found.otherType();
        if (found.hasState() && ownType == null) checkStates(found);
        if (made) create(found);
        else if (!found.hasState() && ownType == null) makeState(found);
        if (made || !found.hasState()) found = find();
        Long oid = found.oid();
        if (oid == null) throw new TaskTableException("table " + table + " was dropped while it was being made");
        if (ownType == null) checkStates(found);
        else sql = table.sql("task-table.sql", ownType);
        Found there = found;
        Consumer<String> requireOwner = what -> requireOwner(there, what);
        TableRepair repair = new TableRepair(connection, table, sql, requireOwner);
        TableColumns columns = new TableColumns(connection, table, sql, requireOwner);
        columns.complete(oid, ownType == null ? List.of() : wrongStates(oid, ownType, found.otherHolds()));
        new TableObjects(connection, table, sql, requireOwner, found.marked())
                .complete(oid, repair, columns.isHashGenerated());
        repair.repair(oid, TableColumns.names(), found.owned());
        checkRights(oid, found);
        boolean byOwner = owners.complete(oid, made, found.marked(), requireOwner);
        this.made = made;
        return new Table(oid, ownType == null ? stateType() : ownType, byOwner, warnings(found.role()));
    }

    /** Nothing that another program has made is taken over because of its name. */
    private void checkIsOurs(Found found) throws SQLException {
        if (found.marked()) return;
        if (!found.known() && !adopting)
            throw new TaskTableException(
                    "the table " + table + " is not a table of tasks, and is left as it is: it has neither the"
                            + " triggers that Howdah makes nor the columns id, plan, state, \"group\" and input of the"
                            + " extension pg_task with the enum " + stateType()
                            + ". Keep the tasks in another table with --schema or --table, or start with --adopt "
                            + table + " if the texts in its column input are to run as SQL");
        try (PreparedStatement statement = sql.statement("table_strange_trigger")
                        .prepare(connection, found.oid(), names(TRIGGERS), names(TRIGGER_FUNCTIONS), table.schema());
                ResultSet row = statement.executeQuery()) {
            if (row.next())
                throw new TaskTableException("the table " + table + " has another trigger "
                        + row.getString("trigger") + ", which Howdah does not replace: ALTER TRIGGER "
                        + row.getString("trigger") + " ON " + table.quoted() + " RENAME TO another name");
        }
    }

    private String[] names(List<String> of) {
        return of.stream().map(each -> table.table() + "_" + each).toArray(String[]::new);
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
        execute("table_create");
        execute("table_primary_key");
    }

    /** For a table that was made by hand. */
    private void makeState(Found found) throws SQLException {
        if (!found.mayCreate())
            throw new TaskTableException("role " + found.role() + " may not make the type " + stateType()
                    + ", which the table " + table + " needs: GRANT CREATE ON SCHEMA "
                    + Identifiers.quote(table.schema()) + " TO " + Identifiers.quote(found.role()));
        makeShared(found);
    }

    private String stateType() {
        return Identifiers.quote(table.schema(), "state");
    }

    /** What tables of a schema share is made by one of them, and there for the others at once. */
    private void makeShared(Found found) throws SQLException {
        if (found.hasSchema() && found.hasState()) return;
        execute("table_making");
        Found now = find();
        if (!now.hasSchema()) execute("table_create_schema");
        if (!now.hasState()) execute("state_create");
        connection.commit();
        begin();
    }

    /** What holds for one transaction. */
    private void begin() throws SQLException {
        execute("table_patience");
        if (plainly) execute("table_plain_settings");
    }

    /** What keeps a column {@code state} of a type that is not ours from having the states of tasks. */
    private List<String> wrongStates(long oid, String type, boolean holds) throws SQLException {
        String column = "column \"state\" of " + table + " is of type " + type;
        if (!holds)
            return List.of(
                    column + ", " + stateType() + " or text is needed: rename the column, and the right one is made");
        List<String> wrong = new ArrayList<>();
        try (PreparedStatement statement = sql.statement("state_checks")
                        .prepare(connection, oid, type, "{" + String.join(",", STATES) + "}");
                ResultSet checks = statement.executeQuery()) {
            while (checks.next()) {
                String refused = refused(checks.getString("statement"));
                if (refused != null)
                    wrong.add(column + ", and " + checks.getString("name") + " does not take " + refused);
            }
        }
        return wrong;
    }

    private @Nullable String refused(String check) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(check)) {
            row.next();
            return row.getString(1);
        }
    }

    private void checkStates(Found found) {
        Set<String> states = found.states() == null ? Set.of() : found.states();
        if (states.containsAll(STATES)) return;
        // Whatever has other values, or none, is another thing of the same name.
        if (!states.containsAll(Set.of("PLAN", "WORK")))
            throw new TaskTableException(stateType() + " is already the name of another " + found.stateKind()
                    + ", not the type of the states of tasks that Howdah needs under this name:"
                    + " rename it, or keep the tasks in another schema with --schema");
        String missing = STATES.stream()
                .filter(each -> !states.contains(each))
                .map(each -> "ALTER TYPE " + stateType() + " ADD VALUE '" + each + "'")
                .collect(Collectors.joining("; "));
        throw new TaskTableException("the type " + stateType() + " lacks states of tasks: " + missing);
    }

    private List<String> warnings(String role) throws SQLException {
        List<String> warnings = new ArrayList<>();
        String alone = OlderServers.whyTasksAlone(connection);
        if (alone != null) warnings.add(alone);
        List<String> creators = new ArrayList<>();
        try (PreparedStatement statement = sql.statement("schema_creators").prepare(connection, table.schema());
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) creators.add(rows.getString(1));
        }
        if (!creators.isEmpty()) {
            String list = String.join(", ", creators);
            warnings.add("others may create objects in the schema of the table " + table + ": REVOKE CREATE ON SCHEMA "
                    + Identifiers.quote(table.schema()) + " FROM " + list
                    + ", or keep the tasks in a schema of their own with"
                    + " --schema");
        }
        try (PreparedStatement statement =
                        sql.statement("schema_role_of_same_name").prepare(connection);
                ResultSet row = statement.executeQuery()) {
            row.next();
            if (row.getBoolean("named"))
                warnings.add(
                        "the role " + role + " has the name of the schema in which Howdah keeps its own tables, and"
                                + " \"$user\" in its search_path: names without a schema, such as \"job\", mean those tables in its"
                                + " sessions and tasks; ALTER ROLE " + Identifiers.quote(role)
                                + " SET search_path = public, or use"
                                + " a role of another name");
        }
        try (PreparedStatement statement =
                        sql.statement("settings_without_effect").prepare(connection);
                ResultSet row = statement.executeQuery()) {
            row.next();
            String names = row.getString("names");
            if (names != null)
                warnings.add("set, and without effect here: " + names
                        + "; the settings that Howdah reads are in docs/reference/task-table.md#settings");
        }
        return warnings;
    }

    private void requireOwner(Found found, String what) {
        if (found.owned() || found.oid() == null) return;
        throw new TaskTableException(
                "role " + found.role() + " may not " + what + " on " + table + ", which belongs to "
                        + found.owner() + ": GRANT " + Identifiers.quote(String.valueOf(found.owner())) + " TO "
                        + Identifiers.quote(found.role()) + ", or let Howdah connect once as " + found.owner());
    }

    private void checkRights(long oid, Found found) throws SQLException {
        try (PreparedStatement statement = sql.statement("table_privileges").prepare(connection, oid, table.quoted());
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
        try (PreparedStatement statement =
                        sql.statement("table_find").prepare(connection, table.schema(), table.table());
                ResultSet row = statement.executeQuery()) {
            row.next();
            long oid = row.getLong("oid");
            return new Found(
                    row.getBoolean("has_schema"),
                    row.getBoolean("has_state"),
                    row.getString("state_kind"),
                    row.getString("other_type"),
                    row.getBoolean("other_holds"),
                    TableObjects.strings(row.getArray("states")),
                    oid == 0 ? null : oid,
                    row.getBoolean("marked"),
                    row.getBoolean("known"),
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
