package dev.howdah.task;

import static dev.howdah.task.ServedTable.GATED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** With {@code once} the effects of a task and its end are committed together. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class TaskOnceCases {
    private final TestDatabase database;
    private final ServedTable tasks;

    TaskOnceCases(int major) {
        database = TestDatabase.create(TestServer.of(major));
        tasks = ServedTable.in(database);
    }

    @BeforeAll
    void makeEffects() {
        tasks.execute("CREATE TABLE effect (task bigint DEFAULT current_setting('pg_task.id')::bigint, note text);"
                + " CREATE ROLE howdah_nobody_" + database.name() + "; GRANT ALL ON effect TO PUBLIC");
    }

    @AfterAll
    void close() {
        tasks.close();
        tasks.execute(
                "DROP OWNED BY howdah_nobody_" + database.name() + "; DROP ROLE howdah_nobody_" + database.name());
        database.close();
    }

    private static final String EFFECT = "INSERT INTO effect DEFAULT VALUES";

    private Task once(String input, String... columns) {
        String[] all = new String[columns.length + 2];
        System.arraycopy(columns, 0, all, 0, columns.length);
        all[columns.length] = "once";
        all[columns.length + 1] = "true";
        return tasks.run(input, all);
    }

    private long effects(Task task) {
        return Long.parseLong(String.valueOf(tasks.value("SELECT count(*) FROM effect WHERE task = " + task.id())));
    }

    private void assertUndone(Task task, String error) {
        assertThat(task.error()).startsWith(error);
        assertThat(task.state()).isEqualTo(TaskState.FAIL);
        assertThat(effects(task)).isZero();
    }

    private void assertDone(Task task) {
        assertThat(task.error()).isNull();
        assertThat(task.state()).isEqualTo(TaskState.DONE);
        assertThat(effects(task)).isEqualTo(1);
        assertThat(task.stop()).isNotNull().isAfterOrEqualTo(task.start());
    }

    @Test
    void effectsAndEnd_areOneTransaction() {
        Task task = once(EFFECT + "; SELECT 1 AS a, 'ä' AS b");
        assertDone(task);
        assertThat(task.output()).isEqualTo("INSERT 0 1\na\tb\n1\tä");
        assertThat(tasks.value(
                        "SELECT e.xmin = t.xmin FROM effect e JOIN task t ON t.id = e.task WHERE t.id = " + task.id()))
                .isEqualTo("t");
    }

    @Test
    void error_undoesEverything() {
        assertUndone(once(EFFECT + "; SELECT 1/0"), "ERROR:  division by zero\nSTATEMENT:  INSERT");
    }

    @Test
    void error_atCommit_undoesEverything() {
        tasks.execute("CREATE TABLE one (a int UNIQUE DEFERRABLE INITIALLY DEFERRED); INSERT INTO one VALUES (1)");
        assertUndone(
                once(EFFECT + "; INSERT INTO one VALUES (1)"),
                "ERROR:  duplicate key value violates unique constraint");
        assertDone(once(EFFECT + "; INSERT INTO one VALUES (2)"));
    }

    @Test
    void error_inSavepoint_isTheTasksOwnAffair() {
        assertDone(once("SAVEPOINT a; " + EFFECT + "; ROLLBACK TO a; " + EFFECT
                + "; DO $$ BEGIN PERFORM 1/0; EXCEPTION WHEN division_by_zero THEN NULL; END $$; RELEASE a"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"COMMIT", "BEGIN", "ROLLBACK", "END; SELECT 1", "START TRANSACTION", "PREPARE TRANSACTION 'x'"})
    void textThatEndsTransactions_isRefusedBeforeAnythingRuns(String text) {
        Task task = once(EFFECT + "; " + text);
        assertUndone(
                task,
                "ERROR:  a task with once cannot begin or end transactions itself: "
                        + text.split(";")[0].split(" '")[0]);
        assertThat(task.output()).isEmpty();
    }

    @Test
    void statement_thatNeedsNoTransaction_failsWithTheServersError() {
        assertUndone(once("VACUUM effect"), "ERROR:  VACUUM cannot run inside a transaction block");
        assertUndone(once(EFFECT + "; DO 'BEGIN COMMIT; END'"), "ERROR:  invalid transaction termination");
    }

    @Test
    void remote_isRefused() {
        assertUndone(
                once("SELECT 1", "remote", database.uri()),
                "ERROR:  a task with a remote cannot be run with once\nDETAIL:  ");
    }

    @Test
    void readOnlyTransaction_failsClearly() {
        for (String text : new String[] {"SET TRANSACTION READ ONLY", "SET transaction_read_only = on"})
            assertUndone(
                    once(EFFECT + "; " + text),
                    "ERROR:  the end of the task could not be written: cannot execute UPDATE in a read-only transaction"
                            + "\nDETAIL:  What it did was rolled back.");
    }

    @Test
    void whateverIsLeftBehind_theEndIsWritten() {
        String nobody = "howdah_nobody_" + database.name();
        for (String text : new String[] {
            "SET ROLE " + nobody,
            "SET SESSION AUTHORIZATION " + nobody,
            "SET default_transaction_read_only = on",
            "SET search_path = nowhere; CREATE TEMP TABLE task (id bigint)",
            "SET search_path = ''",
            "SET client_encoding = 'LATIN1'; SELECT 'ä'",
            "RESET ALL",
            "SET CONSTRAINTS ALL IMMEDIATE",
            "SET session_replication_role = replica",
            "SET standard_conforming_strings = off",
            "DISCARD PLANS; SELECT pg_advisory_unlock_all()"
        }) {
            Task task = once(EFFECT + "; " + text);
            assertThat(task.error()).as(text).isNull();
            assertDone(task);
        }
        assertDone(once("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; " + EFFECT));
        assertDone(once(EFFECT + "; UPDATE task SET data = 'mine' WHERE id = current_setting('pg_task.id')::bigint"));
    }

    @Test
    void resetAllAndRollbackTo_together_areTakenForAnEnd() {
        // The one false alarm: nothing is left to tell it from ROLLBACK and BEGIN, and nothing is lost.
        assertUndone(
                once(EFFECT + "; SAVEPOINT a; ROLLBACK TO a; RESET ALL"),
                "ERROR:  a task with once has ended its transaction itself");
    }

    @Test
    void whatFollows_isDoneOnce() {
        Task repeats = once(EFFECT, "repeat", "1 hour", "group", "repeats", "data", "x");
        assertDone(repeats);
        assertThat(tasks.value(
                        "SELECT count(*) || ' ' || bool_and(once AND state = 'PLAN' AND stop IS NULL) FROM task WHERE parent = "
                                + repeats.id()))
                .isEqualTo("1 true");
        Task pauses = once(EFFECT, "max", "-100", "group", "pauses");
        assertDone(pauses);
        long vanishes = tasks.add(
                "INSERT INTO effect SELECT 1 WHERE false; SELECT 1 WHERE false", "once", "true", "delete", "false");
        assertThat(tasks.ended(vanishes).output()).isEqualTo("INSERT 0 0");
        long gone = tasks.add("SELECT note FROM effect WHERE false", "once", "true");
        tasks.awaitTrue("SELECT NOT EXISTS (SELECT FROM task WHERE id = " + gone + ")");
    }

    @Test
    void keptSession_runsTasksOfBothKinds() {
        tasks.execute("INSERT INTO task (\"group\", input, count, once) SELECT 'both', '" + EFFECT
                + "', 100, i % 2 = 0 FROM generate_series(1, 20) i");
        tasks.settled("both");
        assertThat(
                        tasks.value(
                                "SELECT count(*) || ' ' || count(DISTINCT pid) FROM task WHERE \"group\" = 'both' AND state = 'DONE'"))
                .isEqualTo("20 1");
    }

    @Test
    void row_deletedWhileItRuns_undoesTheTask() {
        long id;
        try (var gate = tasks.gate()) {
            assertThat(gate).isNotNull();
            id = tasks.add(EFFECT + "; " + GATED, "once", "true", "group", "deleted");
            tasks.working(id);
            tasks.execute("DELETE FROM task WHERE id = " + id);
        }
        tasks.run("SELECT 1", "group", "deleted");
        assertThat(tasks.value("SELECT count(*) FROM effect WHERE task = " + id))
                .isEqualTo("0");
    }

    @Test
    void row_setToStopWhileItRuns_endsAsUsual() {
        long id;
        try (var gate = tasks.gate()) {
            assertThat(gate).isNotNull();
            id = tasks.add(EFFECT + "; " + GATED, "once", "true");
            tasks.working(id);
            tasks.execute("UPDATE task SET state = 'STOP' WHERE id = " + id);
        }
        if (TestServer.isReadCommitted()) {
            tasks.awaitTrue("SELECT state = 'DONE' FROM task WHERE id = " + id);
            assertDone(tasks.find(id).orElseThrow());
        } else {
            // Its transaction cannot write over a row that has changed since it began: it is undone, and the task stays
            // as it was set.
            tasks.awaitTrue(
                    "SELECT NOT EXISTS (SELECT FROM pg_locks l JOIN task t ON t.pid = l.pid AND t.id = " + id + ")");
            assertThat(tasks.value("SELECT state::text || (SELECT count(*) FROM effect WHERE task = " + id
                            + ") FROM task WHERE id = " + id))
                    .isEqualTo("STOP0");
        }
    }

    @Test
    void functionThatWritesTheEnd_calledByOthers_writesNothing() {
        Task task = once(EFFECT);
        Task other = tasks.run("SELECT task_done(" + task.id() + ", 'false')");
        assertThat(other.error()).startsWith("ERROR:  task " + task.id() + " does not run here any more\nDETAIL:  ");
        assertUndone(
                once(EFFECT + "; SELECT task_done(current_setting('pg_task.id')::bigint, 'early')"),
                "ERROR:  the end of the task could not be written: task ");
    }

    @Test
    void session_endedRightAfterItsCommit_taskIsDoneOnce() {
        assertDoneOnceWithoutItsSession("repeat", "1 hour");
        assertDoneOnceWithoutItsSession("max", "-1000");
    }

    @Test
    void session_endedRightAfterTheCommitOfATaskThatIsToStop_taskIsDoneOnce() {
        long id;
        try (var gate = tasks.gate()) {
            assertThat(gate).isNotNull();
            id = tasks.add(EFFECT + "; " + GATED, "once", "true");
            tasks.working(id);
            commitInItsPlace(id);
            tasks.execute("UPDATE task SET state = 'STOP' WHERE id = " + id);
            endSession(id);
            tasks.awaitTrue("SELECT state = 'DONE' FROM task WHERE id = " + id);
        }
        assertDone(tasks.find(id).orElseThrow());
    }

    private void assertDoneOnceWithoutItsSession(String column, String value) {
        String group = tasks.newGroup();
        long id;
        try (var gate = tasks.gate()) {
            assertThat(gate).isNotNull();
            id = tasks.add(EFFECT + "; " + GATED, "once", "true", "group", group, column, value);
            tasks.working(id);
            commitInItsPlace(id);
            endSession(id);
        }
        // Run again, it is done as well, with two effects.
        tasks.awaitTrue("SELECT state = 'DONE' FROM task WHERE id = " + id);
        Task task = tasks.find(id).orElseThrow();
        assertDone(task);
        assertThat(task.output()).isEqualTo("as it was");
        assertThat(tasks.value("SELECT count(*) FROM task WHERE parent = " + id))
                .isEqualTo(column.equals("repeat") ? "1" : "0");
    }

    /** What the session of a running task has committed when it ends before it answers. */
    private void commitInItsPlace(long id) {
        tasks.execute("INSERT INTO effect VALUES (" + id + "); UPDATE task SET stop = now(), output = 'as it was'"
                + " WHERE id = " + id);
    }

    private void endSession(long id) {
        assertThat(tasks.value("SELECT pg_terminate_backend(pid) FROM task WHERE id = " + id))
                .isEqualTo("t");
    }

    @Test
    void endWithoutBooks_isClosedByTheNextScheduler() {
        try (TestDatabase other = TestDatabase.create(database.server())) {
            ServedTable.in(other).close();
            String made = other.value("INSERT INTO task (input, once, state, start, stop, pid, output, repeat) VALUES"
                    + " ('SELECT 1', true, 'WORK', now(), now(), 1, 'as it was', '1 hour') RETURNING id");
            try (ServedTable next = ServedTable.in(other)) {
                next.awaitTrue("SELECT state = 'DONE' AND output = 'as it was' FROM task WHERE id = " + made);
                assertThat(next.value("SELECT count(*) FROM task WHERE parent = " + made))
                        .isEqualTo("1");
            }
        }
    }
}
