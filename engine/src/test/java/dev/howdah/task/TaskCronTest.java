package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tasks with a schedule. The database's zone is half an hour off, that of the program three quarters. */
@PostgresTest
class TaskCronTest {
    private static ServedTable tasks;

    @BeforeAll
    static void serve(TestDatabase database) {
        database.execute("ALTER DATABASE " + database.name() + " SET TimeZone = 'Asia/Kolkata'");
        tasks = ServedTable.in(database);
    }

    @AfterAll
    static void stop() {
        tasks.close();
    }

    private static String local(String zone, String time) {
        return ""
                + tasks.value(
                        "SELECT to_char(('" + time + "'::timestamptz) AT TIME ZONE '" + zone + "', 'HH24:MI:SS')");
    }

    private static String plan(long id) {
        return "" + tasks.value("SELECT plan FROM task WHERE id = " + id);
    }

    /** A plan that lies ahead, within a day, of a task that has not run. */
    private static void awaitMoved(long id) {
        tasks.awaitTrue(
                "SELECT state = 'PLAN' AND plan > now() AND plan <= now() + interval '25 h' FROM task WHERE id = "
                        + id);
    }

    @Test
    void insert_withoutPlan_waitsForTheFirstPoint() {
        long id = tasks.add("SELECT 1", "group", tasks.newGroup(), "cron", "30 3 * * *");
        awaitMoved(id);
        assertThat(local("Asia/Kolkata", plan(id)))
                .as("in the zone of the database")
                .isEqualTo("03:30:00");
    }

    @Test
    void insert_withZone_waitsForThePointThere() {
        long id = tasks.add("SELECT 1", "group", tasks.newGroup(), "cron", "0 3 * * *", "zone", "america/new_york");
        awaitMoved(id);
        assertThat(local("America/New_York", plan(id))).isEqualTo("03:00:00");
    }

    @Test
    void insert_planOnAPoint_runsAtOnceAndPlansTheNext() {
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input, cron, zone, plan, data, attempts, active) VALUES ('" + group
                + "', 'SELECT 1', '0 0 * * *', 'UTC', date_trunc('day', now(), 'UTC'), 'mine', 3, '2 days')");
        tasks.awaitTrue("SELECT count(*) = 2 FROM task WHERE \"group\" = '" + group + "'");
        assertThat(tasks.query("SELECT t.state, r.state, r.plan > t.stop AND r.plan <= t.stop + interval '24 hours'"
                        + " AND date_trunc('day', r.plan, 'UTC') = r.plan, r.cron, r.zone, r.data, r.attempts, r.start, r.output FROM task t"
                        + " JOIN task r ON r.parent = t.id WHERE t.\"group\" = '" + group + "'"))
                .hasToString("[[DONE, PLAN, t, 0 0 * * *, UTC, mine, 3, null, null]]");
        tasks.execute("DELETE FROM task WHERE \"group\" = '" + group + "'");
    }

    @Test
    void everySecond_keepsToItsGrid() {
        String group = tasks.newGroup();
        tasks.add("SELECT 1", "group", group, "cron", "* * * * * *");
        tasks.awaitTrue(
                "SELECT count(*) FILTER (WHERE state = 'DONE') >= 3 FROM task WHERE \"group\" = '" + group + "'");
        tasks.awaitTrue("WITH gone AS (UPDATE task SET cron = NULL WHERE \"group\" = '" + group
                + "' AND cron IS NOT NULL RETURNING 1) SELECT NOT EXISTS (SELECT FROM gone) AND NOT EXISTS (SELECT FROM task WHERE"
                + " \"group\" = '" + group + "' AND state IN ('PLAN', 'TAKE', 'WORK'))");
        assertThat(tasks.value("SELECT bool_and(date_trunc('second', plan) = plan AND start >= plan) AND count(*) ="
                        + " count(DISTINCT plan) FROM task WHERE \"group\" = '" + group + "'"))
                .isEqualTo("t");
    }

    @ParameterizedTest
    @CsvSource({"SELECT 1 WHERE false, -", "SELECT 1/0, FAIL|PLAN"})
    void end_ofAnyKind_plansTheNext(String input, String states) {
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input, cron, zone, plan, active) VALUES ('" + group + "', '" + input
                + "', '0 0 1 1 *', 'UTC', date_trunc('year', now(), 'UTC'), '400 days')");
        tasks.awaitTrue(
                "SELECT count(*) = 1 FROM task WHERE \"group\" = '" + group + "' AND state = 'PLAN' AND plan > now()");
        assertThat(tasks.all(group, "state")).isEqualTo(states.equals("-") ? "PLAN" : states);
    }

    @Test
    void expired_isGoneAndPlansTheNext_missedPointsAreSkipped() {
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input, cron, zone, plan) VALUES ('" + group
                + "', 'SELECT 1', '0 3 * * *', 'UTC', date_trunc('day', now(), 'UTC') - interval '9 days 21 hours')");
        tasks.awaitTrue("SELECT count(*) = 2 FROM task WHERE \"group\" = '" + group + "'");
        assertThat(tasks.all(group, "state")).isEqualTo("GONE|PLAN");
        assertThat(tasks.value("SELECT plan > now() AND plan <= now() + interval '24 hours' FROM task"
                        + " WHERE \"group\" = '" + group + "' AND state = 'PLAN'"))
                .isEqualTo("t");
    }

    @Test
    void late_withinActive_runs() {
        String group = tasks.newGroup();
        tasks.execute(
                "INSERT INTO task (\"group\", input, cron, zone, plan, active) VALUES ('" + group
                        + "', 'SELECT 1', '0 3 * * *', 'UTC', date_trunc('day', now(), 'UTC') - interval '9 days 21 hours', '20 days')");
        tasks.awaitTrue("SELECT count(*) = 2 FROM task WHERE \"group\" = '" + group + "'");
        assertThat(tasks.all(group, "state")).isEqualTo("DONE|PLAN");
    }

    @Test
    void days_thatNeverCome_failAndSayWhy_nobodyElseNotices() {
        String group = tasks.newGroup();
        long bad = tasks.add("SELECT 1", "group", group, "cron", "0 0 30 2 *", "zone", "UTC", "attempts", "5");
        long good = tasks.add("SELECT 2", "group", group);
        assertThat(tasks.ended(good).output()).isEqualTo("2");
        assertThat(tasks.ended(bad).error())
                .isEqualTo(
                        "ERROR:  the schedule of the task cannot be kept\nDETAIL:  cron '0 0 30 2 *': there is no such day:"
                                + " the day of month, month and day of week fields never meet");
        assertThat(tasks.value("SELECT concat_ws('|', state, output, start, pid, retry) FROM task WHERE id = " + bad))
                .isEqualTo("FAIL|");
    }

    @Test
    void nonsense_writtenWhileItRuns_isSeenInTheNextRun() {
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input, cron, zone, plan) VALUES ('" + group
                + "', 'UPDATE task SET cron = ''0 0 30 2 *'' WHERE id = current_setting(''pg_task.id'')::bigint', '* * * * *', 'UTC',"
                + " date_trunc('minute', now()))");
        tasks.awaitTrue(
                "SELECT count(*) FILTER (WHERE state <> 'PLAN') = 2 FROM task WHERE \"group\" = '" + group + "'");
        assertThat(tasks.all(group, "state")).isEqualTo("DONE|FAIL");
    }

    @ParameterizedTest
    @CsvSource({
        "cron, 'at noon', it has 2 fields",
        "cron, '0 25 * * *', cannot be read: its hour is",
        "zone, 'UTC+3', is none: names such as Europe",
        "attempts, '0', task_attempts_check",
        "backoff, '-1 s', task_backoff_check",
    })
    void insert_garbage_isRefused(String column, String value, String check) {
        assertThatThrownBy(() ->
                        tasks.execute("INSERT INTO task (input, " + column + ") VALUES ('SELECT 1', '" + value + "')"))
                .hasMessageContaining(check);
    }

    @Test
    void insert_cronAndRepeat_isRefused() {
        assertThatThrownBy(() ->
                        tasks.execute("INSERT INTO task (input, cron, repeat) VALUES ('SELECT 1', '@daily', '1 day')"))
                .hasMessageContaining("task_cron_or_repeat_check");
    }

    @Test
    void settings_areDefaults() { // five levels, as for other columns
        tasks.execute("SET pg_task.cron = '@yearly'; SET pg_task.zone = 'UTC'; SET pg_task.attempts = 4;"
                + " SET pg_task.backoff = '3 s'; INSERT INTO task (input, data) VALUES ('SELECT 1', 'by setting')");
        assertThat(tasks.value(
                        "SELECT concat_ws('|', cron, zone, attempts, backoff) FROM task WHERE data = 'by setting'"))
                .isEqualTo("@yearly|UTC|4|00:00:03");
    }
}
