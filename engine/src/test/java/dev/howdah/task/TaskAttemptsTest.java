package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tasks that are tried again after an error. */
@PostgresTest
class TaskAttemptsTest {
    private static ServedTable tasks;

    @BeforeAll
    static void serve(TestDatabase database) {
        tasks = ServedTable.in(database);
        database.execute("ALTER TABLE task ADD mine text");
        database.execute("CREATE FUNCTION fails(times int) RETURNS bigint LANGUAGE plpgsql AS $f$"
                + " DECLARE n bigint; BEGIN SELECT count(*) INTO n FROM task p WHERE p.\"group\" = current_setting('pg_task.group');"
                + " IF n <= times THEN RAISE 'not yet'; END IF; RETURN n; END $f$");
    }

    @AfterAll
    static void stop() {
        tasks.close();
    }

    private static void awaitStates(String group, String states) {
        tasks.awaitTrue("SELECT string_agg(state::text, '|' ORDER BY id) = '" + states
                + "' FROM task WHERE \"group\" = '" + group + "'");
    }

    @Test
    void failed_withAttemptsLeft_isTriedAgainUntilItSucceeds() {
        String group = tasks.newGroup();
        tasks.add("SELECT fails(2)", "group", group, "attempts", "5", "backoff", "0.1 s", "mine", "x");
        awaitStates(group, "FAIL|FAIL|DONE");
        assertThat(tasks.value(
                        "SELECT string_agg(concat_ws(' ', attempts, backoff, mine, before IS NOT DISTINCT FROM parent,"
                                + " next IS NOT DISTINCT FROM retry), '|' ORDER BY id) FROM (SELECT *, lag(id) OVER w AS before, lead(id) OVER w AS next"
                                + " FROM task WHERE \"group\" = '" + group + "' WINDOW w AS (ORDER BY id)) x"))
                .isEqualTo("5 00:00:00.1 x t t|4 00:00:00.2 x t t|3 00:00:00.4 x t t");
        assertThat(tasks.value(
                        "SELECT bool_and(r.plan >= t.stop + t.backoff AND r.plan < t.stop + t.backoff + interval '2 s')"
                                + " FROM task t JOIN task r ON r.id = t.retry WHERE t.\"group\" = '" + group + "'"))
                .isEqualTo("t");
    }

    @Test
    void failed_lastAttempt_isTheEnd() {
        String group = tasks.newGroup();
        tasks.add("SELECT 1/0", "group", group, "attempts", "2", "backoff", "0");
        awaitStates(group, "FAIL|FAIL");
        assertThat(tasks.all(group, "concat_ws(' ', attempts, retry IS NULL)")).isEqualTo("2 f|1 t");
    }

    @Test
    void failed_byDefault_isNotTriedAgain() {
        assertThat(tasks.run("SELECT 1/0", "group", "single").state()).isEqualTo(TaskState.FAIL);
        assertThat(tasks.all("single", "concat_ws(' ', state, attempts, backoff, retry)"))
                .isEqualTo("FAIL 1 00:00:10");
    }

    @Test
    void failed_repeating_keepsItsGridAndItsAttempts() {
        String group = tasks.newGroup();
        tasks.add("SELECT 1/0", "group", group, "attempts", "2", "backoff", "0.1 s", "repeat", "1 day");
        // The row itself, its repeat, its second attempt.
        tasks.awaitTrue(
                "SELECT count(*) = 3 AND count(*) FILTER (WHERE state = 'FAIL') = 2 FROM task WHERE \"group\" = '"
                        + group + "'");
        assertThat(tasks.value(
                        "SELECT string_agg(concat_ws(' ', r.state, r.attempts, r.repeat, r.backoff, r.id = t.retry), '|' ORDER BY r.state)"
                                + " FROM task t JOIN task r ON r.parent = t.id WHERE t.\"group\" = '" + group + "'"))
                .isEqualTo("PLAN 2 1 day 00:00:00.1 f|FAIL 1 00:00:00 00:00:00.2 t");
        tasks.execute("UPDATE task SET state = 'STOP' WHERE \"group\" = '" + group + "' AND state = 'PLAN'");
    }

    @Test
    void failed_withSchedule_isTriedAgainWithoutIt() {
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input, cron, zone, plan, active, attempts, backoff)"
                + " VALUES ('" + group
                + "', 'SELECT 1/0', '0 0 1 1 *', 'UTC', date_trunc('year', now(), 'UTC'), '400 days', 2, '0')");
        tasks.awaitTrue(
                "SELECT count(*) = 3 AND count(*) FILTER (WHERE state = 'FAIL') = 2 FROM task WHERE \"group\" = '"
                        + group + "'");
        assertThat(tasks.value("SELECT string_agg(concat_ws(' ', r.state, r.attempts, r.cron), '|' ORDER BY r.state)"
                        + " FROM task t JOIN task r ON r.parent = t.id WHERE t.\"group\" = '" + group + "'"))
                .isEqualTo("PLAN 2 0 0 1 1 *|FAIL 1");
    }

    @Test
    void cannotConnect_isTriedAgain() {
        String group = tasks.newGroup();
        tasks.add("SELECT 1", "group", group, "remote", "host=127.0.0.1 port=1", "attempts", "2", "backoff", "0");
        awaitStates(group, "FAIL|FAIL");
    }

    @Test
    void sessionLostThreeTimes_isTriedAgain() {
        String group = tasks.newGroup();
        tasks.add("SELECT pg_terminate_backend(pg_backend_pid())", "group", group, "attempts", "2", "backoff", "0");
        awaitStates(group, "FAIL|FAIL");
        assertThat(tasks.all(group, "error LIKE '%lost 3 times%'")).isEqualTo("true|true");
    }

    @Test
    void expired_isNotTriedAgain() {
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input, plan, attempts, backoff) VALUES ('" + group
                + "', 'SELECT 1', now() - interval '2 h', 3, '0')");
        tasks.settled(group);
        assertThat(tasks.all(group, "state")).isEqualTo("GONE");
    }

    @Test
    void stoppedWhileItRan_isNotTriedAgain() {
        String group = tasks.newGroup();
        long id;
        try (var gate = tasks.gate()) {
            assertThat(gate).isNotNull();
            String input = "DO $$ BEGIN PERFORM pg_advisory_xact_lock_shared(4711); RAISE 'no'; END $$";
            id = tasks.add(input, "group", group, "attempts", "3", "backoff", "0");
            tasks.working(id);
            tasks.execute("UPDATE task SET state = 'STOP' WHERE id = " + id);
        }
        tasks.awaitTrue("SELECT stop IS NOT NULL FROM task WHERE id = " + id);
        assertThat(tasks.value("SELECT count(*) FROM task WHERE \"group\" = '" + group + "'"))
                .isEqualTo("1");
    }

    @Test
    void backoff_longerThanADay_staysAsItIs() {
        String group = tasks.newGroup();
        tasks.add("SELECT 1/0", "group", group + "a", "attempts", "2", "backoff", "20 hours");
        tasks.add("SELECT 1/0", "group", group + "b", "attempts", "2", "backoff", "3 days");
        awaitStates(group + "a", "FAIL|PLAN");
        awaitStates(group + "b", "FAIL|PLAN");
        assertThat(tasks.all(group + "a", "backoff")).isEqualTo("20:00:00|1 day");
        assertThat(tasks.all(group + "b", "backoff")).isEqualTo("3 days|3 days");
    }

    @Test
    void failedTask_runAgainByHand_namesItsNewAttempt() {
        String group = tasks.newGroup();
        long id = tasks.add("SELECT 1/0", "group", group, "attempts", "2", "backoff", "1 day");
        awaitStates(group, "FAIL|PLAN");
        tasks.execute("UPDATE task SET input = 'SELECT 1', state = 'PLAN' WHERE id = " + id);
        awaitStates(group, "DONE|PLAN");
        assertThat(tasks.all(group, "retry IS NULL")).isEqualTo("true|true");
    }
}
