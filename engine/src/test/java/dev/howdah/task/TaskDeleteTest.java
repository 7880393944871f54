package dev.howdah.task;

import static dev.howdah.task.ServedTable.GATED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A task without output and error leaves no row, unless it is to be kept. */
@PostgresTest
class TaskDeleteTest {
    private static ServedTable tasks;

    @BeforeAll
    static void serve(TestDatabase database) {
        tasks = ServedTable.in(database);
    }

    @AfterAll
    static void stop() {
        tasks.close();
    }

    private static String states(String input, String... columns) {
        String group = tasks.newGroup();
        String[] all = new String[columns.length + 2];
        all[0] = "group";
        all[1] = group;
        System.arraycopy(columns, 0, all, 2, columns.length);
        long id = tasks.add(input, all);
        tasks.settled(group);
        return tasks.find(id).map(task -> task.state() + " " + task.output()).orElse("no row");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"SELECT 1 WHERE false", "", "SELECT 1 AS a, 2 AS b WHERE false; SELECT WHERE false", "-- nothing"
            })
    void task_withoutOutput_leavesNoRow(String input) {
        assertThat(states(input)).isEqualTo("no row");
    }

    @Test
    void task_withoutOutputButRun_hasRun() {
        tasks.execute("CREATE SEQUENCE s");
        assertThat(states("SELECT nextval('s') WHERE nextval('s') < 0")).isEqualTo("no row");
        assertThat(tasks.value("SELECT last_value FROM s")).isEqualTo("1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "true"})
    void task_whoseRowAForeignKeyKeeps_isDone(String once) {
        tasks.execute("CREATE TABLE IF NOT EXISTS note (task bigint REFERENCES task, at text);"
                + " CREATE TABLE IF NOT EXISTS note_late (task bigint REFERENCES task DEFERRABLE INITIALLY DEFERRED)");
        for (String table : new String[] {"note", "note_late"}) {
            String group = tasks.newGroup();
            tasks.execute("WITH t AS (INSERT INTO task (\"group\", input, once, attempts, plan) VALUES ('" + group
                    + "', 'SELECT 1 WHERE false', " + once + ", 3, 'infinity') RETURNING id) INSERT INTO " + table
                    + " SELECT id FROM t");
            tasks.execute("UPDATE task SET plan = now() WHERE \"group\" = '" + group + "'");
            tasks.awaitTrue("SELECT state = 'DONE' AND error IS NULL FROM task WHERE \"group\" = '" + group + "'");
        }
    }

    @Test
    void task_whoseRowATriggerKeeps_isDone() {
        tasks.execute(
                "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF OLD.data = ''keep'' THEN RAISE"
                        + " ''kept''; END IF; RETURN OLD; END'; CREATE TRIGGER keep BEFORE DELETE ON task FOR EACH ROW"
                        + " EXECUTE FUNCTION keep()");
        assertThat(states("SELECT 1 WHERE false", "data", "keep")).isEqualTo("DONE null");
        assertThat(states("SELECT 1 WHERE false")).isEqualTo("no row");
        tasks.execute("DROP TRIGGER keep ON task");
    }

    @Test
    void task_deleteOff_isKept() {
        Task task = tasks.run("SELECT 1 AS a, 2 AS b WHERE false", "delete", "off");
        assertThat(task.state()).isEqualTo(TaskState.DONE);
        assertThat(task.output()).isNull();
        assertThat(task.error()).isNull();
        assertThat(task.pid()).isPositive();
        assertThat(task.stop()).isAfterOrEqualTo(task.start());
    }

    @ParameterizedTest
    @ValueSource(strings = {"SELECT ''", "SELECT pg_sleep(0)", "SELECT"})
    void task_withEmptyOutput_isKept(String input) { // an empty value is something
        assertThat(states(input)).isEqualTo("DONE ");
    }

    @Test
    void task_withEmptyNull_isKept() {
        assertThat(states("SELECT NULL", "null", "")).isEqualTo("DONE ");
    }

    @Test
    void task_withError_isKept() {
        assertThat(states("SELECT 1/0")).isEqualTo("FAIL ");
    }

    @Test
    void task_deleteChangedWhileRunning_counts() { // delete is read at the end
        String group = tasks.newGroup();
        long id = tasks.add("DO 'BEGIN PERFORM pg_sleep(0.2); END'; SELECT 1 WHERE false", "group", group);
        long kept;
        try (var gate = tasks.gate()) {
            assertThat(gate).isNotNull();
            kept = tasks.add(GATED + " x WHERE x::text = 'no'", "group", group, "max", "1");
            tasks.working(kept);
            tasks.execute("UPDATE task SET delete = false WHERE id = " + kept);
        }
        tasks.settled(group);
        assertThat(tasks.find(kept).map(Task::state)).contains(TaskState.DONE);
        assertThat(tasks.find(id).map(Task::output)).contains("DO");
    }

    @Test
    void tasks_manyWithoutOutput_leaveNoRows() {
        String group = tasks.newGroup();
        tasks.execute(
                "INSERT INTO task (\"group\", input, max) SELECT '" + group + "', '', 9 FROM generate_series(1, 500)");
        tasks.settled(group);
        assertThat(tasks.value("SELECT count(*) FROM task WHERE \"group\" = '" + group + "'"))
                .isEqualTo("0");
    }
}
