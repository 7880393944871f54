package dev.howdah.task.internal.table;

import dev.howdah.internal.sql.SqlFile;
import dev.howdah.task.TaskTableException;
import dev.howdah.task.internal.store.TableName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A function that belongs to the table of tasks. It runs in the sessions of tasks, of clients that add tasks, or of the
 * scheduler, so it has to be exactly the one that Howdah makes, and no role may be able to replace it that could not
 * become the scheduler's role anyway.
 */
final class TableFunction {
    private static final Pattern DEFINITION = Pattern.compile("AS (\\$\\w+\\$)(.*)\\1", Pattern.DOTALL);

    private record Found(boolean same, boolean called, String owner, String role, boolean trusted) {}

    private final Connection connection;
    private final TableName table;
    private final long oid;
    private final boolean marked;
    private final String signature;
    private final String definition;
    private final SqlFile tableSql;

    /**
     * @param oid of the table
     * @param marked whether the table is known to be Howdah's: then so are its functions
     * @param signature its name, quoted, with the types of its parameters
     * @param definition the statement that makes it
     */
    TableFunction(
            Connection connection, TableName table, long oid, boolean marked, String signature, String definition) {
        this.connection = connection;
        this.table = table;
        this.marked = marked;
        this.oid = oid;
        this.signature = signature;
        this.definition = definition;
        this.tableSql = table.sql("task-table.sql");
    }

    /** Returns whether it is there as Howdah makes it, and belongs to a role that is trusted. */
    boolean isComplete() throws SQLException {
        Found found = find();
        return found != null && found.same() && found.trusted();
    }

    /**
     * Makes it where it is missing or differs; says whether it was there as it has to be.
     *
     * @param requireOwner complains, saying what for, if the scheduler may not alter the table
     * @throws TaskTableException if it belongs to a role that is not trusted, or is another function of that name
     */
    boolean complete(Consumer<String> requireOwner) throws SQLException {
        if (check(find())) return true;
        requireOwner.accept("make the function " + signature);
        try (Statement statement = connection.createStatement()) {
            statement.execute(definition);
        }
        // One that was made by another role at the same moment would still belong to that role.
        if (!check(find()))
            throw new TaskTableException("function " + signature + " could not be made as it has to be");
        return false;
    }

    private boolean check(@Nullable Found found) {
        if (found == null) return false;
        if (!found.trusted())
            throw new TaskTableException("the function " + signature + " belongs to role " + found.owner()
                    + ", which could make it do anything with the rights of others: DROP FUNCTION " + signature
                    + ", and it is made anew, or ALTER FUNCTION " + signature + " OWNER TO " + found.role());
        if (!found.same() && !found.called() && !marked)
            throw new TaskTableException("there is another function " + signature + ", which the table " + table
                    + " does not use and Howdah does not replace: ALTER FUNCTION " + signature
                    + " RENAME TO another name, or DROP FUNCTION " + signature + " if nothing calls it;"
                    + " or keep the tasks in another table with --schema or --table");
        return found.same();
    }

    private @Nullable Found find() throws SQLException {
        Matcher text = DEFINITION.matcher(definition);
        if (!text.find()) throw new IllegalStateException("no body in " + definition);
        boolean definer = definition.substring(0, text.start()).contains("SECURITY DEFINER");
        try (PreparedStatement statement = tableSql.statement("table_function")
                        .prepare(connection, signature, text.group(2), definer, oid);
                ResultSet row = statement.executeQuery()) {
            if (!row.next()) return null;
            return new Found(
                    row.getBoolean("same"),
                    row.getBoolean("called"),
                    row.getString("owner"),
                    row.getString("role"),
                    row.getBoolean("trusted"));
        }
    }
}
