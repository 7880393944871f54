package dev.howdah.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.howdah.Database;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.Schedule;
import dev.howdah.job.query.JobState;
import dev.howdah.job.unique.Unique;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.sweep.Sweep;
import dev.howdah.sweep.SweepState;
import dev.howdah.task.NewTask;
import dev.howdah.task.TaskScheduler;
import dev.howdah.task.TaskState;
import dev.howdah.task.TaskTable;
import dev.howdah.task.internal.leader.SharedLeaderSession;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A database whose transactions are serializable unless they say otherwise. The sessions that Howdah keeps are not: others change the rows
 * that they take, which would be refused as a conflict. Sessions of users are.
 */
@PostgresTest
class DatabaseIsolationTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final TestDatabase database;

    DatabaseIsolationTest(TestDatabase database) {
        this.database = database;
    }

    private void makeSerializable() {
        database.execute("ALTER DATABASE " + database.name() + " SET default_transaction_isolation = 'serializable';"
                + " CREATE TABLE public.written (\"table\" text, isolation text);"
                + " CREATE FUNCTION public.note_isolation() RETURNS trigger LANGUAGE plpgsql AS $note$ BEGIN"
                + " INSERT INTO public.written VALUES (TG_TABLE_NAME, pg_catalog.current_setting('transaction_isolation'));"
                + " RETURN NULL; END $note$");
    }

    private PGSimpleDataSource source() {
        return source(database);
    }

    private static PGSimpleDataSource source(TestDatabase database) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(
                "jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name() + "?user=postgres");
        return source;
    }

    /** From now on each statement that changes rows of the table leaves a row. */
    private void watch(String table, String events) {
        database.execute("CREATE TRIGGER note_isolation AFTER " + events + " ON " + table
                + " FOR EACH STATEMENT EXECUTE FUNCTION public.note_isolation()");
    }

    /** The isolation of the transactions that have changed the table. */
    private String seen(String table) {
        return String.valueOf(database.value("SELECT string_agg(DISTINCT isolation, ', ') FROM public.written"
                + " WHERE \"table\" = '" + table + "'"));
    }

    private static void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(10))
                .until(condition);
    }

    private void assertFollowsOthers(Connection connection) throws SQLException {
        database.execute("CREATE TABLE changed (n integer); INSERT INTO changed VALUES (1)");
        try (Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SELECT n FROM public.changed");
            database.execute("UPDATE changed SET n = 2");
            try (ResultSet row = statement.executeQuery("UPDATE public.changed SET n = n + 1 RETURNING n")) {
                row.next();
                assertThat(row.getInt(1)).isEqualTo(3);
            }
            connection.commit();
        }
    }

    @Test
    void sessionOfAScheduler_rowChangedByAnother_isNoConflict() throws SQLException {
        makeSerializable();
        try (Connection connection =
                SharedLeaderSession.connect(Database.of(database.uri()), "test", Duration.ofSeconds(10))) {
            assertFollowsOthers(connection);
        }
    }

    @Test
    void sessionOfANode_rowChangedByAnother_isNoConflict() throws SQLException {
        makeSerializable();
        try (DedicatedSession session = new DedicatedSession(source().getConnection())) {
            assertFollowsOthers(session.connection());
        }
    }

    @Test
    void tasks_areSerializable_theirSchedulerIsNot() {
        makeSerializable();
        TaskTable tasks = TaskTable.on(Database.of(database.uri()), "public", "task");
        try (TaskScheduler scheduler =
                TaskScheduler.on(Database.of(database.uri())).start()) {
            assertThat(scheduler).isNotNull();
            await("the table is there", () -> "t".equals(database.value("SELECT to_regclass('task') IS NOT NULL")));
            long first = tasks.add(NewTask.of("SHOW transaction_isolation"));
            await("the first task is done", () -> isDone(tasks, first));
            assertThat(tasks.find(first).orElseThrow().output()).isEqualTo("serializable");
            watch("task", "UPDATE");
            for (String once : List.of("false", "true")) {
                long id = tasks.add(NewTask.of("SELECT 1").column("once", once));
                await("task " + id + " is done", () -> isDone(tasks, id));
                // What a task with once writes itself, it writes in its own transaction.
                assertThat(seen("task"))
                        .isEqualTo(once.equals("true") ? "read committed, serializable" : "read committed");
            }
        }
    }

    private static boolean isDone(TaskTable tasks, long id) {
        return tasks.find(id).filter(each -> each.state() == TaskState.DONE).isPresent();
    }

    @Test
    void jobs_areClaimedAndEndedWithoutConflicts() {
        Kind<String> work = Kind.of("work", String.class);
        database.fill("jobs", made -> Jobs.on(source(made)).start().close());
        makeSerializable();
        try (Jobs jobs = Jobs.on(source()).handle(work, (payload, job) -> {}).start()) {
            watch("howdah_internal.job", "DELETE");
            watch("howdah_internal.batch", "INSERT OR UPDATE");
            jobs.add(work, "a");
            await(
                    "the job is done",
                    () -> "t"
                            .equals(database.value(
                                    "SELECT count(*) > 0 AND bool_and(ended IS NOT NULL) FROM howdah_internal.batch")));
        }
        assertThat(seen("batch")).isEqualTo("read committed");
        assertThat(seen("job")).isEqualTo("read committed");
    }

    @Test
    void processes_areCalledWithoutConflicts() {
        database.fill("processes", made -> {
            try (Connection connection = made.connect()) {
                Processes.install(connection);
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        });
        makeSerializable();
        try (Processes processes = Processes.on(source())
                .namespace(
                        Namespace.of("counter", (task, process) -> Intent.none().event("called")))
                .start()) {
            watch("howdah_internal.process", "INSERT OR UPDATE OR DELETE");
            watch("howdah_internal.process_task", "INSERT OR UPDATE OR DELETE");
            processes.init("counter", "a", null);
            processes.call("counter", "a", null);
        }
        assertThat(seen("process")).isEqualTo("read committed");
        assertThat(seen("process_task")).isEqualTo("read committed");
    }

    @Test
    void sweep_rowsAreMarkedWithoutConflicts() throws InterruptedException {
        makeSerializable();
        database.execute("CREATE TABLE mail (id integer PRIMARY KEY, sent boolean NOT NULL DEFAULT false);"
                + " INSERT INTO mail SELECT generate_series(1, 20)");
        watch("mail", "UPDATE");
        try (Sweep sweep = Sweep.on(source())
                .name("mailing")
                .table("mail")
                .where("NOT sent")
                .key("id")
                .mark("sent = true")
                .forEachBatch(rows -> {})
                .start()) {
            assertThat(sweep.join().state()).isEqualTo(SweepState.DONE);
        }
        assertThat(seen("mail")).isEqualTo("read committed");
    }

    private void makeJobs() {
        database.fill("jobs", made -> Jobs.on(source(made)).start().close());
    }

    @Test
    void callsOverAPoolThatIsSerializable_areNot_andThePoolIsAfterwards() throws Exception {
        makeJobs();
        makeSerializable();
        List<String> tables = List.of(
                "howdah_internal.job",
                "howdah_internal.lane",
                "howdah_internal.key",
                "howdah_internal.queue_limit",
                "howdah.schedule",
                "howdah_internal.failed",
                "howdah_internal.awaited");
        for (String table : tables) watch(table, "INSERT OR UPDATE OR DELETE");
        HikariConfig config = new HikariConfig();
        config.setDataSource(source());
        config.setMaximumPoolSize(8);
        config.setAutoCommit(false);
        config.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
        Kind<String> unhandled = Kind.of("unhandled", String.class).queue("other");
        Kind<String> work = Kind.of("work", String.class);
        try (HikariDataSource pool = new HikariDataSource(config);
                // It ends after its end is awaited, as an end that is there needs no row.
                Jobs jobs = Jobs.on(pool)
                        .handle(
                                work,
                                (payload, job) -> await(
                                        "the job is awaited",
                                        () -> !seen("awaited").equals("null")))
                        .start()) {
            jobs.await(jobs.add(work, "awaited"), Patience.LIMIT);
            long id = jobs.add(NewJob.of(unhandled, "a").key("one")).id();
            jobs.addEach(List.of(NewJob.of(unhandled, "b").key("two"), NewJob.of(unhandled, "c")));
            jobs.add(NewJob.of(unhandled, "d").unique(Unique.byKey("three").replacing()));
            jobs.schedule(Schedule.every("often", Duration.ofHours(1)), NewJob.of(unhandled, "e"));
            jobs.admin().setLimit("other", 3);
            jobs.admin().pause("other");
            jobs.admin().cancel(id);
            try (Connection connection = pool.getConnection()) {
                assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
                assertThat(connection.getAutoCommit()).isFalse();
            }
        }
        assertThat(tables)
                .allSatisfy(table -> assertThat(seen(table.substring(table.indexOf('.') + 1)))
                        .isEqualTo("read committed"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"serializable"})
    void transactionalHandlers_atTheLevelOfTheDatabase_loseNoAttemptToRowsOfOurs(String level) throws Exception {
        makeJobs();
        makeSerializable();
        database.execute("ALTER DATABASE " + database.name() + " SET default_transaction_isolation = '" + level + "'");
        Set<String> levels = ConcurrentHashMap.newKeySet();
        Kind<Integer> work = Kind.of("work", Integer.class).retries(RetryPolicy.never());
        try (Jobs jobs = Jobs.on(source())
                .handleInTransaction(work, (payload, job, connection) -> {
                    try (Statement statement = connection.createStatement();
                            ResultSet row = statement.executeQuery("SHOW transaction_isolation")) {
                        row.next();
                        levels.add(row.getString(1));
                    }
                })
                .concurrency(8)
                .start()) {
            List<Long> ids = jobs.addAll(IntStream.range(0, 30)
                    .mapToObj(each -> NewJob.of(work, each))
                    .toList());
            for (long id : ids)
                assertThat(jobs.await(id, Patience.LIMIT).state()).isEqualTo(JobState.DONE);
        }
        assertThat(levels).containsExactly(level);
        assertThat(database.value("SELECT count(*) FROM howdah_internal.failed"))
                .isEqualTo("0");
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"repeatable read"})
    void transactionalHandlers_atRepeatableRead_loseNoAttemptToRowsOfOurs(String level) throws Exception {
        transactionalHandlers_atTheLevelOfTheDatabase_loseNoAttemptToRowsOfOurs(level);
    }

    @Test
    void sessionOfANode_resetsWhatWouldRefuseItsStatements() throws SQLException {
        for (String setting : List.of("lock_timeout = 1", "default_transaction_read_only = on"))
            database.execute("ALTER DATABASE " + database.name() + " SET " + setting);
        try (DedicatedSession session = new DedicatedSession(source().getConnection());
                Statement statement = session.connection().createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT current_setting('transaction_read_only'), current_setting('lock_timeout')")) {
            row.next();
            assertThat(row.getString(1)).isEqualTo("off");
            assertThat(row.getString(2)).isEqualTo("0");
        }
    }

    /** By an address and by a data source: schedules are changed under the changes of others. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void schedulesOfTasks_inADatabaseThatIsSerializable_areChanged(boolean source) throws Exception {
        makeSerializable();
        Database address = Database.of(database.uri());
        try (TaskScheduler scheduler =
                TaskScheduler.on(address).table("public", "task").start()) {
            assertThat(scheduler.awaitServed(PATIENCE)).isTrue();
            TaskTable tasks =
                    source ? TaskTable.on(source(), "public", "task") : TaskTable.on(address, "public", "task");
            tasks.schedules().put("report", NewTask.of("SELECT 1").cron("0 3 * * *"));
            tasks.schedules().put("report", NewTask.of("SELECT 2").cron("0 4 * * *"));
            assertThat(tasks.schedules().pause("report", null)).isPresent();
            assertThat(tasks.schedules().remove("report", null)).isPresent();
        }
    }

    /** The transaction of the handler is older than the note of the program that waits. */
    @ParameterizedTest
    @ValueSource(strings = {"repeatable read", "serializable"})
    void jobInItsOwnTransaction_ofAnotherIsolation_isAwaited_itsEndIsNotified(String isolation) throws Exception {
        database.execute(
                "ALTER DATABASE " + database.name() + " SET default_transaction_isolation = '" + isolation + "'");
        Kind<Integer> kind = Kind.of("own", Integer.class);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        try (Jobs node = Jobs.on(source())
                        .handleInTransaction(kind, (n, job, connection) -> {
                            begun.countDown();
                            release.await(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
                            job.result(n + 1);
                        })
                        .start();
                Jobs program = Jobs.on(source()).start();
                Connection session = database.connect();
                Statement statement = session.createStatement()) {
            statement.execute("LISTEN howdah_job_ended");
            long id = program.add(kind, 1);
            assertThat(begun.await(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            CompletableFuture<Integer> end = program.result(id, Integer.class);
            await(
                    "the note is written",
                    () -> "1".equals(database.value("SELECT count(*) FROM howdah_internal.awaited")));
            release.countDown();
            PGConnection heard = session.unwrap(PGConnection.class);
            await("the end is notified", () -> {
                PGNotification[] all = heard.getNotifications(100);
                return all != null && all[0].getParameter().equals(Long.toString(id));
            });
            assertThat(end.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(2);
            assertThat(node.node()).isPositive();
        }
    }
}
