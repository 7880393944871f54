package dev.howdah.task;

import dev.howdah.Database;
import dev.howdah.health.Cause;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.health.CauseRows;
import dev.howdah.internal.run.SeenIds;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.internal.text.Identifiers;
import dev.howdah.task.internal.store.TableName;
import dev.howdah.task.internal.store.TaskRow;
import dev.howdah.task.internal.store.TaskSql;
import dev.howdah.task.internal.table.TableUninstaller;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The table {@code task} as its clients see it: adds tasks, reads them, stops them and runs them again. Each method
 * is one statement on a connection of its own unless it takes one, and throws {@link TaskException} if the database refuses it. Immutable and safe for use by many threads.
 *
 * <p>Nothing here is needed to use Howdah: any client that can {@code INSERT INTO task} adds tasks too.
 */
public final class TaskTable {
    /** The number of characters of {@code data}, {@code input}, {@code output} and {@code error} a list shows. */
    public static final int LISTED_CHARACTERS = 1_000;

    /** How long a list looks on for its first task. */
    private static final long LOOKS_NANOS = 2_000_000_000;

    /** A scheduler that is awake says something more often, whatever its lease is. */
    private static final int SILENT_SECONDS = 30;

    private final Connector connector;
    private final String name;
    private final SqlFile sql;
    private final SqlFile scheduleSql;

    private TaskTable(Connector connector, String schema, String table) {
        this.connector = connector;
        this.name = Identifiers.quote(schema, table);
        this.sql = TaskSql.CLIENT.with(Map.of("table", name, "state", Identifiers.quote(schema, "state")));
        this.scheduleSql = TaskSql.SCHEDULE.with(Map.of(
                "table",
                name,
                "schedule",
                Identifiers.quote(schema, table + "_schedule"),
                "schedules",
                Identifiers.quote(schema, table + "_schedules")));
    }

    /** The table of that name in {@code database}. */
    public static TaskTable on(Database database, String schema, String table) {
        return new TaskTable(() -> ConnectionSource.readCommitted(database.connect()), schema, table);
    }

    /** The table of that name, reached through connections of {@code dataSource}. */
    public static TaskTable on(DataSource dataSource, String schema, String table) {
        return new TaskTable(ConnectionSource.of(dataSource)::getConnection, schema, table);
    }

    /**
     * Checks that a scheduler can serve a table of that name.
     *
     * @throws IllegalArgumentException if the name is too long: its indexes and triggers are named after it
     */
    public static void checkName(String schema, String table) {
        new TableName(schema, table).quoted();
    }

    /**
     * Drops what Howdah has made for a table of tasks, in one transaction: triggers, functions, logins of owners and, where it is the last table of tasks of the database,
     * the functions, templates and documents in the schema {@code howdah}, and that schema if nothing else is in it. The table stays with its rows, columns and indexes, and
     * can be served again.
     *
     * @param connection as a role that may drop them
     * @param force also while a scheduler serves the table, or tasks wait or run, or templates or documents are there
     * @param dropTable drops the table, too, and the type of its states if nothing else uses it
     * @throws IllegalStateException if something would be lost, which the message says, or if the table is not Howdah's; nothing is dropped then
     * @throws SQLException if the server refuses a statement, as where something of a user depends on an object; nothing is dropped then
     */
    public static void uninstall(Connection connection, String schema, String table, boolean force, boolean dropTable)
            throws SQLException {
        String refusal = new TableUninstaller(connection, new TableName(schema, table)).run(force, dropTable);
        if (refusal != null) throw new IllegalStateException(refusal);
    }

    /** How many tasks meet the query, whatever its page is. Reads as much of the table as the query asks for: all of it where only texts are given. */
    public long count(TaskQuery query) {
        return count(query, Long.MAX_VALUE);
    }

    /** How many tasks meet the query, counted up to that number. */
    public long count(TaskQuery query, long most) {
        return one(
                sql.statement("client_count", TaskConditions.CountedTasks.class),
                row -> {
                    row.next();
                    return row.getLong(1);
                },
                new TaskConditions.CountedTasks(query.conditions(), most));
    }

    /** The task with that id. */
    public Optional<Task> find(long id) {
        return one(
                sql.statement("client_find"),
                row -> row.next() ? Optional.of(TaskRow.task(row)) : Optional.empty(),
                id);
    }

    /**
     * A page of tasks, with their texts cut to {@link #LISTED_CHARACTERS} characters; {@link #find} has them whole. Looks at 20,000 tasks at most; where these have none that is
     * meant, and no text is looked for, at 600,000 more, and on for two seconds, so that tasks that have ended are found behind millions that wait.
     */
    public TaskPage list(TaskQuery query) {
        return list(query, LOOKS_NANOS);
    }

    TaskPage list(TaskQuery query, long looksNanos) {
        SqlFile ordered = sql.with(query.inOrder().ofPage());
        Sql statement = query.isByPlan()
                ? ordered.statement("client_page_planned", TaskConditions.PlannedTasks.class)
                : ordered.statement("client_page", TaskConditions.ListedTasks.class);
        try (Connection connection = connector.connect()) {
            TaskQuery from = query;
            long began = System.nanoTime();
            for (int looked = query.looksAt(0); ; looked = query.looksAt(looked)) {
                TaskPage page = page(connection, statement, from, looked);
                TaskQuery further = page.next();
                if (!page.tasks().isEmpty() || further == null || query.looksAt(looked) == 0) return page;
                if (!TaskQuery.isLookedAtAnyway(looked) && System.nanoTime() - began >= looksNanos) return page;
                from = further;
            }
        } catch (SQLException e) {
            throw new TaskException(e);
        }
    }

    private static TaskPage page(Connection connection, Sql statement, TaskQuery query, int looked) {
        return on(
                connection,
                statement,
                rows -> {
                    List<Task> tasks = new ArrayList<>();
                    long searched = 0;
                    while (rows.next()) {
                        searched = rows.getLong("searched");
                        if (rows.getObject("id") != null) tasks.add(TaskRow.task(rows));
                    }
                    return TaskPage.of(query, tasks, searched);
                },
                query.values(looked, LISTED_CHARACTERS));
    }

    /** How many tasks there are by state; what has ended is counted among the newest only, see {@link TaskCounts}. */
    public TaskCounts counts() {
        return one(
                sql.statement("client_counts"),
                rows -> {
                    Map<TaskState, Long> counts = new EnumMap<>(TaskState.class);
                    long newest = 0;
                    while (rows.next()) {
                        counts.put(TaskState.valueOf(rows.getString("state")), rows.getLong("tasks"));
                        newest += rows.getLong("newest");
                    }
                    return new TaskCounts(counts, newest < TaskCounts.NEWEST);
                },
                TaskCounts.MOST_PLANNED + 1,
                TaskCounts.NEWEST);
    }

    /**
     * The groups that have tasks which run or are due, those with the most due ones first.
     *
     * @param most how many groups, 1 or more
     * @throws IllegalArgumentException if it is less
     */
    public List<TaskCounts.Group> groups(int most) {
        if (most < 1) throw new IllegalArgumentException("at least one group is listed, not " + most);
        return one(
                sql.statement("client_groups"),
                rows -> {
                    List<TaskCounts.Group> groups = new ArrayList<>();
                    while (rows.next()) groups.add(group(rows));
                    return groups;
                },
                TaskCounts.Group.MOST_DUE,
                most);
    }

    /**
     * Tasks over time, among the newest {@value TaskCounts#NEWEST}.
     *
     * @param step the length of a step, a second or more
     * @param first the beginning of the first one
     * @param group null: of all groups
     */
    public TaskCounts.Course course(Duration step, Instant first, @Nullable String group) {
        if (step.toSeconds() < 1) throw new IllegalArgumentException("a step has a second at least, not " + step);
        return one(
                sql.statement("client_course"),
                rows -> {
                    List<TaskCounts.Step> steps = new ArrayList<>();
                    long looked = 0;
                    while (rows.next()) {
                        looked = rows.getLong("looked");
                        if (rows.getObject("time") != null) steps.add(step(rows));
                    }
                    return new TaskCounts.Course(steps, looked < TaskCounts.NEWEST);
                },
                TaskCounts.NEWEST,
                (int) Math.min(step.toSeconds(), Integer.MAX_VALUE),
                first.getEpochSecond(),
                group);
    }

    private static TaskCounts.Step step(ResultSet row) throws SQLException {
        Array waited = row.getArray("waited");
        @Nullable Double[] seconds = waited == null ? new @Nullable Double[2] : (Double[]) waited.getArray();
        return new TaskCounts.Step(
                Objects.requireNonNull(row.getObject("time", OffsetDateTime.class))
                        .toInstant(),
                row.getLong("started"),
                row.getLong("done"),
                row.getLong("failed"),
                row.getLong("stopped"),
                duration(seconds[0]),
                duration(seconds[1]));
    }

    private static @Nullable Duration duration(@Nullable Double seconds) {
        return seconds == null ? null : Duration.ofNanos((long) (seconds * 1e9));
    }

    private static TaskCounts.Group group(ResultSet row) throws SQLException {
        OffsetDateTime oldest = row.getObject("oldest", OffsetDateTime.class);
        return new TaskCounts.Group(
                row.getString("group"),
                row.getString("remote"),
                row.getLong("running"),
                row.getLong("due"),
                oldest == null ? null : oldest.toInstant(),
                row.getInt("max"));
    }

    /**
     * Finds what became of tasks since an earlier look, by a bounded number of rows. A task that runs for less than the time between two looks is
     * named if it is new or was due at the one before; one that is planned for later, and is changed meanwhile, is not.
     *
     * @param before the last look; null: this is the first one
     * @param most how many new tasks are named, 1 to 1,000
     */
    public TaskEvents events(@Nullable TaskEvents before, int most) {
        if (most < 1 || most > 1_000)
            throw new IllegalArgumentException("events of up to " + most + " new tasks: it has to be 1 to 1000");
        SeenIds seen = SeenIds.read(before == null ? null : before.seen());
        Long[] none = {};
        return one(
                sql.statement("client_events"),
                rows -> {
                    Map<Long, TaskState> states = new LinkedHashMap<>();
                    Set<Long> added = new HashSet<>();
                    SeenIds now = null;
                    while (rows.next()) {
                        if (now == null)
                            now = SeenIds.after(
                                    seen, rows.getString("seen"), rows.getLong("millis"), rows.getLong("last"));
                        long id = rows.getLong("id");
                        if (rows.wasNull()) continue;
                        if (rows.getBoolean("added") && !added.contains(id) && added.size() <= most) added.add(id);
                        states.put(id, TaskState.valueOf(rows.getString("state")));
                    }
                    boolean hasMore = added.size() > most;
                    return new TaskEvents(
                            states, added, hasMore, Objects.requireNonNull(now).text());
                },
                seen == null ? none : seen.numbers(),
                seen == null ? none : seen.floors(),
                seen == null ? null : seen.snapshot(),
                before == null ? none : before.open().toArray(Long[]::new),
                most + 1);
    }

    /**
     * The tasks that a task has added, by running or by repeating, the newest first, with their texts cut.
     *
     * @param limit the maximum number
     */
    public List<Task> children(long id, int limit) {
        return related("client_children", id, limit);
    }

    /**
     * The tasks that wait for a task to end well, in the order of their ids, with their texts cut. Tasks that waited for it and have begun, or
     * will not run, are not among them.
     *
     * @param limit the maximum number
     */
    public List<Task> dependents(long id, int limit) {
        return related("client_dependents", id, limit);
    }

    /** The runs of a schedule, the newest first. */
    List<Task> runs(String schedule, int limit) {
        return listed(sql.statement("client_runs"), schedule, limit, LISTED_CHARACTERS);
    }

    /** The tasks that have these ids, in the order of the ids, with their texts cut. */
    public List<Task> listed(Collection<Long> ids) {
        return listed(sql.statement("client_named"), ids.toArray(Long[]::new), LISTED_CHARACTERS);
    }

    private List<Task> related(String statement, long id, int limit) {
        return listed(sql.statement(statement), id, limit, LISTED_CHARACTERS);
    }

    private List<Task> listed(Sql statement, Object... values) {
        return one(
                statement,
                rows -> {
                    List<Task> tasks = new ArrayList<>();
                    while (rows.next()) tasks.add(TaskRow.task(rows));
                    return tasks;
                },
                values);
    }

    /**
     * Deletes a task that has ended or was stopped.
     *
     * @return whether there was one; a task that waits or runs is not deleted
     */
    public boolean delete(long id) {
        return one(sql.statement("client_delete"), ResultSet::next, id);
    }

    /**
     * Says why a task does not run, in one statement that reads by key and locks nothing.
     *
     * @return the causes that hold, the most important first; never empty
     */
    public List<Cause> why(long id) {
        return one(
                TaskSql.WHY.with(Map.of("table", name)).statement("task_why"),
                rows -> {
                    List<Cause> causes = new ArrayList<>();
                    while (rows.next()) causes.add(CauseRows.cause(rows));
                    return causes;
                },
                id,
                name,
                SILENT_SECONDS);
    }

    /** The state of the task with that id. */
    public Optional<TaskState> state(long id) {
        return one(
                sql.statement("client_state"),
                row -> row.next() ? Optional.of(TaskState.valueOf(row.getString(1))) : Optional.empty(),
                id);
    }

    /**
     * Adds a task with the defaults of the table.
     *
     * @param input one or more SQL statements
     * @return its id
     * @throws TaskException if the database refuses it or cannot be reached
     */
    public long add(String input) {
        return add(NewTask.of(input));
    }

    /**
     * Adds a task.
     *
     * @return its id
     * @throws TaskException if the database refuses a value or cannot be reached
     */
    public long add(NewTask task) {
        try (Connection connection = connector.connect()) {
            return add(connection, task);
        } catch (SQLException e) {
            throw new TaskException(e);
        }
    }

    /**
     * Adds a task in the transaction of that connection: schedulers see it when that is committed.
     *
     * @return its id
     * @throws TaskException if the database refuses a value; the transaction has failed then
     */
    public long add(Connection connection, NewTask task) {
        return on(
                connection,
                adding(task),
                row -> {
                    row.next();
                    return row.getLong(1);
                },
                task.names(),
                task.values());
    }

    private Sql adding(NewTask task) {
        String quoted = Arrays.stream(task.names()).map(Identifiers::quote).collect(Collectors.joining(", "));
        return sql.with(Map.of("columns", quoted)).statement("client_add");
    }

    /**
     * Changes columns of a task that waits or was stopped; all others keep their values.
     *
     * @param task the columns that it sets, its SQL among them
     * @param defaults further columns, which take the defaults of the table
     * @return false if there is no such task, or if it runs or has ended: then nothing is changed
     * @throws TaskException if the database refuses a value or cannot be reached
     */
    public boolean change(long id, NewTask task, Collection<String> defaults) {
        String[] names = task.names();
        String columns = Stream.concat(Arrays.stream(names), defaults.stream())
                .map(Identifiers::quote)
                .collect(Collectors.joining(", "));
        String values = Stream.concat(
                        Arrays.stream(names).map(each -> "given." + Identifiers.quote(each)),
                        defaults.stream().map(each -> "DEFAULT"))
                .collect(Collectors.joining(", "));
        return one(
                sql.with(Map.of("columns", columns, "values", values)).statement("client_change"),
                ResultSet::next,
                id,
                names,
                task.values());
    }

    /**
     * Checks a task without adding it: the row is added in a transaction that is rolled back, which uses up an id. Where the input is
     * one statement that can be prepared, PostgreSQL parses it there, and looks up its tables and columns; nothing of it is run.
     *
     * @throws TaskException if {@link #add(NewTask)} would throw it
     */
    public TaskCheck check(NewTask task) {
        try (Connection connection = connector.connect()) {
            return TaskTrial.of(connection, adding(task), task);
        } catch (SQLException e) {
            throw new TaskException(e);
        }
    }

    /** The result of cancelling a task. */
    public sealed interface Cancellation {
        /** It was waiting; now it is stopped, and {@link #retry} would plan it again. */
        record Stopped() implements Cancellation {}

        /** It was running, and its server process was asked to cancel it; it ends as {@link TaskState#FAIL}. */
        record Requested() implements Cancellation {}

        /** It was not changed, because in this state it cannot be cancelled from here. */
        record Refused(TaskState state, boolean remote) implements Cancellation {}

        /** There is no task with that id. */
        record Missing() implements Cancellation {}
    }

    /**
     * Stops a waiting task, or asks the server to cancel a running one. A running task with a {@code remote} is
     * refused: its process is on another server.
     */
    public Cancellation cancel(long id) {
        return one(
                sql.statement("client_cancel"),
                row -> {
                    if (!row.next()) return new Cancellation.Missing();
                    if (row.getBoolean("stopped")) return new Cancellation.Stopped();
                    if (row.getBoolean("cancelled")) return new Cancellation.Requested();
                    return new Cancellation.Refused(
                            TaskState.valueOf(row.getString("state")), row.getBoolean("remote"));
                },
                id);
    }

    /** The result of retrying a task. */
    public sealed interface Retry {
        /** It is planned for now, its results emptied; it was in state {@code before}. */
        record Planned(TaskState before) implements Retry {}

        /** It was not changed, because it has not ended. */
        record Refused(TaskState state) implements Retry {}

        /** There is no task with that id. */
        record Missing() implements Retry {}
    }

    /** Plans a task that has ended to run once more, now. Its earlier results are lost. */
    public Retry retry(long id) {
        return one(
                sql.statement("client_retry"),
                row -> {
                    if (!row.next()) return new Retry.Missing();
                    TaskState before = TaskState.valueOf(row.getString("state"));
                    return row.getBoolean("planned") ? new Retry.Planned(before) : new Retry.Refused(before);
                },
                id);
    }

    /**
     * Plans those of these tasks that have ended to run once more, as {@link #retry} does, in one transaction. Tasks that another session
     * changes at this moment are left as they are.
     *
     * @return the number of tasks that are planned now
     * @throws TaskException if the database refuses it or cannot be reached
     */
    public long retryEach(Collection<Long> ids) {
        return each("client_retry_each", ids);
    }

    /**
     * Stops those of these tasks that wait, in one transaction; tasks that run are left, see {@link #cancel}.
     *
     * @return the number of tasks that are stopped now
     * @throws TaskException if the database refuses it or cannot be reached
     */
    public long stopEach(Collection<Long> ids) {
        return each("client_stop_each", ids);
    }

    /**
     * Takes back that tasks were stopped: those of these that were stopped before they had begun wait for the times that they had, in one transaction; one whose time
     * has passed meanwhile is due.
     *
     * @return the number of tasks that wait again
     * @throws TaskException if the database refuses it or cannot be reached
     */
    public long resumeEach(Collection<Long> ids) {
        return each("client_resume_each", ids);
    }

    /**
     * Deletes those of these tasks that have ended or were stopped, in one transaction.
     *
     * @return the number of tasks that are deleted
     * @throws TaskException if the database refuses it or cannot be reached
     */
    public long deleteEach(Collection<Long> ids) {
        return each("client_delete_each", ids);
    }

    /** What is done with all tasks that meet a query, with the states of the tasks that each is for. */
    public enum Change {
        /** Tasks that wait are stopped, or the server is asked to cancel those that run, see {@link #cancelAll}. */
        CANCEL(TaskState.PLAN, TaskState.TAKE, TaskState.WORK),
        /** Tasks that have ended run once more, see {@link #retryAll}. */
        RETRY(TaskState.FAIL, TaskState.STOP, TaskState.GONE, TaskState.DONE),
        /** Tasks that have ended are deleted, see {@link #deleteAll}. */
        DELETE(TaskState.FAIL, TaskState.STOP, TaskState.GONE, TaskState.DONE);

        private final List<TaskState> states;

        Change(TaskState... states) {
            this.states = List.of(states);
        }

        public List<TaskState> states() {
            return states;
        }
    }

    /** Told of each step of a change. */
    @FunctionalInterface
    public interface Progress {
        /**
         * Called after each transaction, in the thread of the caller.
         *
         * @param changed the number of tasks that were changed since the beginning
         * @param left the number of tasks that met the query and could not be changed
         * @return false to stop; what is done stays
         */
        boolean step(long changed, long left);
    }

    /**
     * Plans all tasks that have ended and meet the query to run once more, now, as {@link #retry} does. {@link #count} says beforehand how many
     * these are. Up to a thousand are retried in a transaction, as many as take about 80 ms, so that the scheduler goes on meanwhile; a failure leaves
     * what was done before. Tasks that another session changes at this moment are left as they are, and so are those that are added meanwhile. A task
     * with a cron or a repeat runs once: its next run was added when it ended. One that was stopped goes on with its times.
     *
     * @param query of tasks in the state FAIL, STOP, GONE or DONE, on all its pages
     * @return the number of tasks that are planned now
     * @throws IllegalArgumentException if the query is of another state, or of none
     * @throws TaskException if the database refuses it or cannot be reached
     */
    public long retryAll(TaskQuery query) {
        return change(Change.RETRY, query, (changed, left) -> true);
    }

    /**
     * Stops all tasks that wait and meet the query, as {@link #retryAll} does its work; with the state WORK, asks the server to cancel those that
     * run, one by one. Schedules that are cancelled so are at an end, see {@link TaskQuery#schedules}. Tasks that run are left if this role may not
     * cancel them, or if they have a {@code remote}.
     *
     * @param query of tasks in the state PLAN, TAKE or WORK
     * @return the number of tasks that are stopped, or were asked to cancel
     * @throws IllegalArgumentException if the query is of another state, or of none
     * @throws TaskException if the database refuses it or cannot be reached
     */
    public long cancelAll(TaskQuery query) {
        return change(Change.CANCEL, query, (changed, left) -> true);
    }

    /**
     * Deletes all tasks that have ended and meet the query, as {@link #retryAll} does its work.
     *
     * @param query of tasks in the state FAIL, STOP, GONE or DONE
     * @return the number of tasks that are deleted
     * @throws IllegalArgumentException if the query is of another state, or of none
     * @throws TaskException if the database refuses it or cannot be reached
     */
    public long deleteAll(TaskQuery query) {
        return change(Change.DELETE, query, (changed, left) -> true);
    }

    /**
     * Changes all tasks that meet the query, as {@link #retryAll} and the others do.
     *
     * @param progress is told of each transaction
     * @return the number of tasks that are changed
     * @throws IllegalArgumentException if the change is not for tasks in the state of the query
     * @throws TaskException if the database refuses it or cannot be reached
     */
    public long change(Change change, TaskQuery query, Progress progress) {
        try (Connection connection = connector.connect()) {
            return new TaskChanges(sql, progress).change(connection, change, query);
        } catch (SQLException e) {
            throw new TaskException(e);
        }
    }

    /** The schedules of this table: tasks that run again and again under a name. */
    public TaskSchedules schedules() {
        return new TaskSchedules(this, scheduleSql);
    }

    private long each(String statement, Collection<Long> ids) {
        return one(
                sql.statement(statement),
                row -> {
                    row.next();
                    return row.getLong(1);
                },
                (Object) ids.toArray(Long[]::new));
    }

    /** Runs one statement on a connection of its own. */
    <T extends @Nullable Object> T one(Sql statement, Result<T> result, @Nullable Object... parameters) {
        try (Connection connection = connector.connect()) {
            return on(connection, statement, result, parameters);
        } catch (SQLException e) {
            throw new TaskException(e);
        }
    }

    private static <T extends @Nullable Object> T on(
            Connection connection, Sql statement, Result<T> result, @Nullable Object... parameters) {
        try (PreparedStatement prepared = statement.prepare(connection, parameters);
                ResultSet rows = prepared.executeQuery()) {
            return result.read(rows);
        } catch (SQLException e) {
            throw new TaskException(e);
        }
    }

    /** Reads the rows of a statement. */
    interface Result<T extends @Nullable Object> {
        T read(ResultSet rows) throws SQLException;
    }

    private interface Connector {
        Connection connect() throws SQLException;
    }
}
