package dev.howdah.console.internal.task;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleData.TableName;
import dev.howdah.console.internal.data.Recent;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.internal.text.Identifiers;
import dev.howdah.operations.read.ReadException;
import dev.howdah.task.Task;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The columns that users have added to tables of tasks, for lists: those of {@link Task#others} are not read there. */
final class OwnColumns {
    private static final SqlFile FILE = SqlFile.of(OwnColumns.class, "own-columns.sql");
    private static final Sql OWN = FILE.statement("column_own");

    /** Columns are rarely added. */
    private static final Duration NAMES_AGE = Duration.ofSeconds(30);

    /** More than is shown: what a secret is cannot be seen where it is cut, and it is masked before the rest is left out. */
    private static final int LONGEST = 4_000;

    private static final String[] KNOWN = (TaskPageController.usual()
                    + " id parent plan start stop active repeat timeout max pid state group remote cron zone attempts backoff after retry"
                    + " once notify owner owner_oid data input output error hash")
            .split(" ");

    private final ConsoleData data;
    private final Map<TableName, Recent<List<String>>> names = new ConcurrentHashMap<>();

    OwnColumns(ConsoleData data) {
        this.data = data;
    }

    /** Their names, in the order of the table. */
    List<String> of(TableName table) {
        return names.computeIfAbsent(table, each -> new Recent<>(NAMES_AGE, () -> read(each)))
                .get();
    }

    private List<String> read(TableName table) {
        try (Connection connection = data.source().getConnection();
                PreparedStatement statement =
                        OWN.prepare(connection, Identifiers.quote(table.schema(), table.table()), KNOWN);
                ResultSet rows = statement.executeQuery()) {
            List<String> found = new ArrayList<>();
            while (rows.next()) found.add(rows.getString(1));
            return found;
        } catch (SQLException e) {
            throw new ReadException(e);
        }
    }

    /**
     * The values of these columns by the ids of the tasks.
     *
     * @param columns of those that the table has
     */
    Map<Long, List<@Nullable String>> values(TableName table, List<String> columns, List<Task> tasks) {
        Map<Long, List<@Nullable String>> values = new HashMap<>();
        if (columns.isEmpty() || tasks.isEmpty()) return values;
        StringBuilder chosen = new StringBuilder();
        for (String each : columns)
            chosen.append(", left(t.").append(Identifiers.quote(each)).append("::text, " + LONGEST + ")");
        Sql sql = FILE.with(
                        Map.of("table", Identifiers.quote(table.schema(), table.table()), "values", chosen.toString()))
                .statement("column_values");
        try (Connection connection = data.source().getConnection();
                PreparedStatement statement = sql.prepare(
                        connection, (Object) tasks.stream().map(Task::id).toArray(Long[]::new));
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                List<@Nullable String> row = new ArrayList<>();
                for (int i = 0; i < columns.size(); i++) row.add(rows.getString(i + 2));
                values.put(rows.getLong(1), row);
            }
            return values;
        } catch (SQLException e) {
            throw new ReadException(e);
        }
    }
}
