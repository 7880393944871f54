package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;

/** The connections that jobs keep and borrow, and what becomes of a job that gets none. */
@PostgresTest
class JobConnectionsTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);

    private final JobsDatabase database;

    JobConnectionsTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private PGSimpleDataSource named(String name) {
        PGSimpleDataSource source = database.source();
        source.setApplicationName(name);
        return source;
    }

    private long sessions(String name) {
        return database.number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                + " AND application_name = '" + name + "'");
    }

    private static String ask(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            return row.next() ? String.valueOf(row.getString(1)) : "";
        }
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The second claimer and maintenance open their sessions when there is something to do. */
    @Test
    void node_keepsNoMoreConnectionsThanItSays() {
        List<NewJob<Integer>> many = new ArrayList<>();
        for (int i = 0; i < 2000; i++) many.add(NewJob.of(WORK, i));
        try (Jobs jobs = Jobs.on(named("calls"))
                .sessionDataSource(named("kept"))
                .handle(WORK, (n, job) -> {})
                .start()) {
            jobs.schedule(Schedule.every("s", Duration.ofHours(1)), NewJob.of(WORK, 1));
            jobs.addAll(many);
            database.awaitEmpty();
            JobsDatabase.awaiting("one that listens, one that claims, one for schedules")
                    .until(() -> sessions("kept") >= 3);
            assertThat(sessions("kept")).isLessThanOrEqualTo(4);
            long id = jobs.add(WORK, 1);
            database.awaitLetters(id, "d");
            jobs.schedules().all();
            assertThat(sessions("kept")).as("one more since a job was added").isBetween(4L, 5L);
            JobsDatabase.awaiting("calls keep none").until(() -> sessions("calls") == 0);
        }
        JobsDatabase.awaiting("none is left").until(() -> sessions("kept") == 0);
    }

    @Test
    void transactions_withoutAPool_shareSessionsThatAreResetInBetween() {
        Set<Integer> backends = ConcurrentHashMap.newKeySet();
        ConcurrentLinkedQueue<String> found = new ConcurrentLinkedQueue<>();
        database.execute("CREATE TABLE effect (n int)");
        try (Jobs jobs = Jobs.on(named("transactions"))
                .sessionDataSource(named("kept"))
                .concurrency(3)
                .handleInTransaction(WORK, (n, job, connection) -> {
                    backends.add(Integer.valueOf(ask(connection, "SELECT pg_backend_pid()")));
                    found.add(ask(connection, "SHOW work_mem"));
                    found.add(ask(connection, "SHOW search_path"));
                    found.add(ask(connection, "SELECT current_user"));
                    found.add(ask(connection, "SELECT string_agg(l::text, ',') FROM pg_listening_channels() l"));
                    // One is the job's own.
                    found.add(ask(
                            connection,
                            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"));
                    found.add(ask(connection, "SELECT to_regclass('pg_temp.own') IS NULL"));
                    found.add(String.valueOf(connection.isReadOnly()));
                    run(connection, "SET work_mem = '77MB'");
                    run(connection, "SET search_path = nowhere");
                    run(connection, "LISTEN something");
                    run(connection, "SELECT pg_advisory_lock(4711, pg_backend_pid())");
                    run(connection, "CREATE TEMPORARY TABLE own (n int)");
                    run(connection, "INSERT INTO public.effect VALUES (" + n + ")");
                    run(
                            connection,
                            "CREATE ROLE r" + n + "_" + job.id() + "; SET ROLE r" + n + "_" + job.id()
                                    + "; RESET ROLE; DROP ROLE r" + n + "_" + job.id());
                    if (n % 10 == 0) throw new FatalException("this one fails");
                })
                .start()) {
            for (int i = 1; i <= 100; i++) jobs.add(WORK, i);
            database.awaitEmpty();
            assertThat(database.number("SELECT count(*) FROM effect")).isEqualTo(90);
            assertThat(backends).hasSizeLessThanOrEqualTo(3);
            assertThat(sessions("transactions")).isBetween(1L, 3L);
            assertThat(Set.copyOf(found))
                    .containsExactlyInAnyOrder(
                            database.text("SHOW work_mem"), "\"$user\", public", "postgres", "null", "1", "t", "false");
        }
        JobsDatabase.awaiting("none is left").until(() -> sessions("transactions") == 0);
    }

    @Test
    void transaction_inASessionThatWasLostMeanwhile_isBegunInAnother() {
        database.execute("CREATE TABLE effect (n int)");
        try (Jobs jobs = Jobs.on(named("transactions"))
                .sessionDataSource(named("kept"))
                .handleInTransaction(
                        WORK, (n, job, connection) -> run(connection, "INSERT INTO effect VALUES (" + n + ")"))
                .start()) {
            long first = jobs.add(WORK, 1);
            database.awaitLetters(first, "d");
            JobsDatabase.awaiting("its session waits for another job")
                    .until(() -> database.number("SELECT count(*) FROM pg_stat_activity WHERE state = 'idle' AND"
                                    + " datname = current_database() AND application_name = 'transactions'")
                            == 1);
            long lost = database.number("SELECT pid FROM pg_stat_activity WHERE"
                    + " datname = current_database() AND application_name = 'transactions'");
            database.text("SELECT pg_terminate_backend(" + lost + ")");
            JobsDatabase.awaiting("its session has ended")
                    .until(() -> database.number("SELECT count(*) FROM pg_stat_activity WHERE pid = " + lost) == 0);
            long second = jobs.add(WORK, 2);
            database.awaitLetters(second, "d");
            assertThat(database.number("SELECT count(*) FROM effect")).isEqualTo(2);
        }
    }

    /** Statements that record steps share sessions with the transactions of steps, and find nothing of theirs. */
    @Test
    void steps_withoutAPool_shareSessions() {
        Set<Integer> backends = ConcurrentHashMap.newKeySet();
        ConcurrentLinkedQueue<String> found = new ConcurrentLinkedQueue<>();
        try (Jobs jobs = Jobs.on(named("steps"))
                .sessionDataSource(named("kept"))
                .concurrency(3)
                .handle(WORK, (n, job) -> {
                    job.step("one", Integer.class, () -> n);
                    job.stepInTransaction("two", Integer.class, connection -> {
                        backends.add(Integer.valueOf(ask(connection, "SELECT pg_backend_pid()")));
                        found.add(ask(connection, "SHOW search_path"));
                        run(connection, "SET search_path = nowhere");
                        return n;
                    });
                    job.step("three", Integer.class, () -> n);
                })
                .start()) {
            for (int i = 1; i <= 50; i++) jobs.add(WORK, i);
            database.awaitEmpty();
            assertThat(database.number("SELECT count(*) FROM howdah_internal.job_step"))
                    .isEqualTo(150);
            assertThat(backends).hasSizeLessThanOrEqualTo(3);
            assertThat(sessions("steps")).isBetween(1L, 3L);
            assertThat(Set.copyOf(found)).containsExactly("\"$user\", public");
        }
        JobsDatabase.awaiting("none is left").until(() -> sessions("steps") == 0);
    }

    @Test
    void step_inASessionThatWasLostMeanwhile_isRecordedInAnother() {
        List<Integer> attempts = new CopyOnWriteArrayList<>();
        try (Jobs jobs = Jobs.on(named("steps"))
                .sessionDataSource(named("kept"))
                .handle(WORK, (n, job) -> {
                    attempts.add(job.attempt());
                    job.step("one", Integer.class, () -> {
                        endIdle("steps");
                        return n;
                    });
                    job.stepInTransaction("two", Integer.class, connection -> n);
                })
                .start()) {
            long id = jobs.add(WORK, 1);
            database.awaitLetters(id, "d");
            assertThat(attempts).containsExactly(1);
            assertThat(jobs.admin().steps(id)).hasSize(2);
        }
    }

    /** Ends the session that waits for its next use, and waits until it is not trusted any more. */
    private void endIdle(String name) {
        long returned = System.nanoTime();
        long lost = database.number("SELECT pid FROM pg_stat_activity WHERE state = 'idle' AND"
                + " datname = current_database() AND application_name = '" + name + "'");
        database.text("SELECT pg_terminate_backend(" + lost + ")");
        JobsDatabase.awaiting("it has ended, and was used long enough ago")
                .until(() ->
                        System.nanoTime() - returned > Duration.ofMillis(600).toNanos()
                                && database.number("SELECT count(*) FROM pg_stat_activity WHERE pid = " + lost) == 0);
    }

    @Test
    void transaction_withATransactionBegunByTextInItsEnd_isNotHandedOn() {
        try (Jobs jobs = Jobs.on(named("transactions"))
                .sessionDataSource(named("kept"))
                .concurrency(1)
                .defaultRetries(dev.howdah.spi.RetryPolicy.never())
                .handleInTransaction(WORK, (n, job, connection) -> {
                    connection.unwrap(PGConnection.class).setPrepareThreshold(1);
                    if (n == 1) run(connection, "COMMIT; BEGIN; SET LOCAL work_mem = '66MB'");
                    else assertThat(ask(connection, "SHOW work_mem")).isNotEqualTo("66MB");
                })
                .start()) {
            jobs.add(WORK, 1);
            long next = jobs.add(WORK, 2);
            database.awaitLetters(next, "d");
        }
    }

    @Test
    void transaction_withoutAConnection_isNoAttempt() {
        AtomicBoolean full = new AtomicBoolean(true);
        PGSimpleDataSource direct = named("transactions");
        DataSource pool = (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, values) -> {
                    if (!method.getName().equals("getConnection")) return method.invoke(direct, values);
                    if (full.get()) throw new SQLTransientConnectionException("request timed out after 250ms");
                    return direct.getConnection();
                });
        List<Integer> attempts = new CopyOnWriteArrayList<>();
        try (Jobs jobs = Jobs.on(pool)
                .sessionDataSource(named("kept"))
                .handleInTransaction(WORK, (n, job, connection) -> attempts.add(job.attempt()))
                .start()) {
            long id = jobs.add(WORK, 1);
            database.awaitLetters(id, "s");
            assertThatThrownBy(() -> jobs.admin().cancel(id))
                    .isInstanceOf(JobsException.class)
                    .hasMessageContaining("request timed out")
                    .hasMessageContaining("jobs need connections");
            full.set(false);
            assertThat(jobs.admin().runNow(id)).isTrue();
            database.awaitLetters(id, "sd");
            assertThat(attempts).containsExactly(1);
        }
    }
}
