package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** The scheduler's own sessions are ended; it is elected again, nothing is lost. */
@Tag("long")
@PostgresTest
class SchedulerFaultTest {
    private final Scheduled tasks;

    SchedulerFaultTest(TestDatabase database) {
        this.tasks = Scheduled.at(database.uri()).withWork().serve();
    }

    @AfterEach
    void close() {
        tasks.close();
    }

    private void endScheduler(TestInfo test) {
        long terms = tasks.times("active");
        assertThat(tasks.terminate(Scheduled.BOOKS)).isEqualTo(1);
        long millis = Scheduled.millisUntil("elected again", () -> tasks.times("active") > terms);
        System.out.println(test.getDisplayName() + ": elected again after " + millis + " ms");
        assertThat(millis).isLessThan(8000);
    }

    @Test
    void scheduler_endedWhileTasksRun_theyRunAgainAndNeverTwiceAtOnce(TestInfo test) {
        tasks.execute("INSERT INTO task (input, \"group\", max) SELECT 'SELECT work(1, 2)', 'g' || n % 3, 2"
                + " FROM generate_series(1, 18) n");
        Scheduled.awaiting("nine run").until(() -> tasks.number("SELECT count(*) FROM task WHERE state = 'WORK'") == 9);
        endScheduler(test);
        tasks.assertAllDone(18);
    }

    @Test
    void scheduler_endedWhileAsleep_isElectedAgainByItself(TestInfo test) {
        tasks.awaitAsleep();
        endScheduler(test);
        tasks.add("SELECT work(0)");
        tasks.assertAllDone(1);
        tasks.awaitAsleep();
    }

    @Test
    void scheduler_endedAsTaskIsAdded_taskIsNotLost(TestInfo test) {
        for (int i = 0; i < 3; i++) {
            tasks.awaitAsleep();
            tasks.add("SELECT work(0)");
            endScheduler(test);
            tasks.add("SELECT work(0)");
        }
        tasks.assertAllDone(6);
    }

    @Test
    void scheduler_endedWhileItSleepsAndTasksRun_theyRunAgain(TestInfo test) {
        long id = tasks.add("SELECT work(1)");
        long repeated = tasks.add("SELECT work(1)", "\"group\", repeat", "'repeated', '1 hour'");
        tasks.awaitState(id, "WORK");
        tasks.awaitState(repeated, "WORK");
        tasks.awaitAsleep();
        endScheduler(test);
        tasks.awaitState(id, "DONE");
        tasks.awaitState(repeated, "DONE");
        assertThat(tasks.number("SELECT count(*) FROM task WHERE parent = " + repeated))
                .as("repeats")
                .isEqualTo(1);
    }

    @Test
    void scheduler_endedByItsOwnTask_runsTheOthers() {
        tasks.execute("CREATE SEQUENCE tries");
        tasks.add(
                "SELECT CASE WHEN nextval('tries') <= 2 THEN (SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND application_name ~ '^howdah ') END; SELECT work(0.3)");
        tasks.execute("INSERT INTO task (input) SELECT 'SELECT work(0)' FROM generate_series(1, 20)");
        tasks.assertAllDone(21);
        assertThat(tasks.times("active")).isBetween(2L, 3L);
    }

    @Test
    void idsOfAnother_inWork_arePutBack() {
        long id = tasks.add("SELECT work(0)", "state", "'STOP'");
        tasks.execute("UPDATE task SET state = 'WORK', start = now() - interval '1 hour', pid = 1");
        long taken = tasks.add("SELECT work(0)", "state", "'STOP'");
        tasks.execute("UPDATE task SET state = 'TAKE' WHERE id = " + taken);
        assertThat(tasks.terminate(Scheduled.BOOKS)).isEqualTo(1);
        tasks.awaitState(id, "DONE");
        tasks.assertAllDone(2);
    }

    /** No task's session is ended a third time: that would end the task, and rightly. */
    @Test
    void anySession_endedFortyTimesUnderLoad_allTasksAreDoneWithinTheirLimits() {
        tasks.execute("CREATE TABLE victim (task bigint)");
        int count = 0;
        int killed = 0;
        while (killed < 40) {
            if (tasks.number("SELECT count(*) FROM task WHERE state = 'PLAN'") < 100) {
                tasks.execute("INSERT INTO task (input, \"group\", max, live)"
                        + " SELECT format('SELECT work(0.02, %s)', n % 4), 'g' || n % 4, n % 4,"
                        + " CASE n % 8 WHEN 0 THEN interval '1 hour' ELSE '0' END FROM generate_series(1, 200) n");
                count += 200;
            }
            long before = tasks.number("SELECT count(*) FROM run");
            killed += tasks.list(kill(killed)).size();
            Scheduled.awaiting("some progress").until(() -> tasks.number("SELECT count(*) FROM run") >= before + 4);
        }
        tasks.assertAllDone(count);
        long terms = tasks.times("active");
        System.out.println(killed + " sessions ended, " + tasks.number("SELECT count(*) FROM victim")
                + " of them at work; " + terms + " terms, "
                + tasks.number("SELECT count(*) FROM run") + " runs of " + count + " tasks");
    }

    /** Ends a session: two of six are the scheduler's or the doorbell's, of the others those at work come first. */
    private static String kill(int number) {
        String first = switch (number % 6) {
            case 2 -> "a.application_name = '" + Scheduled.BOOKS + "'";
            case 5 -> "a.application_name = 'howdah doorbell'";
            default -> "t.id IS NOT NULL";
        };
        return "WITH chosen AS MATERIALIZED (SELECT a.pid, t.id FROM pg_stat_activity a"
                + " LEFT JOIN task t ON t.pid = a.pid AND t.state = 'WORK'"
                + " WHERE a.datname = current_database() AND a.application_name ~ '^(howdah|pg_task) '"
                + " AND (SELECT count(*) FROM victim v WHERE v.task = t.id) < 2 ORDER BY " + first
                + " DESC, random() LIMIT 1),"
                + " noted AS (INSERT INTO victim SELECT id FROM chosen WHERE id IS NOT NULL)"
                + " SELECT pg_terminate_backend(pid) FROM chosen";
    }
}
