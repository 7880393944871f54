package dev.howdah.pools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsBuilder;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.Schedule;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Namespace.Retention;
import dev.howdah.process.Processes;
import dev.howdah.process.ProcessesBuilder;
import dev.howdah.sweep.Sweep;
import dev.howdah.sweep.SweepBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The smallest pool that is taken is large enough for all that a feature does: nothing waits for a connection for ever. */
@PostgresTest
@Tag("long")
class PoolSizeTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);
    private static final int CALLERS = 12;

    private final TestDatabase database;

    PoolSizeTest(TestDatabase database) {
        this.database = database;
    }

    /** A caller that gets no connection fails much later than these tests wait. */
    private HikariDataSource pool(int size) {
        HikariConfig config = Pools.config(database, size);
        config.setConnectionTimeout(Pools.PATIENCE.multipliedBy(3).toMillis());
        return new HikariDataSource(config);
    }

    private interface Start {
        AutoCloseable on(HikariDataSource pool) throws Exception;
    }

    private void assertRefused(int size, Start start) {
        try (HikariDataSource pool = pool(size)) {
            assertThatThrownBy(() -> start.on(pool).close())
                    .hasMessageContaining("the pool has at most " + size + " connections and at least " + (size + 1));
        }
    }

    /** Many callers at once. */
    private static void atOnce(int times, Runnable call) throws Exception {
        ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
        try {
            List<CompletableFuture<?>> all = new ArrayList<>();
            for (int i = 0; i < times; i++) all.add(CompletableFuture.runAsync(call, callers));
            for (CompletableFuture<?> each : all) each.get(Pools.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } finally {
            callers.shutdownNow();
        }
    }

    /** One more connection is kept while jobs are waited for; a pool that is too small for that says so at once. */
    @Test
    void await_smallestPool_isOneLarger() throws Exception {
        try (HikariDataSource pool = pool(6);
                Jobs jobs = Jobs.on(pool).handle(WORK, (n, job) -> {}).start()) {
            long id = jobs.add(NewJob.of(WORK, 1).runAt(Instant.now().plusSeconds(3600)))
                    .id();
            assertThatThrownBy(() -> jobs.awaitAsync(id))
                    .hasMessageContaining(
                            "the pool has at most 6 connections and at least 7 are needed to wait for jobs");
        }
        try (HikariDataSource pool = pool(7);
                Jobs jobs =
                        Jobs.on(pool).handle(WORK, (n, job) -> job.result(n)).start()) {
            atOnce(
                    200,
                    () -> assertThat(jobs.result(jobs.add(WORK, 7), Integer.class)
                                    .join())
                            .isEqualTo(7));
        }
        try (HikariDataSource pool = pool(3);
                HikariDataSource other = pool(7);
                Jobs program = Jobs.on(pool).start();
                Jobs node =
                        Jobs.on(other).handle(WORK, (n, job) -> job.result(n)).start()) {
            atOnce(
                    200,
                    () -> assertThat(program.result(program.add(WORK, 7), Integer.class)
                                    .join())
                            .isEqualTo(7));
            assertThat(node).isNotNull();
        }
    }

    private void workJobs(JobsBuilder builder) throws Exception {
        try (Jobs jobs = builder.handle(WORK, (n, job) -> {})
                .retention(Duration.ZERO, Duration.ZERO)
                .start()) {
            jobs.schedule(Schedule.every("s", Duration.ofHours(1)), NewJob.of(WORK, 1));
            atOnce(200, () -> jobs.add(WORK, 1));
            atOnce(50, () -> jobs.add(NewJob.of(WORK, 1).key("same")).id());
            Pools.awaitValue(database, "SELECT count(*) FROM howdah_internal.job", "0");
            jobs.admin().cancel(1);
        }
    }

    @Test
    void jobs_smallestPool_isEnough() throws Exception {
        assertRefused(5, pool -> Jobs.on(pool).handle(WORK, (n, job) -> {}).start());
        try (HikariDataSource pool = pool(6)) {
            workJobs(Jobs.on(pool));
        }
    }

    @Test
    void jobs_smallestPoolOfSessions_isEnough() throws Exception {
        DataSource direct = Pools.direct(database);
        assertRefused(
                5,
                pool -> Jobs.on(direct)
                        .sessionDataSource(pool)
                        .handle(WORK, (n, job) -> {})
                        .start());
        try (HikariDataSource pool = pool(1);
                HikariDataSource sessions = pool(6)) {
            workJobs(Jobs.on(pool).sessionDataSource(sessions));
        }
    }

    @Test
    void jobs_onlyAdded_areAddedWithTwo() throws Exception {
        assertRefused(1, pool -> Jobs.on(pool).start());
        try (HikariDataSource pool = pool(2);
                Jobs jobs = Jobs.on(pool).start()) {
            atOnce(100, () -> jobs.add(WORK, 1));
            atOnce(100, () -> jobs.add(NewJob.of(WORK, 1).queue("other")).id());
            assertThat(database.value("SELECT count(*) FROM howdah_internal.job"))
                    .isEqualTo("200");
        }
    }

    private static Namespace counter() {
        return Namespace.builder("counter", (task, process) -> switch (task.type()) {
                    case CALL -> Intent.none().event("called").response(process.lastEventId() + 1);
                    default -> Intent.none();
                })
                .retention(Retention.removeAfter(Duration.ofHours(1)))
                .build();
    }

    /** What has finished is removed: that takes a connection, too. */
    private void workProcesses(ProcessesBuilder builder) throws Exception {
        try (Processes processes = builder.namespace(counter(), notices -> {}).start()) {
            processes.init("counter", "a", null);
            processes.init("counter", "gone", "x");
            atOnce(100, () -> processes.call("counter", "a", "x"));
            database.execute("UPDATE howdah_internal.process SET due_at = now() - interval '1 day' WHERE id = 'gone'");
            Pools.awaitValue(database, "SELECT count(*) FROM howdah_internal.process WHERE id = 'gone'", "0");
        }
    }

    @Test
    void processes_smallestPool_isEnough() throws Exception {
        assertRefused(
                5,
                pool -> Processes.on(pool).namespace(counter(), notices -> {}).start());
        try (HikariDataSource pool = pool(6)) {
            workProcesses(Processes.on(pool));
        }
    }

    @Test
    void processes_smallestPoolOfSessions_isEnough() throws Exception {
        DataSource direct = Pools.direct(database);
        assertRefused(
                5,
                pool -> Processes.on(direct)
                        .sessionDataSource(pool)
                        .namespace(counter(), notices -> {})
                        .start());
        try (HikariDataSource pool = pool(1);
                HikariDataSource sessions = pool(6)) {
            workProcesses(Processes.on(pool).sessionDataSource(sessions));
        }
    }

    private SweepBuilder orders(DataSource source) {
        return Sweep.on(source)
                .name("all")
                .table("orders")
                .where("done IS NULL")
                .key("id")
                .mark("done = now()")
                .workers(3)
                .force()
                .forEachRow(row -> {});
    }

    private void table() {
        database.execute("CREATE TABLE orders (id bigint PRIMARY KEY, done timestamptz);"
                + " INSERT INTO orders SELECT i FROM generate_series(1, 3000) i");
    }

    private static void work(SweepBuilder builder) throws InterruptedException {
        try (Sweep sweep = builder.start()) {
            do assertThat(sweep.progress().failed()).isZero();
            while (!sweep.join(Duration.ofMillis(5)));
            assertThat(sweep.progress().done()).isEqualTo(3000);
        }
    }

    @Test
    void sweep_smallestPool_isEnough() throws Exception {
        table();
        assertRefused(5, pool -> orders(pool).start());
        try (HikariDataSource pool = pool(6)) {
            work(orders(pool));
        }
    }

    @Test // stamps are dropped at the end, while all workers have their sessions
    void sweep_withStampsAndTheSmallestPoolOfSessions_isEnough() throws Exception {
        table();
        try (HikariDataSource pool = pool(1);
                HikariDataSource sessions = pool(5)) {
            work(orders(pool).sessionDataSource(sessions).runTable());
        }
    }
}
