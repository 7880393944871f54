package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.Database;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A second scheduler takes over from one that is gone. */
@Tag("long")
@PostgresTest
class StandbyTest {
    /** Five seconds are promised; the rest is for a loaded machine. */
    private static final long TAKE_OVER_MILLIS = 8000;

    private static final Duration LEASE = Duration.ofSeconds(3);

    private final TestDatabase database;
    private final Scheduled tasks;
    private @Nullable SchedulerProcess process;

    StandbyTest(TestDatabase database) {
        this.database = database;
        this.tasks = Scheduled.at(database.uri()).withWork();
    }

    @AfterEach
    void close() {
        if (process != null) process.close();
        tasks.close();
    }

    /** A program that serves the table; returns when it was elected. */
    private SchedulerProcess serveElsewhere() {
        process = SchedulerProcess.at(database.uri(), LEASE);
        return process;
    }

    private void standBy() {
        tasks.begin(tasks.database(), 40);
        tasks.awaitTold("standby", 1);
        assertThat(tasks.told.get(0)).matches("standby process \\d+ at 127\\.0\\.0\\.1 since .*");
        assertThat(tasks.times("active")).isZero();
    }

    private void awaitTakeOver(String what) {
        awaitTakeOver(what, TAKE_OVER_MILLIS);
    }

    private void awaitTakeOver(String what, long most) {
        long millis = Scheduled.millisUntil("taken over", () -> tasks.times("active") == 1);
        System.out.println("taken over after " + what + " in " + millis + " ms");
        assertThat(millis).isLessThan(most);
    }

    @Test
    void program_killedWhileTasksRun_standbyTakesOverAndEndsItsSessions() {
        SchedulerProcess process = serveElsewhere();
        standBy();
        tasks.execute("INSERT INTO task (input, \"group\", max) SELECT 'SELECT work(2.5, 1)', 'g' || n % 3, 1"
                + " FROM generate_series(1, 12) n");
        Scheduled.awaiting("six run").until(() -> tasks.number("SELECT count(*) FROM task WHERE state = 'WORK'") == 6);
        List<@Nullable String> orphans = tasks.list("SELECT pid FROM task WHERE state = 'WORK'");
        process.kill();
        awaitTakeOver("a kill");
        Scheduled.awaiting("orphans ended")
                .until(() -> tasks.number("SELECT count(*) FROM pg_stat_activity WHERE pid IN ("
                                + String.join(", ", texts(orphans)) + ")")
                        == 0);
        tasks.assertAllDone(12);
        assertThat(tasks.number("SELECT count(*) FROM run"))
                .as("runs that were committed")
                .isEqualTo(12);
        process.awaitGone();
    }

    /** A server process that takes no signals, as one does that computes in a library's code and never looks. */
    @Test
    void program_killedWhileTaskRunsThatCannotBeEnded_taskWaitsForItAndOthersGoOn() throws Exception {
        SchedulerProcess process = serveElsewhere();
        standBy();
        long stuck = tasks.add("SELECT work(30)", "\"group\"", "'stuck'");
        Scheduled.awaiting("at work").until(() -> tasks.number(Scheduled.WORKING) == 1);
        String pid = tasks.column("pid", stuck);
        signal("STOP", pid);
        try {
            process.kill();
            awaitTakeOver("a kill with a session that does not end");
            tasks.execute("UPDATE task SET input = 'SELECT work(0)' WHERE id = " + stuck);
            long other = tasks.add("SELECT work(0)", "\"group\"", "'other'");
            tasks.awaitState(other, "DONE");
            await().during(Duration.ofSeconds(2))
                    .atMost(Patience.LIMIT)
                    .until(() -> (tasks.state(stuck) + tasks.column("pid", stuck)).equals("WORK" + pid));
        } finally {
            signal("CONT", pid);
        }
        tasks.assertAllDone(2);
        assertThat(tasks.number("SELECT count(*) FROM run")).isEqualTo(2);
        assertThat(tasks.column("pid", stuck)).isNotEqualTo(pid);
    }

    static void signal(String name, String pid) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, pid).start().waitFor())
                .as("kill -" + name)
                .isZero();
    }

    /** Killed at any moment, what it does is there once if it says DONE, and it says so in the end. */
    @Test
    void program_killedAgainAndAgain_onceTasksTakeEffectOnce() {
        tasks.execute("CREATE TABLE effect (task bigint NOT NULL)");
        SchedulerProcess first = SchedulerProcess.at(database.uri(), LEASE);
        tasks.awaitTable();
        tasks.execute("INSERT INTO task (input, \"group\", max, once) SELECT 'INSERT INTO effect VALUES"
                + " (current_setting(''pg_task.id'')::bigint); SELECT pg_sleep(0.002)', 'g' || n % 5, 2, true"
                + " FROM generate_series(1, 3000) n");
        for (int round = 1; round <= 3; round++) {
            int seen = round * 200;
            Scheduled.awaiting("some effects")
                    .pollInterval(Duration.ofMillis(2))
                    .until(() -> tasks.number("SELECT count(*) FROM effect") >= seen);
            first.kill();
            first.awaitGone();
            first.close();
            assertThat(tasks.number("SELECT count(*) FROM task WHERE state <> 'DONE'"))
                    .as("killed in the midst")
                    .isPositive();
            first = SchedulerProcess.at(database.uri(), LEASE);
        }
        process = first;
        tasks.awaitEnded(3000);
        assertThat(tasks.value(
                        "SELECT count(*) || ' ' || count(DISTINCT e.task) || ' ' || count(*) FILTER (WHERE t.state = 'DONE')"
                                + " FROM effect e JOIN task t ON t.id = e.task"))
                .isEqualTo("3000 3000 3000");
    }

    private static List<String> texts(List<@Nullable String> values) {
        return values.stream().map(String::valueOf).toList();
    }

    @Test
    void program_killedWhileRemoteTasksRun_standbyEndsThemThereAndRunsThemAgain() {
        try (TestDatabase other = TestDatabase.create()) {
            Scheduled there = Scheduled.at(other.uri()).withWork();
            SchedulerProcess process = serveElsewhere();
            standBy();
            // Longer than a takeover takes, so that none is committed before its session is ended.
            tasks.execute("INSERT INTO task (input, remote, max) SELECT 'SELECT work(20, 2)', '" + other.uri()
                    + "', 2 FROM generate_series(1, 3)");
            Scheduled.awaiting("three run")
                    .until(() -> tasks.number("SELECT count(*) FROM task WHERE state = 'WORK'") == 3);
            process.kill();
            tasks.execute("UPDATE task SET input = 'SELECT work(0, 2)'");
            awaitTakeOver("a kill with remote tasks");
            tasks.awaitEnded(3);
            assertThat(tasks.list("SELECT error FROM task")).containsOnlyNulls();
            assertThat(there.number("SELECT count(*) FROM run"))
                    .as("runs that were committed")
                    .isEqualTo(3);
            tasks.close();
        }
    }

    @Test
    void program_killedUnderLoad_everyTaskIsDoneOnce() {
        SchedulerProcess process = serveElsewhere();
        standBy();
        tasks.execute("INSERT INTO task (input, \"group\", max) SELECT 'SELECT work(0.01, 2)', 'g' || n % 3, 2"
                + " FROM generate_series(1, 600) n");
        Scheduled.awaiting("some done").until(() -> tasks.number("SELECT count(*) FROM run") >= 100);
        process.kill();
        awaitTakeOver("a kill under load");
        tasks.assertAllDone(600);
    }

    @Test
    void program_endedInGoodOrder_standbyTakesOver() {
        SchedulerProcess process = serveElsewhere();
        standBy();
        long id = tasks.add("SELECT work(1.5)");
        tasks.awaitState(id, "WORK");
        process.stop();
        // It first puts back what runs.
        awaitTakeOver("a clean end", 3000);
        tasks.assertAllDone(1);
        process.awaitGone();
    }

    @Test
    void close_whileTasksRun_putsThemBackAtOnce() {
        tasks.serve();
        tasks.execute("INSERT INTO task (input, \"group\", repeat) SELECT 'SELECT work(30)', 'g' || n,"
                + " CASE n WHEN 1 THEN interval '1 hour' ELSE '0' END FROM generate_series(1, 5) n");
        Scheduled.awaiting("five run").until(() -> tasks.number("SELECT count(*) FROM task WHERE state = 'WORK'") == 5);
        long begun = System.nanoTime();
        tasks.close();
        long millis = (System.nanoTime() - begun) / 1_000_000;
        System.out.println("close with five tasks running: " + millis + " ms");
        assertThat(millis).isLessThan(3000);
        assertThat(tasks.list("SELECT DISTINCT state || COALESCE(start::text, '') || COALESCE(pid::text, '')"
                        + " || COALESCE(error, '') FROM task"))
                .containsExactly("PLAN");
        assertThat(tasks.number("SELECT count(*) FROM task")).isEqualTo(5);
        Scheduled.awaiting("no session left")
                .until(() -> tasks.number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                + " AND application_name ~ '^(howdah|pg_task) '")
                        == 0);
    }

    @Test
    void close_withStandby_isFollowedAtOnce() {
        TaskScheduler first = tasks.begin(tasks.database(), 40);
        tasks.awaitTold("active", 1);
        tasks.begin(tasks.database(), 40);
        tasks.awaitTold("standby", 1);
        long id = tasks.add("SELECT work(1)");
        tasks.awaitState(id, "WORK");
        first.close();
        long millis = Scheduled.millisUntil("taken over", () -> tasks.times("active") == 2);
        System.out.println("taken over after close in " + millis + " ms");
        assertThat(millis).isLessThan(3000);
        tasks.assertAllDone(1);
    }

    @Test
    void close_beforeStartAndTwice_returnsAtOnce() {
        TaskScheduler scheduler =
                TaskScheduler.on(tasks.database()).listener(tasks.listener()).build();
        scheduler.close();
        scheduler.close();
        scheduler.start();
        scheduler.close();
        assertThat(tasks.told).isEmpty();
        assertThat(tasks.list("SELECT to_regclass('task')::text")).containsOnlyNulls();
    }

    @Test
    void close_whileInStandby_leavesTheOtherAlone() {
        tasks.serve();
        TaskScheduler second = tasks.begin(tasks.database(), 40);
        tasks.awaitTold("standby", 1);
        second.close();
        second.close();
        tasks.add("SELECT work(0)");
        tasks.assertAllDone(1);
        assertThat(tasks.times("active")).isEqualTo(1);
    }

    @Test
    void close_atServerThatNeverAnswers_returnsWithinItsBound() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getByName("127.0.0.1"))) {
            TaskScheduler scheduler = tasks.begin(
                    Database.of(
                            "postgresql://postgres@127.0.0.1:" + silent.getLocalPort() + "/postgres?connect_timeout=1"),
                    1);
            try (Socket asked = silent.accept()) {
                long begun = System.nanoTime();
                scheduler.close();
                long millis = (System.nanoTime() - begun) / 1_000_000;
                System.out.println("close while a server keeps silent: " + millis + " ms");
                assertThat(millis).isLessThan(15_000);
                assertThat(asked.isConnected()).isTrue();
            }
        }
        assertThat(tasks.times("active")).isZero();
    }

    @Test
    void schedulers_manyAtOnce_oneIsElectedAndLimitsHold() {
        for (int i = 0; i < 4; i++) tasks.begin(tasks.database(), 10);
        tasks.awaitTold("active", 1);
        tasks.execute("INSERT INTO task (input) SELECT 'SELECT work(0.005)' FROM generate_series(1, 100)");
        tasks.awaitTold("standby", 3);
        tasks.assertAllDone(100);
        assertThat(tasks.times("active")).isEqualTo(1);
        assertThat(tasks.number("SELECT count(*) FROM run")).isEqualTo(100);
    }

    @Test
    void schedulers_closedOneAfterTheOtherUnderLoad_everyTaskIsDone() {
        List<TaskScheduler> all = List.of(
                tasks.begin(tasks.database(), 10),
                tasks.begin(tasks.database(), 10),
                tasks.begin(tasks.database(), 10));
        tasks.awaitTold("active", 1);
        tasks.execute("INSERT INTO task (input, max) SELECT 'SELECT work(0.02, 3)', 3 FROM generate_series(1, 300)");
        for (int i = 0; i < 2; i++) {
            int done = 60 * (i + 1);
            Scheduled.awaiting(done + " done").until(() -> tasks.number("SELECT count(*) FROM run") >= done);
            all.get(i).close();
        }
        tasks.assertAllDone(300);
    }
}
