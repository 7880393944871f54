package dev.howdah.testkit;

import dev.howdah.Database;
import dev.howdah.task.NewTask;
import dev.howdah.task.Task;
import dev.howdah.task.TaskScheduler;
import dev.howdah.task.TaskState;
import dev.howdah.task.TaskTable;
import dev.howdah.testkit.internal.sql.Settling;
import dev.howdah.testkit.internal.sql.TestQueries;
import java.time.Duration;
import java.util.Objects;

/**
 * Tasks under a test's control, on the test's own database: they run only while the test is in {@link #runDue} or {@link #advance}.
 *
 * <pre>{@code
 * TestTasks tasks = TestTasks.of(Database.of("postgresql://postgres@127.0.0.1/test"));
 * long id = tasks.add("SELECT count(*) FROM customer");
 * tasks.runDue();
 * tasks.assertOutput(id, "42");
 * }</pre>
 *
 * <p>A scheduler of its own runs the tasks, in sessions of their own, as in production. Times of {@code cron} are computed by the database's
 * time, also those after a time that the test has let pass. For one thread at a time.
 */
public final class TestTasks {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Database database;
    private final String schema;
    private final String name;
    private final TestQueries queries;
    private final Settling time;

    private TestTasks(Database database, String schema, String name) {
        this.database = database;
        this.schema = schema;
        this.name = name;
        this.queries = TestQueries.ofTasks(database, schema, name);
        this.time = new Settling(
                "tasks",
                () -> queries.list("task_unsettled", row -> row.getString(1)),
                () -> queries.number("task_next_due"),
                micros -> queries.run("task_advance", micros));
    }

    /** Returns the tasks of the table {@code public.task}, which is created. */
    public static TestTasks of(Database database) {
        return of(database, "public", "task");
    }

    /** Returns the tasks of the table of that name, which is created. */
    public static TestTasks of(Database database, String schema, String table) {
        TestTasks tasks = new TestTasks(database, schema, table);
        tasks.whileServed(() -> {});
        return tasks;
    }

    /** Returns the table as its clients see it. */
    public TaskTable table() {
        return TaskTable.on(database, schema, name);
    }

    /** Adds a task; see {@link TaskTable#add(String)}. */
    public long add(String input) {
        return table().add(input);
    }

    /** Adds a task; see {@link TaskTable#add(NewTask)}. */
    public long add(NewTask task) {
        return table().add(task);
    }

    /**
     * Runs all tasks that may start, and those that become due meanwhile, to their ends.
     *
     * @return how many have ended
     * @throws AssertionError if one does not end within half a minute
     */
    public long runDue() {
        return advance(Duration.ZERO);
    }

    /**
     * Lets time pass in which tasks run, each at its time.
     *
     * @return how many have ended
     * @throws AssertionError if one does not end within half a minute
     */
    public long advance(Duration passed) {
        long before = ended();
        whileServed(() -> time.pass(passed));
        return ended() - before;
    }

    private long ended() {
        return Objects.requireNonNull(queries.number("task_ended"));
    }

    private void whileServed(Runnable work) {
        try (TaskScheduler scheduler =
                TaskScheduler.on(database).table(schema, name).start()) {
            if (!scheduler.awaitServed(PATIENCE))
                throw new AssertionError("the tasks are not served after " + PATIENCE.toSeconds() + " seconds");
            work.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting", e);
        }
    }

    /** Returns a task. */
    public Task find(long id) {
        return table().find(id).orElseThrow(() -> new AssertionError("there is no task " + id));
    }

    /**
     * Fails unless the task is in that state.
     *
     * @throws AssertionError with the task's state and error
     */
    public void assertState(long id, TaskState state) {
        Task task = find(id);
        if (task.state() != state)
            throw new AssertionError("task " + id + " is " + task.state() + ", not " + state
                    + (task.error() == null ? "" : ": " + task.error()));
    }

    /**
     * Fails unless the task is done, with that output.
     *
     * @throws AssertionError with what it is
     */
    public void assertOutput(long id, String output) {
        assertState(id, TaskState.DONE);
        String found = find(id).output();
        if (!output.equals(found))
            throw new AssertionError("the output of task " + id + " is \"" + found + "\", not \"" + output + "\"");
    }

    /**
     * Fails unless the task has failed, with an error that has those words.
     *
     * @throws AssertionError with what it is
     */
    public void assertFailed(long id, String words) {
        assertState(id, TaskState.FAIL);
        String found = String.valueOf(find(id).error());
        if (!found.contains(words))
            throw new AssertionError("the error of task " + id + " does not have \"" + words + "\": " + found);
    }
}
