package dev.howdah.task;

import static org.awaitility.Awaitility.await;

import dev.howdah.Database;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.text.Identifiers;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A table of tasks in a test's database with a scheduler of its own. Tests that share one keep to groups of their own
 * ({@link #newGroup}). Thread-safe.
 */
final class ServedTable implements AutoCloseable {
    private static final Duration PATIENCE = Patience.LIMIT;
    private static final AtomicInteger GROUPS = new AtomicInteger();

    private final TestDatabase database;
    private final String schema;
    private final String name;
    private final TaskTable tasks;
    private final TaskScheduler scheduler;
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    private final Connection watching;

    private ServedTable(
            TestDatabase database, String uri, String schema, String name, UnaryOperator<TaskScheduler.Builder> how) {
        this.database = database;
        this.schema = schema;
        this.name = name;
        this.tasks = TaskTable.on(Database.of(database.uri()), schema, name);
        this.watching = database.connect();
        this.scheduler = how.apply(TaskScheduler.on(Database.of(uri))
                        .table(schema, name)
                        .maxSessions(12)
                        .listener(new TaskScheduler.Listener() {
                            @Override
                            public void active() {
                                told.add("active");
                            }

                            @Override
                            public void refused(String reason) {
                                told.add("refused: " + reason);
                            }

                            @Override
                            public void waiting(String reason) {
                                told.add("waiting: " + reason);
                            }
                        }))
                .start();
    }

    /** {@code public.task}, served as soon as this returns. */
    static ServedTable in(TestDatabase database) {
        return in(database, how -> how);
    }

    static ServedTable in(TestDatabase database, UnaryOperator<TaskScheduler.Builder> how) {
        return begin(database, database.uri(), "public", "task", how).active();
    }

    /** One whose scheduler may still be on its way, or be refused. */
    static ServedTable begin(TestDatabase database, String uri, String schema, String name) {
        return begin(database, uri, schema, name, how -> how);
    }

    static ServedTable begin(
            TestDatabase database, String uri, String schema, String name, UnaryOperator<TaskScheduler.Builder> how) {
        return new ServedTable(database, uri, schema, name, how);
    }

    /** Waits until the scheduler works. */
    ServedTable active() {
        String first = firstTold();
        if (first.equals("active")) return this;
        close();
        throw new AssertionError("not served, " + first);
    }

    /** Waits until the scheduler says that it cannot serve the table; says why. */
    String refused() {
        String first = firstTold();
        if (first.startsWith("refused: ")) return first.substring("refused: ".length());
        throw new AssertionError("not refused, " + first);
    }

    private String firstTold() {
        try {
            String first = told.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            if (first == null) throw new AssertionError("nothing was heard of the scheduler");
            return first;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** The name of a group that no other test uses. */
    String newGroup() {
        return "group-" + GROUPS.incrementAndGet();
    }

    /** Adds a task; {@code columns}: names and values in turn. In a group of its own, unless one is given. */
    long add(String input, String... columns) {
        NewTask task = NewTask.of(input).group(newGroup());
        for (int i = 0; i < columns.length; i += 2) task = task.column(columns[i], columns[i + 1]);
        return tasks.add(task);
    }

    /** {@linkplain #add Adds} a task and waits until it has ended. */
    Task run(String input, String... columns) {
        return ended(add(input, columns));
    }

    /** The row of a task that ends or has ended. */
    Task ended(long id) {
        awaitTrue("SELECT state NOT IN ('PLAN', 'TAKE', 'WORK') FROM " + quoted() + " WHERE id = " + id);
        return find(id).orElseThrow();
    }

    Optional<Task> find(long id) {
        return tasks.find(id);
    }

    /** Waits until nothing of the group waits or runs. */
    void settled(String group) {
        awaitTrue("SELECT NOT EXISTS (SELECT FROM " + quoted() + " WHERE \"group\" = '" + group
                + "' AND state IN ('PLAN', 'TAKE', 'WORK'))");
    }

    /** Waits until nothing of the group runs or is due. */
    void idle(String group) {
        awaitTrue("SELECT NOT EXISTS (SELECT FROM " + quoted() + " WHERE \"group\" = '" + group
                + "' AND (state IN ('TAKE', 'WORK') OR state = 'PLAN' AND plan <= clock_timestamp()))");
    }

    /** Waits until the task runs. */
    void working(long id) {
        awaitTrue("SELECT state = 'WORK' FROM " + quoted() + " WHERE id = " + id);
    }

    /** Waits until a query answers true. */
    void awaitTrue(String query) {
        await(query)
                .atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> "t".equals(watch(query)));
    }

    private synchronized @Nullable String watch(String query) throws SQLException {
        try (PreparedStatement statement = watching.prepareStatement(query);
                ResultSet rows = statement.executeQuery()) {
            return rows.next() ? rows.getString(1) : null;
        }
    }

    /** The most tasks of the group that ran at the same moment, as their rows tell. */
    int peak(String group) {
        return Integer.parseInt(String.valueOf(value("SELECT COALESCE(max((SELECT count(*) FROM " + quoted()
                + " b WHERE b.\"group\" = a.\"group\" AND b.start <= a.start AND b.stop > a.start)), 0) FROM "
                + quoted()
                + " a WHERE a.\"group\" = '" + group + "' AND a.stop > a.start")));
    }

    /** The values of one expression over the rows of a group, in the order of their ids, joined by {@code |}. */
    String all(String group, String expression) {
        return String.valueOf(value("SELECT string_agg(COALESCE((" + expression
                + ")::text, '-'), '|' ORDER BY id) FROM " + quoted() + " WHERE \"group\" = '" + group + "'"));
    }

    /** The outputs of a group's tasks in the order in which they started. */
    String started(String group) {
        return String.valueOf(value("SELECT string_agg(COALESCE(output, '-'), '|' ORDER BY start) FROM " + quoted()
                + " WHERE \"group\" = '" + group + "'"));
    }

    void execute(String sql) {
        database.execute(sql);
    }

    @Nullable
    String value(String sql) {
        return database.value(sql);
    }

    List<List<@Nullable String>> query(String sql) {
        return database.query(sql);
    }

    TestDatabase database() {
        return database;
    }

    private String quoted() {
        return Identifiers.quote(schema, name);
    }

    /** Keeps tasks that call {@link #GATED} from ending, until it is closed. One at a time for a table. */
    Holder gate() {
        return new Holder(database(), "SELECT pg_advisory_xact_lock(4711)");
    }

    /** SQL of one row that waits for {@link #gate}. */
    static final String GATED = "SELECT 1 FROM pg_advisory_xact_lock_shared(4711)";

    /** A transaction of somebody else's that stays open: it keeps whatever it locks until it is closed. */
    static final class Holder implements AutoCloseable {
        private final Connection connection;

        Holder(TestDatabase database, String sql) {
            connection = database.connect();
            try (Statement statement = connection.createStatement()) {
                connection.setAutoCommit(false);
                statement.execute(sql);
            } catch (SQLException e) {
                throw new AssertionError(sql, e);
            }
        }

        /** Commits and lets go. */
        @Override
        public void close() {
            try (connection) {
                connection.commit();
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Override
    public void close() {
        scheduler.close();
        try {
            watching.close();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}
