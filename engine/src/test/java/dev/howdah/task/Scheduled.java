package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.Database;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.SharedSession;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;

/** A table of tasks under test: who serves it, what is added to it, and what its rows say afterwards. */
final class Scheduled implements AutoCloseable {
    /** The scheduler's own session, as pg_stat_activity names it. */
    static final String BOOKS = "howdah public task";

    /** How many tasks are inside {@code work} now. */
    static final String WORKING = "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
            + " WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.classid = 7 AND l.granted";

    /** How long something may take that normally takes milliseconds. */
    static final Duration PATIENCE = Patience.LIMIT;

    /**
     * What tasks do: {@code work(seconds, others)} fails when the same task runs a second time at the same time, or when
     * more than {@code others} tasks of its group run beside it. A session that was ended says so a moment before it
     * lets go of its locks: hence 500 ms of patience.
     */
    private static final String WORK = """
            CREATE TABLE run (task bigint NOT NULL, "group" text NOT NULL, began timestamptz NOT NULL, ended timestamptz NOT NULL);
            CREATE FUNCTION work(seconds float8, others integer DEFAULT 0) RETURNS text LANGUAGE plpgsql AS $work$
            DECLARE
                me bigint := current_setting('pg_task.id');
                lane text := current_setting('pg_task.group');
                began timestamptz;
                beside integer;
            BEGIN
                PERFORM set_config('lock_timeout', '500ms', true);
                PERFORM pg_advisory_xact_lock(me);
                PERFORM pg_advisory_xact_lock_shared(7, hashtext(lane));
                began := clock_timestamp();
                LOOP
                    SELECT count(*) - 1 INTO beside FROM pg_locks l JOIN pg_database d ON d.oid = l.database
                    WHERE l.locktype = 'advisory' AND d.datname = current_database() AND l.classid = 7 AND l.objsubid = 2
                    AND l.objid = (hashtext(lane)::bigint & 4294967295)::oid AND l.granted;
                    EXIT WHEN beside <= others OR clock_timestamp() > began + interval '500 ms';
                    PERFORM pg_sleep(0.005);
                END LOOP;
                IF beside > others THEN RAISE 'group % has % tasks too many', lane, beside - others; END IF;
                PERFORM pg_sleep(seconds);
                INSERT INTO run VALUES (me, lane, began, clock_timestamp());
                RETURN 'done ' || me;
            END
            $work$;
            """;

    private final String uri;
    private final Database database;
    private final SharedSession session;
    private final List<TaskScheduler> schedulers = new ArrayList<>();

    /** What the listeners were told, in order: a word, and for some a reason behind it. */
    final List<String> told = new CopyOnWriteArrayList<>();

    private Scheduled(String uri) {
        this.uri = uri;
        this.database = Database.of(uri);
        this.session = new SharedSession(this::connect);
    }

    /** Nobody serves it yet. */
    static Scheduled at(String uri) {
        return new Scheduled(uri);
    }

    /** Starts a scheduler and waits until it is elected. */
    Scheduled serve() {
        return serve(database, 40);
    }

    Scheduled serve(Database through, int sessions) {
        long before = times("active");
        begin(through, sessions);
        awaitTold("active", before + 1);
        return this;
    }

    /** Starts a scheduler and waits for nothing. */
    TaskScheduler begin(Database through, int sessions) {
        return begin(through, sessions, Duration.ofSeconds(10));
    }

    TaskScheduler begin(Database through, int sessions, Duration lease) {
        TaskScheduler scheduler = TaskScheduler.on(through)
                .maxSessions(sessions)
                .lease(lease)
                .listener(listener())
                .start();
        schedulers.add(scheduler);
        return scheduler;
    }

    /** Writes down what it is told. */
    TaskScheduler.Listener listener() {
        return new TaskScheduler.Listener() {
            @Override
            public void active() {
                told.add("active");
            }

            @Override
            public void standby(String holder) {
                told.add("standby " + holder);
            }

            @Override
            public void waiting(String reason) {
                told.add("waiting " + reason);
            }

            @Override
            public void refused(String reason) {
                told.add("refused " + reason);
            }
        };
    }

    long times(String word) {
        return told.stream().filter(each -> each.startsWith(word)).count();
    }

    void awaitTold(String word, long times) {
        awaiting("told " + word).until(() -> times(word) >= times);
    }

    /** Makes the function {@code work} and the table {@code run}, where each finished call leaves a row. */
    Scheduled withWork() {
        execute(WORK);
        return this;
    }

    Database database() {
        return database;
    }

    /** A connection of the test's own, read committed whatever the level of the database is. */
    Connection connect() {
        try {
            Connection own = database.connect();
            own.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            return own;
        } catch (SQLException e) {
            throw new AssertionError("connect to " + uri + ": " + e.getMessage(), e);
        }
    }

    void execute(String sql) {
        try {
            session.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(sql + ": " + e.getMessage(), e);
        }
    }

    /** The first column of all rows. */
    List<@Nullable String> list(String sql) {
        try {
            List<@Nullable String> values = new ArrayList<>();
            for (List<@Nullable String> row : session.rows(sql)) values.add(row.get(0));
            return values;
        } catch (SQLException e) {
            throw new AssertionError(sql + ": " + e.getMessage(), e);
        }
    }

    String value(String sql) {
        List<@Nullable String> values = list(sql);
        assertThat(values).as(sql).hasSize(1);
        return String.valueOf(values.get(0));
    }

    long number(String sql) {
        return Long.parseLong(value(sql));
    }

    /** Adds a task that is all defaults but for its text. */
    long add(String input) {
        return add(input, "data", "NULL");
    }

    /** Adds a task. */
    long add(String input, String columns, String values) {
        return number("INSERT INTO task (input, " + columns + ") VALUES ($input$" + input + "$input$, " + values
                + ") RETURNING id");
    }

    String column(String name, long id) {
        return value("SELECT " + name + "::text FROM task WHERE id = " + id);
    }

    String state(long id) {
        return column("state", id);
    }

    void awaitState(long id, String state) {
        awaiting("task " + id + " " + state)
                .untilAsserted(() -> assertThat(
                                value("SELECT state || COALESCE(': ' || error, '') FROM task WHERE id = " + id))
                        .startsWith(state));
    }

    /** Waits until the task has ended; says in which state. */
    String awaitEnd(long id) {
        awaiting("end of task " + id)
                .until(() -> !List.of("PLAN", "TAKE", "WORK").contains(state(id)));
        return state(id);
    }

    /** That many tasks there are, all ended. */
    void awaitEnded(long count) {
        awaiting(count + " tasks ended")
                .untilAsserted(() -> assertThat(value("SELECT count(*) FILTER (WHERE state IN ('DONE', 'FAIL', 'GONE'))"
                                + " || ' of ' || count(*) FROM task"))
                        .isEqualTo(count + " of " + count));
    }

    /**
     * That many tasks that called {@code work} are there, each with one end and the right result; each did its work to
     * the end at least once, never twice at the same time.
     */
    void assertAllDone(long count) {
        awaitEnded(count);
        assertThat(list(
                        "SELECT id || ' ' || state || ' ' || COALESCE(output, 'NULL') || ' ' || COALESCE(error, '') FROM task"
                                + " WHERE state <> 'DONE' OR error IS NOT NULL OR output NOT LIKE '%done ' || id"
                                + " OR start IS NULL OR stop IS NULL OR pid IS NULL OR stop < start"))
                .isEmpty();
        assertThat(number("SELECT count(*) FROM task")).isEqualTo(count);
        assertThat(list("SELECT id FROM task WHERE id NOT IN (SELECT task FROM run)"))
                .as("without a trace of work")
                .isEmpty();
        assertThat(list("SELECT a.task FROM run a JOIN run b ON b.task = a.task AND b.ctid <> a.ctid"
                        + " AND b.began < a.ended AND a.began < b.ended"))
                .as("twice at the same time")
                .isEmpty();
    }

    /** Somebody makes it. */
    void awaitTable() {
        awaiting("the table")
                .until(() -> value("SELECT to_regclass('task') IS NOT NULL").equals("t"));
    }

    /** Ends all sessions of that name; says how many there were. */
    int terminate(String application) {
        return list("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
                        + " AND application_name = '" + application + "'")
                .size();
    }

    /** Whether the scheduler holds the lock of those who sleep. */
    boolean asleep() {
        return number("SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
                        + " WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.classid = 1215264868"
                        + " AND l.mode = 'ExclusiveLock' AND l.granted")
                == 1;
    }

    void awaitAsleep() {
        awaiting("asleep").until(this::asleep);
    }

    /** How long until this is so, in milliseconds. */
    static long millisUntil(String what, Callable<Boolean> condition) {
        long begun = System.nanoTime();
        awaiting(what).pollInterval(Duration.ofMillis(5)).until(condition);
        return (System.nanoTime() - begun) / 1_000_000;
    }

    static ConditionFactory awaiting(String what) {
        return await(what).atMost(PATIENCE).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(20));
    }

    /** Closes what was started, in that order. */
    @Override
    public void close() {
        schedulers.forEach(TaskScheduler::close);
        session.close();
    }
}
