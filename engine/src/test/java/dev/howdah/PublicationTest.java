package dev.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.query.JobState;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import dev.howdah.sweep.Sweep;
import dev.howdah.sweep.SweepState;
import dev.howdah.task.NewTask;
import dev.howdah.task.TaskScheduler;
import dev.howdah.task.TaskState;
import dev.howdah.task.TaskTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** A database whose tables are published all, as tools that copy changes do it: rows without a replica identity cannot be changed there. */
@PostgresTest
class PublicationTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);

    private final TestDatabase database;

    PublicationTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void makeTables() {
        database.fill("all", made -> {
            Jobs.on(source(made)).start().close();
            try (Connection connection = made.connect()) {
                Processes.install(connection);
                Sweep.install(connection);
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        });
    }

    private static PGSimpleDataSource source(TestDatabase database) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(
                "jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name() + "?user=postgres");
        return source;
    }

    private void publishAll() {
        database.execute("SET client_min_messages = error; CREATE PUBLICATION everything FOR ALL TABLES");
    }

    @Test
    void tables_haveAReplicaIdentity_thoseOfLaterDaysAndSegments_too() {
        TaskScheduler.on(Database.of(database.uri())).start().close();
        database.execute("SELECT howdah_internal.make_day(CURRENT_DATE + 400), howdah.queue('events', 'log')");
        assertThat(database.query("""
                        SELECT c.oid::regclass
                        FROM pg_class c
                        WHERE c.relkind IN ('r', 'p')
                            AND c.relpersistence = 'p'
                            AND c.relnamespace::regnamespace::text IN ('howdah', 'howdah_internal', 'public')
                            AND c.relreplident <> 'f'
                            AND NOT EXISTS (
                                SELECT
                                FROM pg_index i
                                WHERE i.indrelid = c.oid
                                    AND CASE c.relreplident
                                        WHEN 'd' THEN i.indisprimary
                                        ELSE i.indisreplident
                                    END)
                        """)).isEmpty();
        assertThat(database.value("SELECT count(*) FROM pg_class c WHERE c.relname ~ '^(batch_|entry_[0-9]+_)'"
                        + " AND c.relkind = 'r'"))
                .as("tables of days and segments")
                .satisfies(count ->
                        assertThat(Integer.parseInt(String.valueOf(count))).isGreaterThan(6));
    }

    @Test
    void identity_ofRowsThatTravel_isTheKeyAlone() {
        // A subscriber compares whole rows where that is their identity, which it cannot for json.
        assertThat(database.query("""
                        SELECT DISTINCT c.oid::regclass
                        FROM pg_class c
                        JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped
                        WHERE c.relnamespace::regnamespace::text ~ '^howdah'
                            AND c.relreplident = 'f'
                            AND c.relname <> 'log_entry'
                            AND a.atttypid IN ('json'::regtype, 'json[]'::regtype)
                        """)).isEmpty();
    }

    @Test
    void jobs_withLimitsPrioritiesGroupsAndKeys_go() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch published = new CountDownLatch(1);
        try (Jobs jobs = Jobs.on(source(database))
                .handle(WORK, (payload, job) -> {
                    job.log("at work");
                    begun.countDown();
                    published.await();
                })
                .start()) {
            long first = jobs.add(WORK, "runs meanwhile");
            begun.await();
            publishAll();
            published.countDown();
            assertThat(jobs.await(first, Patience.LIMIT).state()).isEqualTo(JobState.DONE);
            jobs.admin().setLimit("default", 3);
            jobs.admin().setLimit("default", 2);
            List<Long> ids = jobs.addAll(List.of(
                    NewJob.of(WORK, "a").priority(7),
                    NewJob.of(WORK, "b").group("tenant"),
                    NewJob.of(WORK, "c").key("one"),
                    NewJob.of(WORK, "d").orderKey("in turn")));
            for (long each : ids)
                assertThat(jobs.await(each, Patience.LIMIT).state()).isEqualTo(JobState.DONE);
            // What runs about a job that has ended, and the node by itself later.
            database.execute(
                    "DELETE FROM howdah.log; DELETE FROM howdah_internal.lane_priority; DELETE FROM howdah_internal.key_late;"
                            + " UPDATE howdah_internal.stat_mark SET upto = upto; DELETE FROM howdah_internal.batch");
        }
    }

    @Test
    void processes_go() {
        publishAll();
        try (Processes processes = Processes.on(source(database))
                .namespace(Namespace.of(
                        "counter",
                        (task, process) -> Intent.none().event("called").response("r")))
                .start()) {
            processes.init("counter", "a", null);
            assertThat(processes.call("counter", "a", null)).isNotNull();
        }
    }

    @Test
    void sweep_withStampsInATableOfItsOwn_goes() throws Exception {
        database.execute("CREATE TABLE mail (id integer PRIMARY KEY, sent boolean NOT NULL DEFAULT false);"
                + " INSERT INTO mail SELECT generate_series(1, 20)");
        publishAll();
        try (Sweep sweep = Sweep.on(source(database))
                .name("mailing")
                .table("mail")
                .where("NOT sent")
                .key("id")
                .mark("sent = true")
                .runTable()
                .forEachBatch(rows -> {})
                .start()) {
            assertThat(sweep.join().state()).isEqualTo(SweepState.DONE);
        }
        assertThat(database.value("SELECT count(*) FROM howdah_internal.sweep_run"))
                .isEqualTo("0");
    }

    @Test
    void tasks_go() {
        publishAll();
        TaskTable tasks = TaskTable.on(Database.of(database.uri()), "public", "task");
        try (TaskScheduler scheduler =
                TaskScheduler.on(Database.of(database.uri())).start()) {
            assertThat(scheduler).isNotNull();
            Awaitility.await()
                    .atMost(Patience.LIMIT)
                    .until(() -> "t".equals(database.value("SELECT to_regclass('task') IS NOT NULL")));
            long id = tasks.add(NewTask.of("SELECT 1"));
            Awaitility.await()
                    .atMost(Patience.LIMIT)
                    .pollInterval(Duration.ofMillis(10))
                    .until(() -> tasks.find(id)
                            .filter(each -> each.state() == TaskState.DONE)
                            .isPresent());
        }
    }
}
