package dev.howdah.task;

import dev.howdah.internal.run.StepSize;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.task.TaskConditions.ChangedTasks;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** Changes all tasks that meet a query, in steps of a transaction each, in the order of their ids. */
final class TaskChanges {
    private final SqlFile sql;
    private final TaskTable.Progress progress;
    private long changed;
    private long left;

    /** @param sql the statements of clients, with names */
    TaskChanges(SqlFile sql, TaskTable.Progress progress) {
        this.sql = sql;
        this.progress = progress;
    }

    /**
     * @return the number of tasks that were changed
     * @throws IllegalArgumentException if the change is not for tasks in the state of the query
     */
    long change(Connection connection, TaskTable.Change change, TaskQuery query) throws SQLException {
        if (query.state() == null || !change.states().contains(query.state()))
            throw new IllegalArgumentException(
                    "tasks " + (query.state() == null ? "" : "in state " + query.state() + " ")
                            + "cannot be changed so: the state of the query has to be one of "
                            + change.states().stream().map(Enum::name).collect(Collectors.joining(", ")));
        long last;
        try (PreparedStatement newest = sql.statement("client_last_id").prepare(connection);
                ResultSet row = newest.executeQuery()) {
            row.next();
            last = row.getLong(1);
        }
        TaskConditions conditions = query.conditions();
        if (query.state() == TaskState.TAKE || query.state() == TaskState.WORK)
            cancelRunning(connection, conditions, last);
        else inSteps(connection, statement(change), conditions, last);
        return changed;
    }

    private Sql statement(TaskTable.Change change) {
        return switch (change) {
            case RETRY -> sql.statement("client_all_retry", ChangedTasks.class);
            case CANCEL -> sql.statement("client_all_stop", ChangedTasks.class);
            case DELETE -> sql.statement("client_all_delete", ChangedTasks.class);
        };
    }

    private void inSteps(Connection connection, Sql statement, TaskConditions conditions, long last)
            throws SQLException {
        StepSize size = new StepSize();
        for (long after = Long.MIN_VALUE; ; ) {
            long begun = System.nanoTime();
            try (PreparedStatement step =
                            statement.prepare(connection, new ChangedTasks(conditions, after, last, size.rows()));
                    ResultSet row = step.executeQuery()) {
                row.next();
                long seen = row.getLong("seen");
                if (seen == 0) return;
                changed += row.getLong("changed");
                left += seen - row.getLong("changed");
                after = row.getLong("next");
            }
            if (!progress.step(changed, left)) return;
            size.took(System.nanoTime() - begun);
        }
    }

    /** One by one, since the server asks the process of each, and may say that this role must not. */
    private void cancelRunning(Connection connection, TaskConditions conditions, long last) throws SQLException {
        Sql statement = sql.with(Map.of("lock", "")).statement("client_all_running", ChangedTasks.class);
        for (long after = Long.MIN_VALUE; ; ) {
            List<Long> ids = new ArrayList<>();
            try (PreparedStatement step = statement.prepare(
                            connection, new ChangedTasks(conditions, after, last, new StepSize().rows()));
                    ResultSet rows = step.executeQuery()) {
                while (rows.next()) ids.add(rows.getLong(1));
            }
            if (ids.isEmpty()) return;
            for (long id : ids)
                if (cancelled(connection, id)) changed++;
                else left++;
            if (!progress.step(changed, left)) return;
            after = ids.get(ids.size() - 1);
        }
    }

    private boolean cancelled(Connection connection, long id) throws SQLException {
        try (PreparedStatement cancel = sql.statement("client_cancel").prepare(connection, id);
                ResultSet row = cancel.executeQuery()) {
            return row.next() && (row.getBoolean("stopped") || row.getBoolean("cancelled"));
        } catch (SQLException e) {
            if (Objects.equals(e.getSQLState(), "42501")) return false;
            throw e;
        }
    }
}
