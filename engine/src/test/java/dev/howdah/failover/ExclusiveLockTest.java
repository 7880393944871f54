package dev.howdah.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.Database;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsException;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.ProcessException;
import dev.howdah.process.Processes;
import dev.howdah.process.Request;
import dev.howdah.process.TaskType;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.sweep.Sweep;
import dev.howdah.task.TaskScheduler;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A session holds tables of Howdah in ACCESS EXCLUSIVE mode for a while, as ALTER TABLE or VACUUM FULL does, while two nodes live.
 * Nothing is lost or done twice, nothing counts as failed, and work goes on after the release. {@code -Dhowdah.locked=12} is the
 * long form, in which the lock is held for longer than a session may keep silent.
 */
@Tag("long")
@PostgresTest
class ExclusiveLockTest {
    private static final Duration LOCKED = Duration.ofSeconds(Integer.getInteger("howdah.locked", 2));
    private static final Duration PATIENCE = Patience.LIMIT;

    private final TestDatabase database;
    private final Map<String, Integer> runs = new ConcurrentHashMap<>();
    private final List<String> acknowledged = new ArrayList<>();

    ExclusiveLockTest(TestDatabase database) {
        this.database = database;
    }

    private DataSource source(String name) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl("jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name()
                + "?user=postgres&ApplicationName=" + name);
        return source;
    }

    private void ran(String what) {
        runs.merge(what, 1, Integer::sum);
    }

    private static void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(condition);
    }

    private interface Adding {
        /** Returns false if that was refused. */
        boolean add(String name);
    }

    /** Adds work before, while and after the tables are locked; returns when all of it has run. */
    private void work(String tables, Adding adding) throws Exception {
        add(adding, "before");
        await("work before the lock", () -> runs.keySet().containsAll(acknowledged));
        AtomicBoolean isLocked = new AtomicBoolean(true);
        Thread producer = new Thread(() -> {
            for (int i = 0; isLocked.get(); i++) {
                add(adding, "meanwhile" + i);
                pause(20);
            }
        });
        List<Throwable> failures = new ArrayList<>();
        producer.setUncaughtExceptionHandler((thread, e) -> failures.add(e));
        producer.start();
        hold(tables);
        isLocked.set(false);
        producer.join(PATIENCE.toMillis());
        assertThat(failures).isEmpty();
        assertThat(producer.isAlive()).as("the producer waits").isFalse();
        add(adding, "after");
        long released = System.nanoTime();
        await("all work", () -> runs.keySet().containsAll(acknowledged));
        Duration took = Duration.ofNanos(System.nanoTime() - released);
        assertThat(took).as("work goes on after the release").isLessThan(Duration.ofSeconds(30));
        assertThat(acknowledged).contains("before", "after");
    }

    /**
     * Each piece of work has run once, unless a node was taken for dead: where the lock is held for longer than a session may
     * keep silent, or the machine stood still for so long. Then its work runs again.
     *
     * @param before the ids of the nodes before the lock
     */
    private void assertOnce(String before, String after) {
        if (after.equals(before))
            assertThat(runs)
                    .allSatisfy((what, times) -> assertThat(times).as(what).isOne());
    }

    private String ids(String nodes) {
        return String.valueOf(database.value("SELECT string_agg(id::text, ' ' ORDER BY id) FROM " + nodes));
    }

    private void add(Adding adding, String name) {
        if (adding.add(name)) acknowledged.add(name);
    }

    private static void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void hold(String tables) throws SQLException {
        for (int tries = 0; ; tries++) {
            try (Connection connection = database.connect();
                    Statement statement = connection.createStatement()) {
                connection.setAutoCommit(false);
                statement.execute("LOCK TABLE " + tables + " IN ACCESS EXCLUSIVE MODE");
                pause(LOCKED.toMillis());
                connection.rollback();
                return;
            } catch (SQLException e) {
                // Several tables are locked one after the other.
                if (!"40P01".equals(e.getSQLState()) || tries == 20) throw e;
            }
        }
    }

    private Jobs jobs(String name) {
        return Jobs.on(source(name))
                .nodeName(name)
                .concurrency(4)
                .queues("default", "few")
                .nodeLimit("few", 2)
                .defaultRetries(RetryPolicy.never())
                .handle(Kind.of("plain", String.class), (payload, job) -> ran(payload))
                .handleInTransaction(Kind.of("transactional", String.class), (payload, job, connection) -> ran(payload))
                .start();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "howdah_internal.job",
                "howdah_internal.batch",
                "howdah_internal.node",
                "howdah_internal.failed",
                "howdah_internal.lane, howdah_internal.lane_priority, howdah_internal.queue_limit, howdah_internal.stat, howdah_internal.stat_mark, howdah_internal.stat_open",
                "howdah_internal.body, howdah_internal.cancellation, howdah_internal.delegate, howdah_internal.follower, howdah_internal.key, howdah_internal.key_late,"
                        + " howdah_internal.order_key, howdah_internal.ordered, howdah.schedule"
            })
    void jobs_tableIsLocked_goOnAfterwards(String tables) throws Exception {
        try (Jobs first = jobs("first");
                Jobs second = jobs("second")) {
            String nodes = ids("howdah_internal.node");
            work(tables, name -> {
                Jobs through = name.hashCode() % 2 == 0 ? first : second;
                int kind = Math.floorMod(name.hashCode(), 4);
                NewJob<String> job = NewJob.of(Kind.of(kind == 0 ? "transactional" : "plain", String.class), name);
                if (kind == 1) job = job.orderKey("k");
                if (kind == 2) job = job.queue("few");
                try {
                    through.add(job);
                    return true;
                } catch (JobsException e) {
                    return false;
                }
            });
            await(
                    "nothing is left",
                    () -> "0"
                            .equals(database.value("SELECT (SELECT count(*) FROM howdah_internal.job)"
                                    + " + (SELECT count(*) FROM howdah_internal.batch WHERE ended IS NULL)")));
            assertThat(database.value("SELECT count(*) FROM howdah_internal.failed"))
                    .isEqualTo("0");
            assertOnce(nodes, ids("howdah_internal.node"));
        }
    }

    private Processes processes(String name) {
        return Processes.on(source(name))
                .nodeName(name)
                .namespace(Namespace.builder("calls", (task, process) -> {
                            if (task.type() == TaskType.INIT) return Intent.none();
                            String args = task.args().as(String.class);
                            ran(args);
                            return Intent.none().event(args).response(args);
                        })
                        .repeatable(true)
                        .build())
                .start();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "howdah_internal.process",
                "howdah_internal.process_task",
                "howdah_internal.process_event, howdah_internal.process_reply, howdah_internal.process_key",
                "howdah_internal.node",
                "howdah_internal.process_namespace, howdah_internal.process_outbox, howdah.process_held, howdah_internal.process_gone"
            })
    void processes_tableIsLocked_goOnAfterwards(String tables) throws Exception {
        try (Processes first = processes("first");
                Processes second = processes("second")) {
            first.init("calls", "p0", "");
            first.init("calls", "p1", "");
            String nodes = ids("howdah_internal.node");
            List<String> refused = new ArrayList<>();
            work(tables, name -> {
                Processes through = name.hashCode() % 2 == 0 ? first : second;
                try {
                    through.notify(Request.of("calls", "p" + Math.floorMod(name.hashCode(), 2))
                            .args(name)
                            .key(name));
                    return true;
                } catch (ProcessException e) {
                    refused.add(e.getMessage());
                    return false;
                }
            });
            String after = ids("howdah_internal.node");
            assertOnce(nodes, after);
            if (after.equals(nodes)) assertThat(refused).isEmpty();
            for (String id : List.of("p0", "p1")) {
                String args = "called " + id;
                assertThat(first.call("calls", id, args).as(String.class)).isEqualTo(args);
                assertThat(second.get("calls", id).status().text()).isEqualTo("running");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "howdah.sweep",
                "howdah_internal.sweep_process, howdah_internal.sweep_worker",
                "howdah.sweep_error, howdah_internal.sweep_run"
            })
    void sweep_tableIsLocked_goesOnAfterwards(String tables) throws Exception {
        int rows = 300;
        database.execute("CREATE TABLE item (id integer PRIMARY KEY, times integer NOT NULL DEFAULT 0);"
                + " INSERT INTO item (id) SELECT generate_series(1, " + rows + "); ANALYZE item");
        AtomicBoolean mayEnd = new AtomicBoolean();
        try (Sweep first = sweep("first", mayEnd);
                Sweep second = sweep("second", mayEnd)) {
            await("rows are done", () -> !runs.isEmpty());
            String processes = ids("howdah_internal.sweep_process");
            hold(tables);
            String after = ids("howdah_internal.sweep_process");
            mayEnd.set(true);
            assertThat(first.join(PATIENCE)).isTrue();
            assertThat(second.join(PATIENCE)).isTrue();
            assertThat(first.join().failed()).isZero();
            assertOnce(processes, after);
        }
        assertThat(database.value("SELECT string_agg(DISTINCT times::text, ' ') FROM item"))
                .isEqualTo("1");
        assertThat(database.value("SELECT state || ' ' || done FROM howdah.sweep"))
                .isEqualTo("done " + rows);
    }

    private Sweep sweep(String name, AtomicBoolean mayEnd) {
        return Sweep.on(source(name))
                .name("items")
                .nodeName(name)
                .table("item")
                .where("times = 0")
                .key("id")
                .mark("times = times + 1")
                .batch(5)
                .forEachRow(row -> {
                    long id = row.getLong("id");
                    ran("row " + id);
                    while (id > 200 && !mayEnd.get()) pause(20);
                })
                .start();
    }

    @Test
    void tasks_tableIsLocked_goOnAfterwards() throws Exception {
        Database address = Database.of(database.uri());
        database.execute("CREATE TABLE done (what text)");
        try (TaskScheduler scheduler = TaskScheduler.on(address).maxSessions(4).start()) {
            assertThat(scheduler.awaitServed(PATIENCE)).isTrue();
            TaskScheduler standby = TaskScheduler.on(address).maxSessions(4).start();
            try (standby) {
                tasks();
            }
        }
    }

    private void tasks() throws Exception {
        work("task", name -> {
            database.execute("INSERT INTO task (input) VALUES ('INSERT INTO done VALUES (''" + name + "'')')");
            ran(name);
            return true;
        });
        await(
                "all tasks are done",
                () -> "0".equals(database.value("SELECT count(*) FROM task WHERE state <> 'DONE'")));
        assertThat(database.value("SELECT count(*) || ' ' || count(DISTINCT what) FROM done"))
                .isEqualTo(acknowledged.size() + " " + acknowledged.size());
    }
}
