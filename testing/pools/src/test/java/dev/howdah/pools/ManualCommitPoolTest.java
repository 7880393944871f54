package dev.howdah.pools;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.howdah.Database;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.CancelResult;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.Schedule;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import dev.howdah.sweep.Sweep;
import dev.howdah.sweep.SweepState;
import dev.howdah.sweep.Sweeps;
import dev.howdah.task.NewTask;
import dev.howdah.task.TaskScheduler;
import dev.howdah.task.TaskTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A pool with autocommit off, as users of Hibernate configure it: whatever is said to be done is there. */
@PostgresTest
class ManualCommitPoolTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);

    private final TestDatabase database;
    private HikariDataSource pool;

    ManualCommitPoolTest(TestDatabase database) {
        this.database = database;
        this.pool = Pools.manualCommit(database, 12);
    }

    @BeforeEach
    void table() {
        database.execute("CREATE TABLE orders (id bigint)");
    }

    @AfterEach
    void close() {
        pool.close();
    }

    private Jobs jobs() {
        return Jobs.on(pool).start();
    }

    private long count(String from) {
        return Long.parseLong(String.valueOf(database.value("SELECT count(*) FROM " + from)));
    }

    @Test
    void add_jobsOfAllKinds_areThere() {
        try (Jobs jobs = jobs()) {
            long plain = jobs.add(WORK, 1);
            long keyed = jobs.add(NewJob.of(WORK, 2).key("a")).id();
            assertThat(jobs.add(NewJob.of(WORK, 3).key("b")).added()).isTrue();
            assertThat(jobs.add(NewJob.of(WORK, 3).key("b")).added()).isFalse();
            jobs.add(NewJob.of(WORK, 4).queue("other").priority(3));
            jobs.add(NewJob.of(WORK, 5).orderKey("order"));
            jobs.addAll(List.of(NewJob.of(WORK, 6), NewJob.of(WORK, 7).queue("third")));
            assertThat(count("howdah.jobs")).isEqualTo(7);
            assertThat(count("howdah.jobs WHERE id IN (" + plain + ", " + keyed + ")"))
                    .isEqualTo(2);
        }
    }

    @Test
    void administration_whatItSaysIsSo() {
        try (Jobs jobs = jobs()) {
            long doomed =
                    jobs.add(NewJob.of(WORK, 1).delay(Duration.ofHours(1))).id();
            long late = jobs.add(NewJob.of(WORK, 2).delay(Duration.ofHours(1))).id();
            assertThat(jobs.admin().cancel(doomed)).isEqualTo(CancelResult.CANCELLED);
            assertThat(count("howdah_internal.failed WHERE id = " + doomed)).isEqualTo(1);
            assertThat(jobs.admin().retry(doomed)).isTrue();
            assertThat(count("howdah_internal.failed")).isZero();
            assertThat(jobs.admin().runNow(late)).isTrue();
            assertThat(count("howdah_internal.job WHERE id = " + late + " AND run_at <= now()"))
                    .isEqualTo(1);
            assertThat(jobs.admin().setPriority(late, 7)).isTrue();
            assertThat(count("howdah_internal.job WHERE id = " + late + " AND priority = 7"))
                    .isEqualTo(1);
            jobs.admin().pause("default");
            String before = database.value("SELECT string_agg(l::text, ',') FROM howdah_internal.lane l");
            assertThat(jobs.admin().resume("default")).isTrue();
            assertThat(database.value("SELECT string_agg(l::text, ',') FROM howdah_internal.lane l"))
                    .isNotEqualTo(before);
            jobs.admin().setLimit("default", 3);
            assertThat(count("howdah_internal.queue_limit")).isEqualTo(1);
            jobs.admin().removeLimit("default");
            assertThat(count("howdah_internal.queue_limit")).isZero();
        }
    }

    @Test
    void schedules_whatTheySayIsSo() {
        try (Jobs jobs = jobs()) {
            jobs.schedule(Schedule.every("s", Duration.ofHours(1)), NewJob.of(WORK, 1));
            jobs.schedules().put(Schedule.every("t", Duration.ofHours(1)), NewJob.of(WORK, 1));
            assertThat(count("howdah.schedule")).isEqualTo(2);
            assertThat(jobs.schedules().pause("s")).isTrue();
            assertThat(jobs.schedules().all()).filteredOn(each -> each.paused()).hasSize(1);
            assertThat(jobs.schedules().resume("s")).isTrue();
            assertThat(jobs.schedules().remove("s")).isTrue();
            assertThat(jobs.schedules().remove("t")).isTrue();
            assertThat(count("howdah.schedule")).isZero();
        }
    }

    @Test
    void node_onAnEmptyDatabase_worksWhatIsAdded() {
        try (Jobs jobs = Jobs.on(pool)
                .handle(WORK, (n, job) -> {})
                .handleInTransaction(Kind.of("exact", Integer.class), (n, job, connection) -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("INSERT INTO orders VALUES (" + n + ")");
                    }
                })
                .start()) {
            for (int i = 0; i < 6; i++) jobs.add(NewJob.of(WORK, i).key("key " + i));
            for (int i = 0; i < 6; i++) jobs.add(Kind.of("exact", Integer.class), i);
            Pools.awaitValue(database, "SELECT count(*) FROM orders", "6");
            Pools.awaitValue(database, "SELECT count(*) FROM howdah.jobs WHERE state <> 'done'", "0");
        }
        // The history and a node that came later agree.
        assertThat(count("howdah_internal.job")).isZero();
    }

    @Test
    void taskTable_whatIsAddedIsFound() throws Exception {
        TaskScheduler scheduler = TaskScheduler.on(Database.of(database.uri())).start();
        assertThat(scheduler.awaitServed(Pools.PATIENCE)).isTrue();
        scheduler.close();
        TaskTable table = TaskTable.on(pool, "public", "task");
        long id = table.add(NewTask.of("SELECT 1").column("group", "g"));
        assertThat(table.find(id)).isPresent();
        assertThat(count("task")).isEqualTo(1);
        table.cancel(id);
        assertThat(database.value("SELECT state FROM task")).isEqualTo("STOP");
        assertThat(table.retry(id)).isInstanceOf(TaskTable.Retry.Planned.class);
        assertThat(database.value("SELECT state FROM task")).isEqualTo("PLAN");
    }

    @Test
    void processes_doWhatTheyDoInAnyOtherMode() {
        Namespace counter = Namespace.of("counter", (task, process) -> switch (task.type()) {
            case CALL -> Intent.none().response(process.lastEventId() + 1);
            default -> Intent.none();
        });
        try (Processes processes = Processes.on(pool).namespace(counter).start()) {
            processes.init("counter", "a", null);
            assertThat(processes.call("counter", "a", "x").as(Long.class)).isEqualTo(1);
            assertThat(processes.get("counter", "a").status()).isNotNull();
            processes.remove("counter", "a");
        }
    }

    @Test
    void sweep_marksAllRows_andStopsWhenTold() throws Exception {
        database.execute("ALTER TABLE orders ADD PRIMARY KEY (id), ADD done timestamptz;"
                + " INSERT INTO orders SELECT i FROM generate_series(1, 300) i");
        try (Sweep sweep = Sweep.on(pool)
                .name("all")
                .table("orders")
                .where("done IS NULL")
                .key("id")
                .mark("done = now()")
                .force()
                .forEachRow(row -> {})
                .start()) {
            Pools.awaitValue(database, "SELECT count(*) FROM orders WHERE done IS NULL", "0");
            assertThat(sweep.join(Pools.PATIENCE)).isTrue();
        }
        assertThat(Sweeps.on(pool).find("all").orElseThrow().state()).isEqualTo(SweepState.DONE);
        assertThat(Sweeps.on(pool).remove("all")).isTrue();
        assertThat(Sweeps.on(pool).list()).isEmpty();
    }

    @Test
    void pool_testsItsConnectionsFirst_isUsedAllTheSame() throws SQLException {
        HikariConfig config = Pools.config(database, 3);
        config.setAutoCommit(false);
        config.setConnectionTestQuery("SELECT 1");
        pool.close();
        pool = new HikariDataSource(config);
        try (Jobs jobs = jobs()) {
            jobs.add(NewJob.of(WORK, 1).key("a"));
        }
        assertThat(count("howdah_internal.job")).isEqualTo(1);
    }

    @Test
    void connection_isGivenBackAsItWas() throws SQLException {
        HikariConfig config = Pools.config(database, 1);
        config.setAutoCommit(false);
        config.setReadOnly(true);
        config.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
        config.setConnectionInitSql("SET search_path = app, public");
        Jobs.on(Pools.direct(database)).start().close();
        try (HikariDataSource one = new HikariDataSource(config)) {
            try (Jobs jobs =
                    Jobs.on(one).sessionDataSource(Pools.direct(database)).start()) {
                jobs.add(NewJob.of(WORK, 1).key("a"));
                jobs.admin().cancel(jobs.add(NewJob.of(WORK, 2).key("b")).id());
                jobs.schedules().all();
                jobs.addAll(List.of(NewJob.of(WORK, 3)));
            }
            assertThat(count("howdah_internal.job")).isEqualTo(2);
            try (Connection found = one.getConnection()) {
                assertThat(found.getAutoCommit()).isFalse();
                assertThat(found.isReadOnly()).isTrue();
                assertThat(found.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_REPEATABLE_READ);
                try (Statement statement = found.createStatement();
                        var row = statement.executeQuery("SHOW search_path")) {
                    row.next();
                    assertThat(row.getString(1)).isEqualTo("app, public");
                }
            }
        }
    }

    @Test
    void connection_afterAHandlerInItsTransaction_keepsTheSettingsOfThePool() throws Exception {
        HikariConfig config = Pools.config(database, 1);
        config.setConnectionInitSql("SET work_mem = '7MB'");
        try (HikariDataSource one = new HikariDataSource(config)) {
            try (Jobs jobs = Jobs.on(one)
                    .sessionDataSource(Pools.direct(database))
                    .concurrency(1)
                    .handleInTransaction(WORK, (n, job, connection) -> {})
                    .start()) {
                jobs.await(jobs.add(WORK, 1), Duration.ofMinutes(1));
            }
            try (Connection found = one.getConnection();
                    Statement statement = found.createStatement();
                    var row = statement.executeQuery("SHOW work_mem")) {
                row.next();
                assertThat(row.getString(1)).isEqualTo("7MB");
            }
        }
    }
}
