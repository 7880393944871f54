package dev.howdah.task;

import dev.howdah.internal.run.StepSize;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** Changes all tasks that meet a filter, in steps of a transaction each, in the order of their ids. */
final class TaskChanges {
    private static final String CONDITION_BEGINS = "/*filter:*/";
    private static final String CONDITION_ENDS = "/*:filter*/";

    private final SqlFile sql;

    /** @param sql the statements of clients, with names and filter */
    TaskChanges(SqlFile sql) {
        this.sql = sql;
    }

    /** The statements with the condition of the filter, which stands in one of them. */
    static SqlFile withFilter(SqlFile sql) {
        String text = sql.text("client_filter_count");
        return sql.with(Map.of(
                "filter",
                text.substring(
                        text.indexOf(CONDITION_BEGINS) + CONDITION_BEGINS.length(), text.indexOf(CONDITION_ENDS))));
    }

    /** The kinds of changes, with the states of the tasks that each is for. */
    enum Change {
        RETRY("client_filter_retry", TaskState.FAIL, TaskState.STOP, TaskState.GONE, TaskState.DONE),
        CANCEL("client_filter_stop", TaskState.PLAN, TaskState.WORK),
        DELETE("client_filter_delete", TaskState.FAIL, TaskState.STOP, TaskState.GONE, TaskState.DONE);

        private final String statement;
        private final List<TaskState> states;

        Change(String statement, TaskState... states) {
            this.statement = statement;
            this.states = List.of(states);
        }
    }

    /**
     * @return the number of tasks that were changed
     * @throws IllegalArgumentException if the change is not for tasks in the state of the filter
     */
    long change(Connection connection, Change change, TaskFilter filter) throws SQLException {
        if (filter.state() == null || !change.states.contains(filter.state()))
            throw new IllegalArgumentException(
                    "tasks " + (filter.state() == null ? "" : "in state " + filter.state() + " ")
                            + "cannot be changed so: the state of the filter has to be one of "
                            + change.states.stream().map(Enum::name).collect(Collectors.joining(", ")));
        long end;
        try (PreparedStatement last = sql.statement("client_last_id").prepare(connection);
                ResultSet row = last.executeQuery()) {
            row.next();
            end = row.getLong(1);
        }
        return filter.state() == TaskState.WORK
                ? cancelRunning(connection, filter, end)
                : inSteps(connection, sql.statement(change.statement), filter, end);
    }

    private static long inSteps(Connection connection, Sql statement, TaskFilter filter, long end) throws SQLException {
        StepSize size = new StepSize();
        long changed = 0;
        for (long after = Long.MIN_VALUE; ; ) {
            long begun = System.nanoTime();
            try (PreparedStatement step = statement.prepare(connection, filter.values(after, end, size.rows()));
                    ResultSet row = step.executeQuery()) {
                row.next();
                if (row.getLong("seen") == 0) return changed;
                changed += row.getLong("changed");
                after = row.getLong("next");
            }
            size.took(System.nanoTime() - begun);
        }
    }

    /** One by one, since the server asks the process of each, and may say that this role must not. */
    private long cancelRunning(Connection connection, TaskFilter filter, long end) throws SQLException {
        long changed = 0;
        for (long after = Long.MIN_VALUE; ; ) {
            List<Long> ids = new ArrayList<>();
            try (PreparedStatement step = sql.statement("client_filter_running")
                            .prepare(connection, filter.values(after, end, new StepSize().rows()));
                    ResultSet rows = step.executeQuery()) {
                while (rows.next()) ids.add(rows.getLong(1));
            }
            if (ids.isEmpty()) return changed;
            for (long id : ids) if (cancelled(connection, id)) changed++;
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
