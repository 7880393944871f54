package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a task leaves beside output and error, what limits all of it, and what runs when it has failed. */
@PostgresTest
class TaskOutcomeTest {
    private static ServedTable tasks;

    @BeforeAll
    static void serve(TestDatabase database) {
        tasks = ServedTable.in(database);
    }

    @AfterAll
    static void stop() {
        tasks.close();
    }

    private static String notices(Task task) {
        return String.valueOf(task.others().get("notices"));
    }

    @Test
    void notices_areKept() {
        Task task = tasks.run(
                "DO $$ BEGIN RAISE WARNING 'disk nearly full'; RAISE NOTICE 'at % %%', 97 USING HINT = 'Tidy up.'; END $$");
        assertThat(notices(task)).isEqualTo("WARNING:  disk nearly full\nNOTICE:  at 97 %\nHINT:  Tidy up.");
        assertThat(task.others()).containsEntry("sqlstate", null);
        assertThat(task.state()).isEqualTo(TaskState.DONE);
    }

    @Test
    void notices_ofATaskWithoutOutput_keepItsRow() {
        tasks.execute(
                "CREATE FUNCTION warned() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'kept'; RETURN false; END $$");
        assertThat(notices(tasks.run("SELECT 1 WHERE warned()"))).isEqualTo("WARNING:  kept");
    }

    @Test
    void notices_withoutEnd_areCut() {
        Task task = tasks.run("DO $$ BEGIN FOR i IN 1..3000 LOOP RAISE NOTICE '%', repeat('ž', 100); END LOOP; END $$");
        assertThat(notices(task)).hasSize(65_536 + 4).startsWith("NOTICE:  žžž").endsWith("\n...");
    }

    @Test
    void sqlstate_isThatOfTheError_untilTheNextRun() {
        long id = tasks.add("DO $$ BEGIN RAISE NOTICE 'before'; PERFORM 1 / 0; END $$");
        Task failed = tasks.ended(id);
        assertThat(failed.others()).containsAllEntriesOf(Map.of("sqlstate", "22012", "notices", "NOTICE:  before"));
        assertThat(failed.error()).startsWith("ERROR:  division by zero");
        tasks.execute("UPDATE task SET input = 'SELECT 1', state = 'PLAN', plan = now() WHERE id = " + id);
        assertThat(tasks.ended(id).others()).containsEntry("sqlstate", null).containsEntry("notices", null);
    }

    @Test
    void sqlstate_ofATaskThatIsTriedAgain_isKept() {
        String group = tasks.newGroup();
        tasks.add("SELECT 1 / 0", "group", group, "attempts", "2", "backoff", "0");
        tasks.awaitTrue("SELECT count(*) = 2 AND bool_and(state = 'FAIL') FROM task WHERE \"group\" = '" + group + "'");
        assertThat(tasks.all(group, "sqlstate")).isEqualTo("22012|22012");
    }

    @Test
    void duration_isALimitForAllStatements() {
        Task task = tasks.run(
                "SELECT pg_sleep(0.4); SELECT pg_sleep(0.4); SELECT pg_sleep(30)",
                "duration",
                "1 s",
                "timeout",
                "20 s");
        assertThat(task.state()).isEqualTo(TaskState.FAIL);
        assertThat(task.error()).isEqualTo("ERROR:  the task took longer than its duration of 00:00:01");
        assertThat(task.others()).containsEntry("sqlstate", "57014");
        assertThat(tasks.run("SELECT 7", "duration", "1 day").output()).isEqualTo("7");
    }

    @Test
    void duration_endsTasksThatGoOn() {
        Task task = tasks.run(
                "DO $$ BEGIN LOOP BEGIN PERFORM pg_sleep(60); EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP; END $$",
                "duration",
                "0.2 s");
        assertThat(task.state()).isEqualTo(TaskState.FAIL);
        assertThat(task.error()).contains("its duration of 00:00:00.2", "was ended with its session");
    }

    @Test
    void duration_ofNothing_isRefused() {
        assertThatThrownBy(() -> tasks.add("SELECT 1", "duration", "0")).hasStackTraceContaining("task_duration_check");
    }

    @Test
    void onFailure_runsOnce_afterTheLastAttempt() {
        String group = tasks.newGroup();
        tasks.add(
                "SELECT 1 / 0",
                "group",
                group,
                "attempts",
                "2",
                "backoff",
                "0",
                "data",
                "mine",
                "on_failure",
                "SELECT 'failed: ' || data || ' ' || sqlstate FROM task WHERE id = (SELECT parent FROM task WHERE id ="
                        + " current_setting('pg_task.id')::bigint)");
        tasks.awaitTrue("SELECT count(*) = 3 AND bool_and(state IN ('DONE', 'FAIL')) FROM task WHERE \"group\" = '"
                + group + "'");
        assertThat(tasks.all(group, "state")).isEqualTo("FAIL|FAIL|DONE");
        assertThat(tasks.all(group, "output")).isEqualTo("||failed: mine 22012");
        assertThat(tasks.all(group, "on_failure IS NOT NULL")).isEqualTo("true|true|false");
    }

    @Test
    void onFailure_ofATaskThatEndsWell_doesNotRun() {
        String group = tasks.newGroup();
        tasks.add("SELECT 1", "group", group, "on_failure", "SELECT 'never'");
        tasks.add("SELECT 2", "group", group);
        tasks.settled(group);
        assertThat(tasks.all(group, "output")).isEqualTo("1|2");
    }

    @Test
    void onFailure_ofATaskThatIsTooLate_orAfterAFailure_runs() {
        String group = tasks.newGroup();
        long late = tasks.add("SELECT 1", "group", group, "plan", "2020-01-01", "on_failure", "SELECT 'late'");
        tasks.awaitTrue("SELECT count(*) = 1 FROM task WHERE output = 'late' AND parent = " + late);
        long after =
                tasks.add("SELECT 2", "group", group, "after", "{" + late + "}", "on_failure", "SELECT 'not at all'");
        tasks.awaitTrue("SELECT count(*) = 1 FROM task WHERE output = 'not at all' AND parent = " + after);
    }

    @Test
    void onFailure_ofASchedule_runsEachTime() {
        String group = tasks.newGroup();
        tasks.add("SELECT 1 / 0", "group", group, "cron", "* * * * * *", "on_failure", "SELECT 'told'");
        tasks.awaitTrue("SELECT count(*) >= 2 FROM task WHERE output = 'told' AND \"group\" = '" + group + "'");
        tasks.execute(
                "UPDATE task SET cron = NULL, state = 'STOP' WHERE \"group\" = '" + group + "' AND state = 'PLAN'");
    }
}
