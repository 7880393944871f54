package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A negative max is a pause of so many milliseconds. */
@PostgresTest
class TaskPauseTest {
    private static ServedTable tasks;

    @BeforeAll
    static void serve(TestDatabase database) {
        tasks = ServedTable.in(database);
    }

    @AfterAll
    static void stop() {
        tasks.close();
    }

    private static String three(String input, String columns, String values) {
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input" + columns + ") SELECT '" + group + "', '" + input + "'"
                + values + " FROM generate_series(1, 3)");
        tasks.settled(group);
        assertThat(tasks.peak(group)).isEqualTo(1);
        return group;
    }

    @Test
    void pause_withoutDrift_keepsTheGridOfThePlan() {
        String group = three("SELECT pg_sleep(0.05)", ", max", ", -2000");
        assertThat(tasks.value(
                        "SELECT string_agg(round(extract(epoch FROM plan - p0) * 1000)::text, ',' ORDER BY id) FROM"
                                + " (SELECT *, min(plan) OVER () AS p0 FROM task WHERE \"group\" = '" + group + "') x"))
                .isEqualTo("0,2000,4000");
        assertThat(tasks.all(group, "start >= plan AND start < plan + interval '30 s'"))
                .isEqualTo("true|true|true");
    }

    @Test
    void pause_longerThanItsTask_skipsPointsThatArePast() { // smallest n with result > now
        String group = three("SELECT pg_sleep(0.25)", ", max", ", -100");
        assertThat(tasks.value(
                        "SELECT bool_and(round(extract(epoch FROM plan - p0) * 1000)::int % 100 = 0) FROM (SELECT *,"
                                + " min(plan) OVER () AS p0 FROM task WHERE \"group\" = '" + group + "') x"))
                .isEqualTo("t");
        assertThat(tasks.value(
                        "SELECT bool_and(gap > '0' AND gap <= '1 s') FROM (SELECT plan - lag(stop) OVER (ORDER BY start)"
                                + " AS gap FROM task WHERE \"group\" = '" + group + "') x"))
                .isEqualTo("t");
    }

    @Test
    void pause_withDrift_countsFromTheEnd() {
        String group = three("SELECT pg_sleep(0.15)", ", max, drift", ", -300, true");
        assertThat(tasks.value(
                        "SELECT count(*) FROM (SELECT start - lag(stop) OVER (ORDER BY start) AS gap FROM task WHERE \"group\" = '"
                                + group + "') x WHERE gap >= '0.3 s' AND gap < '5 s'"))
                .isEqualTo("2");
    }

    @Test
    void pause_afterAnError_holdsToo() {
        String group = three("SELECT 1/0", ", max, drift", ", -200, true");
        assertThat(tasks.value(
                        "SELECT count(*) FROM (SELECT start - lag(stop) OVER (ORDER BY start) AS gap FROM task WHERE \"group\" = '"
                                + group + "') x WHERE gap >= '0.2 s'"))
                .isEqualTo("2");
    }

    @Test
    void pause_planStillAhead_isNotMoved() {
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input, max, plan) VALUES ('" + group
                + "', 'SELECT pg_sleep(0.05)', -60000, now())," + " ('" + group
                + "', 'SELECT 2', -60000, now() + interval '0.4 s')");
        tasks.settled(group);
        assertThat(tasks.all(group, "start < plan + interval '30 s'")).isEqualTo("true|true");
    }

    @Test
    void pause_otherTasksOfTheGroup_doNotWait() { // only those with a negative max are moved
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input, max) VALUES ('" + group + "', 'SELECT 1', -60000), ('"
                + group + "', 'SELECT 2', 0), ('" + group + "', 'SELECT 3', -60000)");
        tasks.idle(group);
        assertThat(tasks.all(group, "state")).isEqualTo("DONE|DONE|PLAN");
        assertThat(tasks.value("SELECT plan > now() + interval '50 s' FROM task WHERE state = 'PLAN' AND \"group\" = '"
                        + group + "'"))
                .isEqualTo("t");
    }

    @Test
    void pause_longestThereIs_endsItsTask() { // overflows in the extension
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input, max) SELECT '" + group
                + "', 'SELECT 1', -2147483648 FROM generate_series(1, 2)");
        tasks.idle(group);
        assertThat(tasks.all(group, "state")).isEqualTo("DONE|PLAN");
        assertThat(tasks.value(
                        "SELECT max(plan) - min(plan) = 2147483648 * interval '1 ms' FROM task WHERE \"group\" = '"
                                + group + "'"))
                .isEqualTo("t");
    }

    @Test
    void pause_planLongAgo_isOnItsGrid() {
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input, max, plan) SELECT '" + group
                + "', 'SELECT 1', -3600000, now() - interval '10 years 10 minutes' FROM generate_series(1, 2)");
        tasks.idle(group);
        assertThat(tasks.value(
                        "SELECT (extract(epoch FROM max(plan) - min(plan)) * 1000)::bigint % 3600000 = 0 AND max(plan) > now()"
                                + " AND max(plan) <= now() + interval '1 h' FROM task WHERE \"group\" = '" + group
                                + "'"))
                .isEqualTo("t");
    }

    @Test
    void pause_sessionWithCount_isNotReused() {
        String group = three("SELECT 1", ", max, count, live", ", -100, 100, '1 h'");
        assertThat(tasks.value("SELECT count(DISTINCT pid) FROM task WHERE \"group\" = '" + group + "'"))
                .isEqualTo("3");
    }
}
