package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.Database;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many tables with few sessions: what they share, what they lose together, and that none of them starves. */
@PostgresTest
@Tag("long")
class TaskSchedulersTest {
    private static final String SESSIONS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            + " AND pid <> pg_backend_pid() AND application_name ~ '^(howdah|pg_task) '";
    private static final String TASK_SESSIONS = "SELECT count(*) FROM pg_stat_activity WHERE datname ="
            + " current_database() AND application_name ~ '^pg_task '";

    private final TestDatabase database;
    private final Scheduled tasks;
    private final List<TestDatabase> others = new ArrayList<>();
    private final TaskSchedulers schedulers = TaskSchedulers.bounded(4, 4);

    TaskSchedulersTest(TestDatabase database) {
        this.database = database;
        this.tasks = Scheduled.at(database.uri());
    }

    @AfterEach
    void close() {
        schedulers.close();
        tasks.close();
        others.forEach(TestDatabase::close);
    }

    private TaskScheduler serve(TestDatabase where, String table) {
        return schedulers.start(TaskScheduler.on(Database.of(where.uri()))
                .table("public", table)
                .listener(tasks.listener()));
    }

    private void serve(int tables) {
        for (int i = 1; i <= tables; i++) serve(database, "t" + i);
        tasks.awaitTold("active", tables);
    }

    @Test
    void tablesOfADatabase_idle_shareTwoSessions() {
        serve(12);
        tasks.execute("INSERT INTO t1 (input) VALUES ('SELECT 1'); INSERT INTO t12 (input) VALUES ('SELECT 1')");
        Scheduled.awaiting("both done")
                .until(() -> tasks.number("SELECT count(*) FROM (TABLE t1 UNION ALL TABLE t12) x WHERE state = 'DONE'")
                        == 2);
        Scheduled.awaiting("two sessions, and at most four that wait for tasks")
                .until(() -> tasks.number(SESSIONS) <= 6);
        assertThat(
                        tasks.number(
                                "SELECT count(DISTINCT l.pid) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
                                        + " WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.classid = 1215264867"))
                .isEqualTo(1);
    }

    /** Whoever stands by asks once a second, for all tables together, and hears of a vacancy at once. */
    @Test
    void standbys_ofManyTables_askOnceASecondInAllAndTakeOverTogether() {
        serve(12);
        try (TaskSchedulers seconds = TaskSchedulers.bounded(4, 4)) {
            for (int i = 1; i <= 12; i++)
                seconds.start(TaskScheduler.on(Database.of(database.uri()))
                        .table("public", "t" + i)
                        .listener(tasks.listener()));
            tasks.awaitTold("standby", 12);
            NavigableSet<Double> asked = new TreeSet<>();
            // Each looks at once when it begins; every later question is seen, however close to the one before.
            Scheduled.awaiting("no more than one question a second, four times in a row")
                    .pollInterval(Duration.ofMillis(10))
                    .until(() -> {
                        tasks.list(
                                        "SELECT extract(epoch FROM query_start) FROM pg_stat_activity WHERE datname ="
                                                + " current_database() AND query LIKE '%AS acting%' AND pid <> pg_backend_pid()")
                                .forEach(each -> asked.add(Double.valueOf(String.valueOf(each))));
                        List<Double> last =
                                asked.descendingSet().stream().limit(4).toList();
                        return last.size() == 4 && last.get(0) - last.get(3) > 2.7;
                    });
            schedulers.close();
            tasks.awaitTold("active", 24);
        }
    }

    @Test
    void session_ended_allItsTablesAreServedAgain() {
        serve(5);
        tasks.execute("SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
                + " WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.classid = 1215264867");
        tasks.awaitTold("active", 10);
        for (int i = 1; i <= 5; i++) tasks.execute("INSERT INTO t" + i + " (input) VALUES ('SELECT 1')");
        for (int i = 1; i <= 5; i++) {
            String ended = "SELECT count(*) FROM t" + i + " WHERE state = 'DONE'";
            Scheduled.awaiting("done").until(() -> tasks.number(ended) == 1);
        }
    }

    @Test
    void table_locked_keepsNoOtherWaiting() throws SQLException {
        serve(2);
        try (Connection holder = tasks.connect();
                Statement statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            statement.execute("INSERT INTO t1 (input) SELECT 'SELECT 1' FROM generate_series(1, 20)");
            holder.commit();
            statement.execute("LOCK TABLE t1 IN ACCESS EXCLUSIVE MODE");
            for (int i = 0; i < 10; i++) {
                tasks.execute("INSERT INTO t2 (input) VALUES ('SELECT 1')");
                int done = i + 1;
                Scheduled.awaiting("done beside a locked table")
                        .until(() -> tasks.number("SELECT count(*) FROM t2 WHERE state = 'DONE'") == done);
            }
            holder.rollback();
        }
        Scheduled.awaiting("the locked table goes on")
                .until(() -> tasks.number("SELECT count(*) FROM t1 WHERE state = 'DONE'") == 20);
    }

    @Test
    void scheduler_closed_leavesItsTableToOthersAndSiblingsAlone() {
        TaskScheduler first = serve(database, "t1");
        serve(database, "t2");
        tasks.awaitTold("active", 2);
        assertThatThrownBy(() -> serve(database, "t1"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("public.t1 has a scheduler already");
        first.close();
        try (TaskScheduler elsewhere = TaskScheduler.on(Database.of(database.uri()))
                .table("public", "t1")
                .listener(tasks.listener())
                .start()) {
            tasks.awaitTold("active", 3);
            tasks.execute("INSERT INTO t1 (input) VALUES ('SELECT 1'); INSERT INTO t2 (input) VALUES ('SELECT 1')");
            Scheduled.awaiting("both done")
                    .until(() ->
                            tasks.number("SELECT count(*) FROM (TABLE t1 UNION ALL TABLE t2) x WHERE state = 'DONE'")
                                    == 2);
            assertThat(elsewhere.isOver()).isFalse();
        }
        assertThat(tasks.times("waiting")).isZero();
    }

    @Test
    void drain_whileTaskRuns_letsItEndAndTakesNoOther() {
        TaskScheduler scheduler = serve(database, "task");
        tasks.awaitTold("active", 1);
        tasks.execute("INSERT INTO task (input) VALUES ('SELECT pg_sleep(2)'), ('SELECT 2')");
        Scheduled.awaiting("one runs").until(() -> tasks.number("SELECT count(*) FROM task WHERE state = 'WORK'") == 1);
        scheduler.drain();
        Scheduled.awaiting("over").until(scheduler::isOver);
        assertThat(tasks.list("SELECT state FROM task ORDER BY id")).containsExactly("DONE", "PLAN");
    }

    private void serveWithTimeout(Duration timeout, String input) {
        schedulers.start(TaskScheduler.on(Database.of(database.uri()))
                .shutdownTimeout(timeout)
                .listener(tasks.listener()));
        tasks.awaitTold("active", 1);
        tasks.execute("INSERT INTO task (input) VALUES ('" + input + "'), ('SELECT 2')");
        Scheduled.awaiting("one runs").until(() -> tasks.number("SELECT count(*) FROM task WHERE state = 'WORK'") == 1);
        schedulers.close();
    }

    @Test
    void close_withShutdownTimeout_letsTheRunningTaskEnd() {
        serveWithTimeout(Duration.ofMinutes(1), "SELECT pg_sleep(2)");
        assertThat(tasks.list("SELECT state FROM task ORDER BY id")).containsExactly("DONE", "PLAN");
    }

    @Test
    void close_afterTheShutdownTimeout_putsTheRunningTaskBack() {
        serveWithTimeout(Duration.ofMillis(100), "SELECT pg_sleep(600)");
        assertThat(tasks.list("SELECT state FROM task ORDER BY id")).containsExactly("PLAN", "PLAN");
    }

    @Test
    void shutdownTimeout_negative_isRefused() {
        assertThatThrownBy(() -> TaskScheduler.on(Database.of(database.uri())).shutdownTimeout(Duration.ofSeconds(-1)))
                .hasMessage("a shutdown timeout of PT-1S: it has to be zero to a thousand years");
    }

    @Test
    void tune_run_holdsFromThenOn() {
        TaskScheduler scheduler = serve(database, "task");
        tasks.awaitTold("active", 1);
        tasks.execute("CREATE TABLE run (n bigint)");
        scheduler.tune(new TaskTuning(null, Duration.ofMinutes(1), 1)); // pg_task.run, all groups together
        tasks.execute(
                "INSERT INTO task (input, \"group\") SELECT 'INSERT INTO run SELECT count(*) FROM task WHERE state ="
                        + " ''WORK'' AND (SELECT pg_sleep(0.02)) IS NOT NULL', 'g' || n FROM generate_series(1, 10) n");
        tasks.awaitEnded(10);
        assertThat(tasks.list("SELECT DISTINCT n FROM run")).containsExactly("1");
    }

    @Test
    void group_withLongQueueAndRoom_leavesSessionsToOthers() {
        serve(database, "task");
        tasks.awaitTold("active", 1);
        tasks.execute("INSERT INTO task (input, \"group\", max) SELECT 'SELECT pg_sleep(0.02)', 'many', 1000 FROM"
                + " generate_series(1, 800); INSERT INTO task (input, \"group\") SELECT 'SELECT 1', 'one ' || n FROM"
                + " generate_series(1, 20) n");
        Scheduled.awaiting("every group had its turn")
                .until(() ->
                        tasks.number("SELECT count(*) FROM task WHERE \"group\" <> 'many' AND state = 'DONE'") == 20);
        assertThat(tasks.number("SELECT count(*) FROM task WHERE \"group\" = 'many' AND state = 'PLAN'"))
                .isGreaterThan(400);
        assertThat(tasks.number(TASK_SESSIONS)).isLessThanOrEqualTo(4);
    }

    @Test
    void group_whoseSessionsGoOnForEver_leavesThemToOthers() {
        serve(database, "task");
        tasks.awaitTold("active", 1);
        tasks.execute(
                "INSERT INTO task (input, \"group\", max, count) SELECT 'SELECT pg_sleep(0.02)', 'many', 1000, 10000"
                        + " FROM generate_series(1, 2000); INSERT INTO task (input, \"group\") VALUES ('SELECT 1', 'one')");
        Scheduled.awaiting("the other had its turn")
                .until(() -> tasks.number("SELECT count(*) FROM task WHERE \"group\" = 'one' AND state = 'DONE'") == 1);
        assertThat(tasks.number("SELECT count(*) FROM task WHERE \"group\" = 'many' AND state = 'PLAN'"))
                .isGreaterThan(400);
    }

    @Test
    void database_thatFloods_leavesSessionsToOthers() {
        TestDatabase other = TestDatabase.create();
        others.add(other);
        Scheduled there = Scheduled.at(other.uri());
        serve(database, "task");
        serve(other, "task");
        tasks.awaitTold("active", 2);
        tasks.execute("INSERT INTO task (input, \"group\") SELECT 'SELECT pg_sleep(0.05)', 'g' || n"
                + " FROM generate_series(1, 600) n");
        Scheduled.awaiting("all sessions taken").until(() -> tasks.number(TASK_SESSIONS) == 4);
        for (int i = 1; i <= 3; i++) {
            there.execute("INSERT INTO task (input) VALUES ('SELECT 1')");
            int done = i;
            Scheduled.awaiting("the other database had its turn")
                    .until(() -> there.number("SELECT count(*) FROM task WHERE state = 'DONE'") == done);
        }
        assertThat(tasks.number("SELECT count(*) FROM task WHERE state = 'PLAN'"))
                .isGreaterThan(100);
    }

    @Test
    void remoteTasks_atTheirBound_takeNoLocalPlaces() {
        serve(database, "task");
        tasks.awaitTold("active", 1);
        tasks.execute("INSERT INTO task (input, \"group\", max, remote) SELECT 'SELECT pg_sleep(2)', 'far', 100, '"
                + database.uri() + "' FROM generate_series(1, 12)");
        Scheduled.awaiting("four run elsewhere")
                .until(() -> tasks.number("SELECT count(*) FROM task WHERE state = 'WORK'") == 4);
        tasks.execute("INSERT INTO task (input) VALUES ('SELECT count(*) FROM task WHERE state = ''WORK'' AND"
                + " remote IS NOT NULL')");
        Scheduled.awaiting("a local one beside them")
                .until(() -> tasks.number("SELECT count(*) FROM task WHERE remote IS NULL AND state = 'DONE'") == 1);
        assertThat(tasks.number("SELECT count(*) FROM task WHERE state = 'PLAN'"))
                .isPositive();
        tasks.awaitEnded(13);
        assertThat(tasks.list("SELECT DISTINCT error FROM task")).containsOnlyNulls();
    }

    @Test
    void settings_changed_areNoticed() {
        List<String> heard = new ArrayList<>();
        schedulers.watchSettings(Database.of(database.uri()), () -> {
            synchronized (heard) {
                heard.add("changed");
            }
        });
        serve(1);
        Scheduled.awaiting("watching")
                .until(() -> tasks.number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND"
                                + " pid <> pg_backend_pid() AND query LIKE '%pg_conf_load_time()%md5(%'")
                        == 1);
        tasks.execute(
                "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET pg_task.run = 3', current_database()); END $$");
        Scheduled.awaiting("heard").until(() -> {
            synchronized (heard) {
                return !heard.isEmpty();
            }
        });
    }
}
