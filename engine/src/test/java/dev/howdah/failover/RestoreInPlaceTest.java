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
import dev.howdah.sweep.SweepException;
import dev.howdah.task.TaskScheduler;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A backup is restored in place while programs live that have worked since it was taken. Work that was done since then is done
 * again; nothing of it passes for work that got the same id afterwards, and none of the work that is there stays undone.
 */
@Tag("long")
@PostgresTest
class RestoreInPlaceTest {
    private static final Duration PATIENCE = Patience.LIMIT;
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final int ROWS = 200;

    private final TestDatabase database;
    private final Queue<String> begun = new ConcurrentLinkedQueue<>();
    private final Queue<String> ended = new ConcurrentLinkedQueue<>();
    private final CountDownLatch oldMayEnd = new CountDownLatch(1);
    private final CountDownLatch othersMayEnd = new CountDownLatch(1);

    RestoreInPlaceTest(TestDatabase database) {
        this.database = database;
    }

    private static void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(condition);
    }

    private boolean is(String expected, String query) {
        return expected.equals(database.value(query));
    }

    /** A task that says that it has begun, waits until {@code gate} is open, and says that it has ended. */
    private void addTask(String name, String gate, String options) {
        database.execute("INSERT INTO task (input" + (options.isEmpty() ? "" : ", " + options.split("=")[0])
                + ") VALUES ('BEGIN; INSERT INTO begun VALUES (''" + name
                + "''); COMMIT; SELECT pg_advisory_lock_shared(" + gate
                + "); SELECT pg_advisory_unlock_shared(" + gate + "); INSERT INTO ended VALUES (''" + name + "'')'"
                + (options.isEmpty() ? "" : ", " + options.split("=")[1]) + ")");
    }

    private void restoreTasks() throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("LOCK TABLE task");
            Backup.copyBack(statement, "task", "saved.task");
            statement.execute("SELECT setval('task_id_seq', last_value, is_called) FROM saved.id");
            connection.commit();
        }
    }

    @Test
    void tasks_restoredWhileOthersRun_noneEndsByTheRunOfAnother() throws Exception {
        database.execute("CREATE TABLE begun (what text); CREATE TABLE ended (what text);" + " ALTER DATABASE "
                + database.name() + " SET pg_task.reset = '1 s'");
        try (TaskScheduler scheduler = TaskScheduler.on(Database.of(database.uri()))
                        .maxSessions(12)
                        .start();
                Gate old = Gate.close(database, 1);
                Gate kept = Gate.close(database, 2);
                Gate again = Gate.close(database, 3)) {
            assertThat(scheduler.awaitServed(PATIENCE)).isTrue();
            addTask("kept", "2", "\"group\"='kept'");
            addTask("again", "3", "\"group\"='again'");
            addTask("waits", "2", "plan=now() + interval '1 hour'");
            await("they run", () -> is("2", "SELECT count(*) FROM begun"));
            database.execute("CREATE SCHEMA saved; CREATE TABLE saved.task AS TABLE task;"
                    + " CREATE TABLE saved.id AS SELECT last_value, is_called FROM task_id_seq");

            again.open();
            await("it has ended", () -> is("1", "SELECT count(*) FROM task WHERE state = 'DONE'"));
            // The first of them is followed by another one, the others end together.
            addTask("old0", "1", "repeat='1 hour'");
            for (int i = 1; i < 4; i++) addTask("old" + i, "1", "\"group\"='o" + i + "'");
            await("later tasks run", () -> is("6", "SELECT count(*) FROM begun"));
            restoreTasks();
            for (int i = 0; i < 4; i++) addTask("new" + i, "2", "\"group\"='n" + i + "'");
            assertThat(database.value("SELECT count(*) FROM task")).isEqualTo("7");

            old.open();
            await(
                    "tasks that the backup does not have end",
                    () -> is("4", "SELECT count(*) FROM ended WHERE what LIKE 'old%'"));
            await(
                    "tasks with their ids run",
                    () -> is("4", "SELECT count(DISTINCT what) FROM begun WHERE what LIKE 'new%'"));
            await(
                    "a task that has ended since runs again",
                    () -> is("2", "SELECT count(*) FROM ended WHERE what = 'again'"));
            await("nothing else is done", () -> is("1", "SELECT count(*) FROM task WHERE state = 'DONE'"));
            kept.open();
            await("all tasks are done", () -> is("6", "SELECT count(*) FROM task WHERE state = 'DONE'"));
            assertThat(database.value("SELECT string_agg(DISTINCT what, ' ') FROM ended WHERE what NOT LIKE 'old%'"))
                    .isEqualTo("again kept new0 new1 new2 new3");
            assertThat(database.value(
                            "SELECT string_agg(state::text, ' ' ORDER BY state) FROM task WHERE plan > now()"))
                    .isEqualTo("PLAN");
        }
    }

    private PGSimpleDataSource source() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(
                "jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name() + "?user=postgres");
        return source;
    }

    private void work(String payload) throws InterruptedException {
        begun.add(payload);
        try {
            (payload.startsWith("old") ? oldMayEnd : othersMayEnd).await();
            ended.add(payload);
        } catch (InterruptedException e) {
            ended.add("interrupted " + payload);
            throw e;
        }
        if (payload.endsWith("fail")) throw new IllegalStateException("it fails");
    }

    private Jobs jobs(String name) {
        return Jobs.on(source())
                .nodeName(name)
                .concurrency(20)
                .queues("default", "few")
                .nodeLimit("few", 2)
                .defaultRetries(RetryPolicy.never())
                .handle(WORK, (payload, job) -> work(payload))
                .start();
    }

    private static List<NewJob<String>> jobs(Stream<String> payloads) {
        return payloads.map(each -> NewJob.of(WORK, each)).toList();
    }

    private static Stream<String> names(String prefix, int count, String suffix) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i + suffix);
    }

    @Test
    void jobs_restoredWhileOthersRun_noneEndsByTheRunOfAnother() throws Exception {
        Processes.install(database.connect());
        Sweep.install(database.connect());
        try (Jobs first = jobs("first");
                Jobs second = jobs("second")) {
            first.addAll(jobs(names("kept", 2, "")));
            await("they run", () -> begun.size() == 2);
            first.add(NewJob.of(WORK, "later").delay(Duration.ofHours(1)));
            Backup backup = Backup.of(database);

            List<Long> lost = first.addAll(jobs(Stream.concat(names("old", 6, ""), names("old-", 6, "-fail"))));
            first.addAll(names("old-ordered", 2, "")
                    .map(each -> NewJob.of(WORK, each).orderKey("k"))
                    .toList());
            first.addAll(names("old-few", 2, "")
                    .map(each -> NewJob.of(WORK, each).queue("few"))
                    .toList());
            await("jobs that the backup does not have run", () -> begun.size() == 2 + 12 + 1 + 2);
            backup.restore();

            List<NewJob<String>> jobs = jobs(Stream.concat(names("new", 6, ""), names("new-", 6, "-fail")));
            List<Long> added = addedAll(second, jobs);
            assertThat(added).as("ids are given again").containsAnyElementsOf(lost);
            addedAll(
                    second,
                    names("new-ordered", 3, "")
                            .map(each -> NewJob.of(WORK, each).orderKey("k"))
                            .toList());
            addedAll(
                    second,
                    names("new-few", 4, "")
                            .map(each -> NewJob.of(WORK, each).queue("few"))
                            .toList());
            await(
                    "jobs with their ids run",
                    () -> begun.containsAll(jobs.stream().map(NewJob::payload).toList()));
            oldMayEnd.countDown();
            // A node that finds itself to be another one interrupts them.
            await(
                    "jobs that the backup does not have end",
                    () -> ended.stream().filter(each -> each.contains("old")).count() == 15);
            // The order and the limit hold for what is there now, whichever run ended.
            await("the first of the order runs", () -> begun.contains("new-ordered0"));
            assertThat(begun).doesNotContain("new-ordered1");
            assertThat(database.value("SELECT count(*) FROM howdah.jobs WHERE state IN ('done', 'failed')"))
                    .isEqualTo("0");

            othersMayEnd.countDown();
            await(
                    "nothing is left but what is planned for later",
                    () -> is("1", "SELECT count(*) FROM howdah.jobs WHERE state NOT IN ('done', 'failed')"));
            assertThat(database.value("SELECT count(*) FROM howdah.jobs WHERE state = 'done'"))
                    .isEqualTo(String.valueOf(2 + 6 + 3 + 4));
            assertThat(database.value("SELECT string_agg(id::text, ' ' ORDER BY id) FROM howdah_internal.failed"))
                    .isEqualTo(String.join(
                            " ",
                            added.subList(6, 12).stream().map(String::valueOf).toList()));
            assertThat(ended)
                    .contains("kept0", "kept1")
                    .containsAll(jobs.stream().map(NewJob::payload).toList())
                    .containsAll(names("new-few", 4, "").toList());
            assertThat(begun.stream()
                            .filter(each -> each.startsWith("new-ordered"))
                            .distinct())
                    .containsExactlyElementsOf(names("new-ordered", 3, "").toList());
        } finally {
            oldMayEnd.countDown();
            othersMayEnd.countDown();
        }
    }

    /** The first attempts may meet statements that were prepared for the tables of before. */
    private static List<Long> addedAll(Jobs jobs, List<NewJob<String>> all) {
        for (int tries = 0; ; tries++) {
            try {
                return jobs.addAll(all);
            } catch (JobsException e) {
                if (tries == 20) throw e;
            }
        }
    }

    @Test
    void processes_restoredWhileAStepRuns_theStepIsNotWritten() throws Exception {
        Jobs.install(database.connect());
        Sweep.install(database.connect());
        try (Processes processes = Processes.on(source())
                .namespace(Namespace.builder("calls", (task, process) -> {
                            if (task.type() == TaskType.INIT) return Intent.none();
                            String args = task.args().as(String.class);
                            begun.add(args);
                            try {
                                if (args.startsWith("old")) oldMayEnd.await();
                            } finally {
                                ended.add(args);
                            }
                            return Intent.none().event(args).response(args);
                        })
                        .stepTimeout(Duration.ofMinutes(10))
                        .build())
                .start()) {
            processes.init("calls", "p", "");
            processes.init("calls", "q", "");
            assertThat(called(processes, "p", "before")).isEqualTo("before");
            Backup backup = Backup.of(database);

            assertThat(called(processes, "q", "since")).isEqualTo("since");
            CompletableFuture<String> old = CompletableFuture.supplyAsync(() -> called(processes, "p", "old"));
            await("a step runs", () -> begun.contains("old"));
            backup.restore();
            for (int i = 0; i < 3; i++) {
                String args = "new" + i;
                await("calls are answered", () -> called(processes, "q", args).equals(args));
            }
            oldMayEnd.countDown();
            await("the step has ended", () -> ended.contains("old"));
            await("calls are answered", () -> called(processes, "p", "new").equals("new"));
            assertThat(old.get(2, TimeUnit.MINUTES)).startsWith("failed");
            assertThat(history(processes, "p"))
                    .startsWith("before")
                    .contains("new")
                    .doesNotContain("old");
            assertThat(history(processes, "q")).contains("new0", "new1", "new2").doesNotContain("since");
        } finally {
            oldMayEnd.countDown();
        }
    }

    private static List<String> history(Processes processes, String id) {
        return processes.get("calls", id).history().stream()
                .map(each -> each.payload().as(String.class))
                .distinct()
                .toList();
    }

    /** What a call comes to: its answer, or the reason why there is none. */
    private static String called(Processes processes, String id, String args) {
        try {
            return String.valueOf(processes
                    .call(Request.of("calls", id).args(args).timeout(Duration.ofSeconds(20)))
                    .as(String.class));
        } catch (ProcessException e) {
            return "failed: " + e.getMessage();
        }
    }

    @Test
    void sweep_restoredInTheMiddle_eachRowIsMarkedOnce() throws Exception {
        Jobs.install(database.connect());
        Processes.install(database.connect());
        database.execute("CREATE TABLE item (id integer PRIMARY KEY, times integer NOT NULL DEFAULT 0);"
                + " INSERT INTO item (id) SELECT generate_series(1, " + ROWS + "); ANALYZE item");
        try (Sweep first = sweep("first");
                Sweep second = sweep("second")) {
            await("rows are done", () -> ended.size() > ROWS / 10);
            Backup backup = Backup.of(database);
            await("more rows are done", () -> ended.size() > ROWS / 4);
            backup.restore();
            othersMayEnd.countDown();
            // A statement that waits for a table while that is replaced fails, and may end the sweep with its error.
            assertThat(hasEnded(first)).isTrue();
            assertThat(hasEnded(second)).isTrue();
        } finally {
            othersMayEnd.countDown();
        }
        try (Sweep again = sweep("again")) {
            assertThat(again.join(PATIENCE)).isTrue();
        }
        assertThat(database.value("SELECT string_agg(DISTINCT times::text, ' ') FROM item"))
                .isEqualTo("1");
        assertThat(database.value("SELECT state FROM howdah.sweep")).isEqualTo("done");
        // The batch in work of a process that has ended in the middle may be worked on again.
        assertThat(ended.stream().distinct()).hasSize(ROWS);
    }

    private static boolean hasEnded(Sweep sweep) throws InterruptedException {
        try {
            return sweep.join(PATIENCE);
        } catch (SweepException e) {
            return true;
        }
    }

    private Sweep sweep(String name) {
        return Sweep.on(source())
                .name("items")
                .nodeName(name)
                .table("item")
                .where("times = 0")
                .key("id")
                .mark("times = times + 1")
                .batch(5)
                .forEachRow(row -> {
                    long id = row.getLong("id");
                    if (id > ROWS / 2) othersMayEnd.await();
                    ended.add("row " + id);
                })
                .start();
    }
}
