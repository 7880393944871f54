package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What is too late is GONE, also when it repeats, never with a negative max. */
@PostgresTest
class TaskExpiryTest {
    private static ServedTable tasks;

    @BeforeAll
    static void serve(TestDatabase database) {
        tasks = ServedTable.in(database);
    }

    @AfterAll
    static void stop() {
        tasks.close();
    }

    private static long addPlanned(String plan, String columns, String values) {
        String group = tasks.newGroup();
        return Long.parseLong(String.valueOf(tasks.value("INSERT INTO task (\"group\", input, plan" + columns
                + ") VALUES ('" + group + "', 'SELECT 1', " + plan + values + ") RETURNING id")));
    }

    @Test
    void task_laterThanActive_isGone() {
        long id = addPlanned("now() - interval '61 min'", "", "");
        Task task = tasks.ended(id);
        assertThat(task.state()).isEqualTo(TaskState.GONE);
        assertThat(task.error()).isEqualTo("ERROR:  task not active");
        assertThat(task.output()).isNull();
        assertThat(task.pid()).isNull();
        assertThat(task.start()).isNotNull().isEqualTo(task.stop());
    }

    @Test
    void task_lateButActive_runs() {
        assertThat(tasks.ended(addPlanned("now() - interval '59 min'", "", "")).output())
                .isEqualTo("1");
        assertThat(tasks.ended(addPlanned("now() - interval '10 years'", ", active", ", '11 years'"))
                        .output())
                .isEqualTo("1");
    }

    @Test
    void task_waitsInItsGroupForTooLong_isGone() { // turn or not
        String group = tasks.newGroup();
        long blocking = tasks.add("SELECT pg_sleep(30)", "group", group);
        tasks.working(blocking);
        long id = tasks.add("SELECT 1", "group", group, "active", "0.3 s");
        assertThat(tasks.ended(id).state()).isEqualTo(TaskState.GONE);
        assertThat(tasks.find(blocking).map(Task::state)).contains(TaskState.WORK);
        assertThat(tasks.value(
                        "SELECT stop >= plan + active AND stop < plan + active + interval '10 s' FROM task WHERE id = "
                                + id))
                .isEqualTo("t");
        tasks.execute("SELECT pg_cancel_backend(pid) FROM task WHERE id = " + blocking);
    }

    @Test
    void task_repeatingAndExpired_isGoneAndRepeats() {
        long id = addPlanned("now() - interval '130 min'", ", active, repeat", ", '1 s', '1 h'");
        assertThat(tasks.ended(id).state()).isEqualTo(TaskState.GONE);
        assertThat(tasks.value(
                        "SELECT r.plan - t.plan || ' ' || r.state FROM task t JOIN task r ON r.parent = t.id WHERE t.id = "
                                + id))
                .isEqualTo("03:00:00 PLAN");
    }

    @Test
    void task_expiredWithDrift_repeatsFromNow() {
        long id = addPlanned("now() - interval '130 min'", ", active, repeat, drift", ", '1 s', '1 h', true");
        tasks.ended(id);
        assertThat(tasks.value(
                        "SELECT r.plan - t.stop BETWEEN '1 h' AND '1 h 1 s' FROM task t JOIN task r ON r.parent = t.id WHERE t.id = "
                                + id))
                .isEqualTo("t");
    }

    @Test
    void task_negativeMax_neverExpires() {
        assertThat(tasks.ended(addPlanned("now() - interval '2 h'", ", active, max", ", '1 s', -1"))
                        .output())
                .isEqualTo("1");
    }

    @Test
    void task_gone_isKeptAndDoesNotPauseOthers() {
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input, plan, active) VALUES ('" + group
                + "', 'SELECT 1', now() - interval '1 h', '1 s'), ('" + group + "', 'SELECT 2', now(), '1 h')");
        tasks.settled(group);
        assertThat(tasks.all(group, "state")).isEqualTo("GONE|DONE");
    }

    @Test
    void task_activeInfinite_neverExpires() { // intervals are infinite since PostgreSQL 17
        assumeTrue(TestServer.shared().isAtLeast(17), "intervals have an infinity from PostgreSQL 17 on");
        assertThat(tasks.ended(addPlanned("'-infinity'", ", active", ", 'infinity'"))
                        .output())
                .isEqualTo("1");
    }

    @Test
    void tasks_manyExpired_doNotHoldUpOthers() {
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input, plan, active) SELECT '" + group
                + "', 'SELECT 1', now() - interval '1 h', '1 s' FROM generate_series(1, 3000)");
        assertThat(tasks.run("SELECT 2", "group", group).output()).isEqualTo("2");
        tasks.settled(group);
        assertThat(tasks.value("SELECT count(*) FROM task WHERE \"group\" = '" + group + "' AND state = 'GONE'"))
                .isEqualTo("3000");
    }
}
