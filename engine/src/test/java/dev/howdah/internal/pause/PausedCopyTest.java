package dev.howdah.internal.pause;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.Database;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.Schedule;
import dev.howdah.job.query.JobState;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import dev.howdah.sweep.Sweep;
import dev.howdah.sweep.SweepBuilder;
import dev.howdah.task.TaskScheduler;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** A copy of a database that is paused does nothing of the work that came with it, and begins when it is resumed. */
@PostgresTest
class PausedCopyTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final String SPACE = "test/copy";
    private static final String DONE =
            "SELECT concat_ws(' ', (SELECT string_agg(state::text, ',' ORDER BY id) FROM task),"
                    + " (SELECT count(*) FROM howdah_internal.job), (SELECT count(*) FROM howdah_internal.batch),"
                    + " (SELECT count(*) FROM howdah_internal.ordered), (SELECT count(*) FROM howdah.schedule WHERE last_at IS NOT NULL),"
                    + " (SELECT count(*) FROM howdah_internal.process_task WHERE finished IS NOT NULL),"
                    + " (SELECT count(*) FROM howdah_internal.process WHERE node IS NOT NULL), (SELECT count(*) FROM thing WHERE done))";

    @SuppressWarnings("NullAway.Init") // copy() sets it
    private TestDatabase original;

    @SuppressWarnings("NullAway.Init") // copy() sets it
    private TestDatabase beside;

    @SuppressWarnings("NullAway.Init") // copy() sets it
    private PGSimpleDataSource copy;

    private static PGSimpleDataSource source(TestDatabase of, String name) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl("jdbc:postgresql://127.0.0.1:" + of.server().port() + "/" + name + "?user=postgres");
        return source;
    }

    @BeforeEach
    void copy() throws Exception {
        original = TestDatabase.create();
        beside = TestDatabase.create();
        fill(original);
        pause(source(original, original.name()), "a copy");
        String others =
                "SELECT count(*) = 0 FROM (SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '"
                        + original.name() + "') s";
        Awaitility.await(others).until(() -> "t".equals(beside.value(others)));
        beside.execute("CREATE DATABASE " + original.name() + "_copy TEMPLATE " + original.name());
        copy = source(beside, original.name() + "_copy");
    }

    @AfterEach
    void drop() {
        beside.execute("DROP DATABASE " + original.name() + "_copy WITH (FORCE)");
        beside.close();
        original.close();
    }

    private static void pause(PGSimpleDataSource where, String reason) throws SQLException {
        try (Connection connection = where.getConnection()) {
            assertThat(PauseMark.make(connection, reason, null)).isNull();
        }
    }

    private String value(String sql) {
        try (Connection connection = copy.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return String.valueOf(row.getString(1));
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private void await(String sql) {
        Awaitility.await(sql).pollInterval(Duration.ofMillis(20)).until(() -> "t".equals(value(sql)));
    }

    /** Work of each feature, all of it due, and a node that died with a claim. */
    private static void fill(TestDatabase database) throws Exception {
        PGSimpleDataSource source = source(database, database.name());
        try (Connection connection = source.getConnection()) {
            Jobs.install(connection);
            Processes.install(connection);
            Sweep.install(connection);
        }
        CompletableFuture<Boolean> active = new CompletableFuture<>();
        try (TaskScheduler scheduler = scheduler(database.uri(), active, new CompletableFuture<>())) {
            assertThat(scheduler).isNotNull();
            active.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
        database.execute("CREATE TABLE thing (id integer PRIMARY KEY, done boolean NOT NULL DEFAULT false);"
                + " INSERT INTO thing SELECT generate_series(1, 20);"
                + " INSERT INTO task (input, plan) VALUES ('SELECT 1', now() - interval '1 min');"
                + " INSERT INTO task (input, plan, active) VALUES ('SELECT 2', now() - interval '1 min', '1 s');"
                + " INSERT INTO task (input, state, start) VALUES ('SELECT 3', 'WORK', now())");
        try (Jobs jobs = Jobs.on(source).start()) {
            jobs.add(WORK, "plain");
            jobs.add(NewJob.of(WORK, "ordered").orderKey("k"));
            jobs.add(NewJob.of(WORK, "grouped").group("g"));
            jobs.schedule(Schedule.every("each", Duration.ofDays(1)), NewJob.of(WORK, "scheduled"));
        }
        try (Processes processes = processes(source, 0);
                Connection connection = source.getConnection()) {
            processes.init(connection, SPACE, "p", null);
        }
        database.execute("UPDATE howdah.schedule SET next_at = now() - interval '1 h'");
    }

    private static Processes processes(PGSimpleDataSource source, int concurrency) {
        return Processes.on(source)
                .namespace(Namespace.builder(SPACE, (task, process) -> Intent.none())
                        .concurrency(concurrency)
                        .build())
                .start();
    }

    private static TaskScheduler scheduler(
            String uri, CompletableFuture<Boolean> active, CompletableFuture<String> paused) {
        return TaskScheduler.on(Database.of(uri))
                .listener(new TaskScheduler.Listener() {
                    @Override
                    public void active() {
                        active.complete(true);
                    }

                    @Override
                    public void paused(String why) {
                        paused.complete(why);
                    }
                })
                .start();
    }

    private static final String ASLEEP = "SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND granted"
            + " AND mode = 'ExclusiveLock' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            + " AND classid = ";

    @Test
    void copy_thatIsPaused_doesNothing_untilItIsResumed() throws Exception {
        String before = value(DONE);
        assertThat(before).isEqualTo("PLAN,PLAN,WORK 2 0 1 0 0 0 0");
        CompletableFuture<Boolean> active = new CompletableFuture<>();
        CompletableFuture<String> paused = new CompletableFuture<>();
        try (TaskScheduler scheduler = scheduler(
                        "postgresql://postgres@127.0.0.1:" + beside.server().port() + "/" + copy.getDatabaseName(),
                        active,
                        paused);
                Jobs jobs = Jobs.on(copy).handle(WORK, (payload, job) -> {}).start();
                Processes processes = processes(copy, 2);
                Sweep sweep = sweep().start()) {
            assertThat(scheduler).isNotNull();
            assertThat(paused.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .startsWith("paused since 20")
                    .endsWith(" by postgres: a copy");
            await(ASLEEP + "1215264875");
            await(ASLEEP + "1215264883");
            await("SELECT EXISTS (SELECT FROM howdah_internal.sweep_process)");
            long added = jobs.add(WORK, "added while paused");
            try (Connection connection = copy.getConnection()) {
                processes.init(connection, SPACE, "q", null);
            }
            await(ASLEEP + "1215264875");
            assertThat(value(DONE)).isEqualTo("PLAN,PLAN,WORK 3 0 1 0 0 0 0");
            assertThat(sweep.doneHere()).isZero();
            assertThat(active).isNotDone();

            try (Connection connection = copy.getConnection()) {
                assertThat(PauseMark.drop(connection)).isNotNull();
                assertThat(PauseMark.drop(connection)).isNull();
            }
            await("SELECT string_agg(state::text, ',' ORDER BY id) = 'DONE,GONE,DONE' FROM task");
            assertThat(jobs.await(added, Patience.LIMIT).state()).isEqualTo(JobState.DONE);
            await(
                    "SELECT NOT EXISTS (SELECT FROM howdah_internal.job) AND NOT EXISTS (SELECT FROM howdah_internal.ordered)"
                            + " AND (SELECT bool_and(last_at IS NOT NULL) FROM howdah.schedule)");
            await("SELECT count(*) = 2 FROM howdah_internal.process_task WHERE finished IS NOT NULL");
            assertThat(sweep.join(Patience.LIMIT)).isTrue();
            assertThat(value("SELECT bool_and(done) FROM thing")).isEqualTo("t");
        }
    }

    private SweepBuilder sweep() {
        return Sweep.on(copy)
                .name("things")
                .table("thing")
                .where("NOT done")
                .key("id")
                .mark("done = true");
    }
}
