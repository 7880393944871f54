package dev.howdah.task.internal.table;

import dev.howdah.internal.sql.SqlDialect;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.internal.sql.SqlStatement;
import dev.howdah.internal.text.Identifiers;
import dev.howdah.task.TaskTableException;
import dev.howdah.task.internal.store.TableName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Gives the columns of an existing table back what they have lost: the key and the numbers of {@code id}, whether they
 * take NULL, what they say about themselves. Other columns are the user's.
 */
final class TableRepair {
    private static final Pattern COLUMN =
            Pattern.compile("COMMENT ON COLUMN .* \\. \"?(\\w+)\"? IS\\s.*", Pattern.DOTALL);

    /** @param keyed whether it belongs to the primary key, or has numbers of its own that cannot be NULL */
    private record Column(boolean notNull, boolean keyed, boolean numbered, boolean described) {}

    private final Connection connection;
    private final TableName table;
    private final SqlFile sql;
    private final Consumer<String> requireOwner;

    /** @param requireOwner fails if the scheduler's role may not do this to the table */
    TableRepair(Connection connection, TableName table, SqlFile sql, Consumer<String> requireOwner) {
        this.connection = connection;
        this.table = table;
        this.sql = sql;
        this.requireOwner = requireOwner;
    }

    /** The column id is unique from now on. */
    void addKey() throws SQLException {
        requireOwner.accept("add the primary key");
        try {
            run(sql.text("table_primary_key"));
        } catch (SQLException e) {
            if (!String.valueOf(e.getSQLState()).matches("23505|23502|42P16|0A000")) throw e;
            throw new TaskTableException("column \"id\" of " + table + " is not unique: ALTER TABLE " + table.quoted()
                    + " ADD PRIMARY KEY (id) would fail with " + e.getMessage());
        }
    }

    /** @param owned whether comments may be made */
    void repair(long oid, List<String> columns, boolean owned) throws SQLException {
        Map<String, Column> found = columns(oid);
        Column id = found.get("id");
        if (id != null && !id.numbered()) {
            requireOwner.accept("give column \"id\" its numbers");
            addNumbers(oid);
        }
        for (String each : columns) {
            Column column = found.get(each);
            if (column != null && !each.equals("id")) repairNull(each, column);
        }
        if (owned) describe(found);
    }

    private void addNumbers(long oid) throws SQLException {
        if (ask("sequence_strange", table.sequence(), Long.toString(oid)).contains("t"))
            throw new TaskTableException("column \"id\" of " + table + " has no numbers, and " + table.sequence()
                    + " is not its sequence: ALTER SEQUENCE " + table.sequence() + " OWNED BY " + table.quoted()
                    + ".id if it is meant, or rename it");
        run(sql.text("table_sequence"));
        ask("sequence_forward", table.sequence());
        for (String statement : ask("sequence_use", table.quoted(), table.sequence())) run(statement);
    }

    private void repairNull(String name, Column column) throws SQLException {
        boolean wanted = sql.text("column_" + name).contains("NOT NULL");
        if (column.notNull() == wanted || !wanted && column.keyed()) return;
        String alter = "ALTER TABLE " + table.quoted() + " ALTER COLUMN " + Identifiers.quote(name);
        requireOwner.accept((wanted ? "refuse" : "allow") + " NULL in column \"" + name + "\"");
        try {
            run(alter + (wanted ? " SET NOT NULL" : " DROP NOT NULL"));
        } catch (SQLException e) {
            if (!SqlErrors.isNotNullViolation(e)) throw e;
            String value = name.equals("input") ? "''" : "DEFAULT";
            throw new TaskTableException("column \"" + name + "\" of " + table + " is NULL in some rows: UPDATE "
                    + table.quoted() + " SET " + Identifiers.quote(name) + " = " + value + " WHERE "
                    + Identifiers.quote(name) + " IS NULL");
        }
    }

    /** Comments that a user has set stay. */
    private void describe(Map<String, Column> found) throws SQLException {
        List<String> missing = new ArrayList<>();
        for (SqlStatement each : SqlStatement.in(sql.text("table_comments"), SqlDialect.POSTGRES)) {
            String comment = each.text().strip();
            Matcher column = COLUMN.matcher(comment);
            Column described = found.get(column.matches() ? column.group(1) : "");
            if (described != null && !described.described()) missing.add(comment);
        }
        if (!missing.isEmpty()) run(String.join(";", missing));
    }

    /** The columns by name; by an empty name the table. */
    private Map<String, Column> columns(long oid) throws SQLException {
        Map<String, Column> columns = new HashMap<>();
        try (PreparedStatement statement = sql.statement("column_details").prepare(connection, oid);
                ResultSet row = statement.executeQuery()) {
            while (row.next())
                columns.put(
                        row.getString("name"),
                        new Column(
                                row.getBoolean("not_null"),
                                row.getBoolean("keyed"),
                                row.getBoolean("numbered"),
                                row.getBoolean("described")));
        }
        return columns;
    }

    /** The first column of all rows. */
    private List<String> ask(String name, String... parameters) throws SQLException {
        List<String> answer = new ArrayList<>();
        try (PreparedStatement statement = sql.statement(name).prepare(connection, (Object[]) parameters);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) answer.add(row.getString(1));
        }
        return answer;
    }

    private void run(String text) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(text);
        }
    }
}
