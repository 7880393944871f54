package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the extension's own regression tests look at, here and at another server; but for COPY FROM STDIN and COPY TO
 * STDOUT of local tasks, whose errors are those of the server.
 */
@PostgresTest
class ExtensionBehaviourTest {
    private final TestDatabase database;
    private final Scheduled tasks;

    ExtensionBehaviourTest(TestDatabase database) {
        this.database = database;
        this.tasks = Scheduled.at(database.uri()).serve();
    }

    @AfterEach
    void close() {
        tasks.close();
    }

    private String remote(boolean elsewhere) {
        return elsewhere
                ? "'host=127.0.0.1 port=" + database.server().port() + " user=postgres dbname=" + database.name() + "'"
                : "NULL";
    }

    private long add(boolean elsewhere, String input, String columns, String values) {
        return tasks.add(input, columns + ", remote", values + ", " + remote(elsewhere));
    }

    private String row(long id) {
        tasks.awaitEnd(id);
        return tasks.value("SELECT concat_ws('|', state, COALESCE(output, 'NULL'), COALESCE(error, 'NULL')) FROM task"
                + " WHERE id = " + id);
    }

    private String run(boolean elsewhere, String input) {
        return row(add(elsewhere, input, "\"group\"", "'g' || floor(random() * 1e9)"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void output_ofOneOrMoreStatements(boolean elsewhere) {
        assertThat(run(elsewhere, "SELECT 1 AS a")).isEqualTo("DONE|1|NULL");
        assertThat(run(elsewhere, "SELECT 1 AS a, 2 AS b")).isEqualTo("DONE|a\tb\n1\t2|NULL");
        assertThat(run(elsewhere, "SELECT 1 AS a;SELECT 2 AS b")).isEqualTo("DONE|1\n2|NULL");
        assertThat(run(elsewhere, "SELECT 1 AS a, 2 AS b;SELECT 3 AS c")).isEqualTo("DONE|a\tb\n1\t2\n3|NULL");
        assertThat(run(elsewhere, "SELECT 1 AS a, 2 AS b;SELECT 3 AS c, 4 AS d"))
                .isEqualTo("DONE|a\tb\n1\t2\nc\td\n3\t4|NULL");
        assertThat(run(elsewhere, "DELETE FROM task WHERE false")).isEqualTo("DONE|DELETE 0|NULL");
        // Without output a task leaves nothing behind.
        long none = add(elsewhere, "SELECT 1 AS a WHERE false", "\"group\"", "'none'");
        Scheduled.awaiting("the row is deleted")
                .until(() -> tasks.number("SELECT count(*) FROM task WHERE id = " + none) == 0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void errors_andTimeouts(boolean elsewhere) {
        assertThat(run(elsewhere, "SELECT 1/0 AS a"))
                .isEqualTo("FAIL||ERROR:  division by zero\nSTATEMENT:  SELECT 1/0 AS a");
        assertThat(row(add(elsewhere, "SELECT pg_sleep(20) AS a", "timeout", "'1 sec'")))
                .isEqualTo("FAIL||ERROR:  canceling statement due to statement timeout\n"
                        + "STATEMENT:  SELECT pg_sleep(20) AS a");
        assertThat(row(tasks.add("SELECT 1", "remote", "'application_name'")))
                .startsWith("FAIL|")
                .contains("missing \"=\" after \"application_name\" in connection info string");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void quoteAndEscape_areKept_andTheGroupIsSeen(boolean elsewhere) {
        assertThat(row(add(
                        elsewhere,
                        "SELECT 'a' || '\"' || 'b' || chr(92) || 'c' AS a",
                        "quote, escape",
                        "'\"', chr(92)::\"char\"")))
                .isEqualTo("DONE|\"a\\\"b\\\\c\"|NULL");
        assertThat(row(add(elsewhere, "SELECT current_setting('pg_task.group')", "\"group\"", "$g$it's a \\group$g$")))
                .isEqualTo("DONE|it's a \\group|NULL");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void count_limitsTheTasksOfASession(boolean elsewhere) {
        tasks.execute(
                "INSERT INTO task (\"group\", input, max, count, remote) SELECT 'counted', 'SELECT pg_sleep(0.1)',"
                        + " 1, 5, " + remote(elsewhere) + " FROM generate_series(1, 20)");
        tasks.awaitEnded(20);
        // Two at a time, so that a last session may find less than five left.
        assertThat(tasks.value("SELECT concat_ws(' ', max(n), count(*) BETWEEN 4 AND 6) FROM"
                        + " (SELECT count(*) AS n FROM task GROUP BY pid) s"))
                .isEqualTo("5 t");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void live_limitsTheTimeOfASession(boolean elsewhere) {
        tasks.execute(
                "INSERT INTO task (\"group\", input, live, remote) SELECT 'live', 'SELECT pg_sleep(0.3)', '1 sec', "
                        + remote(elsewhere) + " FROM generate_series(1, 8)");
        tasks.awaitEnded(8);
        assertThat(tasks.value("SELECT count(DISTINCT pid) > 1 AND count(DISTINCT pid) < 8 FROM task"))
                .isEqualTo("t");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void active_whatDoesNotGetItsTurnInTime_isGone(boolean elsewhere) {
        tasks.execute("INSERT INTO task (\"group\", input, max, count, active, remote) SELECT 'active',"
                + " 'SELECT pg_sleep(8)', 1, 5, '4 sec', " + remote(elsewhere) + " FROM generate_series(1, 5)");
        tasks.awaitEnded(5);
        assertThat(tasks.list(
                        "SELECT concat_ws('|', state, error, count(*)) FROM task GROUP BY state, error ORDER BY 1"))
                .containsExactly("DONE|2", "GONE|ERROR:  task not active|3");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void max_negative_pausesAfterEachTask(boolean elsewhere) {
        for (boolean drift : new boolean[] {false, true})
            tasks.execute("INSERT INTO task (\"group\", input, max, drift, remote) SELECT 'pause " + drift
                    + "', 'SELECT clock_timestamp()', -1000, " + drift + ", " + remote(elsewhere)
                    + " FROM generate_series(1, 3)");
        tasks.awaitEnded(6);
        assertThat(tasks.list("SELECT DISTINCT gap IS NULL OR gap >= interval '0.5 s' FROM (SELECT start - lag(start)"
                        + " OVER (PARTITION BY \"group\" ORDER BY start) AS gap FROM task) g"))
                .containsExactly("t");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void save_keepsWhatATaskLeaves_andItsConnection(boolean elsewhere) {
        for (boolean save : new boolean[] {true, false}) {
            String values = "'save " + save + "', 5, " + save;
            long first = add(elsewhere, "CREATE TEMP TABLE probe AS SELECT 1", "\"group\", count, save", values);
            long second = add(elsewhere, "SELECT count(*) FROM probe", "\"group\", count, save", values);
            assertThat(tasks.awaitEnd(first)).isEqualTo("DONE");
            assertThat(tasks.awaitEnd(second)).isEqualTo(save ? "DONE" : "FAIL");
            assertThat(tasks.column("pid", second)).isEqualTo(tasks.column("pid", first));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void timeout_ofOneTask_isNotThatOfTheNextInItsSession(boolean elsewhere) {
        long first = add(elsewhere, "SELECT pg_sleep(30)", "\"group\", save, count, timeout", "'t', true, 5, '1 sec'");
        long second = add(elsewhere, "SELECT pg_sleep(2)", "\"group\", save, count", "'t', true, 5");
        assertThat(row(first)).startsWith("FAIL").contains("statement timeout");
        assertThat(row(second)).startsWith("DONE");
        assertThat(tasks.column("pid", second)).isEqualTo(tasks.column("pid", first));
    }

    @Test
    void copyToStdout_ofARemoteTask_isItsOutput() {
        long id = add(true, "COPY (SELECT generate_series(1, 100000)) TO STDOUT", "\"group\"", "'copy'");
        tasks.awaitState(id, "DONE");
        assertThat(tasks.value("SELECT concat_ws(' ', array_length(l, 1), l[1], l[100000]) FROM (SELECT"
                        + " regexp_split_to_array(rtrim(output, chr(10)), chr(10)) AS l FROM task WHERE id = " + id
                        + ") o"))
                .isEqualTo("100000 1 100000");
    }

    @Test
    void searchPath_setForTheDatabase_isThatOfTheNextTask() {
        tasks.execute("CREATE SCHEMA probe; CREATE FUNCTION probe.found() RETURNS text LANGUAGE sql AS 'SELECT"
                + " ''found''::text'");
        tasks.execute(
                "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = probe, public', current_database());"
                        + " END $$");
        assertThat(row(tasks.add("SELECT found() AS a"))).isEqualTo("DONE|found|NULL");
    }
}
