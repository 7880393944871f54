package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Its lines, their indentation, and what the settings of the server's log leave out. */
@PostgresTest
class TaskErrorTest {
    private static ServedTable tasks;

    @BeforeAll
    static void serve(TestDatabase database) {
        tasks = ServedTable.in(database);
    }

    @AfterAll
    static void stop() {
        tasks.close();
    }

    private static Task failed(String input, String... columns) {
        Task task = tasks.run(input, columns);
        assertThat(task.state()).isEqualTo(TaskState.FAIL);
        assertThat(task.output()).isNotNull(); // after an error never NULL
        return task;
    }

    private static String error(String input, String... columns) {
        return String.valueOf(failed(input, columns).error());
    }

    @Test
    void error_ofExecution_showsMessageAndStatement() {
        Task task = failed("SELECT 1/0");
        assertThat(task.error()).isEqualTo("ERROR:  division by zero\nSTATEMENT:  SELECT 1/0");
        assertThat(task.output()).isEmpty();
    }

    @Test
    void error_withPosition_saysTheCharacter() {
        assertThat(error("SELECT nocol FROM task"))
                .isEqualTo(
                        "ERROR:  column \"nocol\" does not exist at character 8\nSTATEMENT:  SELECT nocol FROM task");
        assertThat(error("SELECT 'ä', 'abc'::int")) // characters, not bytes
                .startsWith("ERROR:  invalid input syntax for type integer: \"abc\" at character 13\n");
    }

    @Test
    void error_withHint_showsIt() {
        assertThat(error("DO $$ BEGIN RAISE 'm' USING HINT = 'h', DETAIL = E'd1\\nd2'; END $$"))
                .startsWith("ERROR:  m\nDETAIL:  d1\n\td2\nHINT:  h\nCONTEXT:  PL/pgSQL function inline_code_block"
                        + " line 1 at RAISE\nSTATEMENT:  DO $$");
    }

    @Test
    void error_insideAFunction_showsQueryAndContext() { // QUERY, internal position
        assertThat(error("DO $$ BEGIN EXECUTE 'SELECT nocol'; END $$"))
                .isEqualTo("ERROR:  column \"nocol\" does not exist at character 8\nQUERY:  SELECT nocol\n"
                        + "CONTEXT:  PL/pgSQL function inline_code_block line 1 at EXECUTE\n"
                        + "STATEMENT:  DO $$ BEGIN EXECUTE 'SELECT nocol'; END $$");
    }

    @Test
    void error_ofSeveralLines_isIndentedByATab() {
        assertThat(error("SELECT\n  1/0")).isEqualTo("ERROR:  division by zero\nSTATEMENT:  SELECT\n\t  1/0");
        assertThat(error("DO $d$ BEGIN RAISE EXCEPTION E'two\\nlines'; END $d$"))
                .startsWith("ERROR:  two\n\tlines\nCONTEXT:  ");
    }

    @Test
    void error_ofAConstraint_showsItsDetail() { // at once, and deferred to the commit
        tasks.execute("CREATE TABLE c (i int CONSTRAINT c_pk PRIMARY KEY,"
                + " d int CONSTRAINT c_u UNIQUE DEFERRABLE INITIALLY DEFERRED)");
        Task atOnce = failed("INSERT INTO c VALUES (1, 1); INSERT INTO c VALUES (1, 2)");
        assertThat(atOnce.output()).isEqualTo("INSERT 0 1");
        assertThat(atOnce.error())
                .startsWith("ERROR:  duplicate key value violates unique constraint \"c_pk\"\n"
                        + "DETAIL:  Key (i)=(1) already exists.\nSTATEMENT:  ");
        assertThat(error("INSERT INTO c VALUES (1, 1), (2, 1)"))
                .startsWith("ERROR:  duplicate key value violates unique constraint \"c_u\"\n");
        assertThat(error("BEGIN; INSERT INTO c VALUES (1, 1), (2, 1)")) // the commit that the scheduler adds
                .startsWith("ERROR:  duplicate key value violates unique constraint \"c_u\"\n");
        assertThat(tasks.value("SELECT count(*) FROM c")).isEqualTo("0");
    }

    @Test
    void error_afterOutput_leavesTheOutput() {
        assertThat(failed("SELECT 7; SELECT 1/0").output()).isEqualTo("7");
        assertThat(failed("SELECT 10 / (2 - i) FROM generate_series(1, 3) i").output())
                .isEqualTo("10");
    }

    @Test
    void error_verbosityTerse_leavesOutDetailToContext() {
        assertThat(error("BEGIN; SET log_error_verbosity = terse; COMMIT;"
                        + " DO $$ BEGIN RAISE 'm' USING HINT = 'h', DETAIL = 'd'; END $$"))
                .startsWith("ERROR:  m\nSTATEMENT:  BEGIN; SET log");
    }

    @Test
    void error_verbosityVerbose_addsCodeAndLocation() {
        assertThat(error("BEGIN; SET log_error_verbosity = verbose; COMMIT; SELECT 1/0"))
                .matches("ERROR:  22012: division by zero\nLOCATION:  int4div, int\\.c:\\d+\n"
                        + "STATEMENT:  BEGIN; SET log_error_verbosity = verbose; COMMIT; SELECT 1/0");
    }

    @Test
    void error_minErrorStatementAboveError_hasNoStatement() {
        assertThat(error("BEGIN; SET log_min_error_statement = fatal; COMMIT; SELECT 1/0"))
                .isEqualTo("ERROR:  division by zero");
        assertThat(error("BEGIN; SET log_min_error_statement = panic; COMMIT; SELECT 1/0"))
                .isEqualTo("ERROR:  division by zero");
        assertThat(error("BEGIN; SET log_min_error_statement = error; COMMIT; SELECT 1/0"))
                .contains("\nSTATEMENT:  BEGIN");
    }

    @Test
    void error_formSetInTheTransactionThatFails_counts() { // as SET by a local task
        String refused = "; DO $$ BEGIN RAISE 'm' USING HINT = 'h', DETAIL = 'd'; END $$";
        assertThat(error("SET log_error_verbosity = terse" + refused)).startsWith("ERROR:  m\nSTATEMENT:  SET log");
        assertThat(error("BEGIN; SET LOCAL log_error_verbosity TO 'verbose'; SELECT 1/0"))
                .startsWith("ERROR:  22012: division by zero\nLOCATION:  int4div, int.c:");
        assertThat(error(
                        "SET log_min_error_statement = fatal; SET log_error_verbosity = terse; RESET log_error_verbosity"
                                + refused))
                .startsWith("ERROR:  m\nDETAIL:  d\nHINT:  h\n")
                .doesNotContain("STATEMENT");
        assertThat(error("BEGIN; SET log_error_verbosity = terse; ROLLBACK" + refused))
                .contains("\nHINT:  h\n");
        assertThat(error("SELECT 'SET log_error_verbosity = terse'" + refused)).contains("\nHINT:  h\n");
        String group = tasks.newGroup();
        error("SET log_error_verbosity = terse; SELECT 1/0", "group", group, "count", "9", "save", "true");
        assertThat(error("SELECT nothing()", "group", group, "count", "9")).contains("\nHINT:  ");
    }

    @Test
    void error_formSetByATask_isNotTheNextOnes() {
        String group = tasks.newGroup();
        tasks.run("BEGIN; SET log_error_verbosity = verbose; COMMIT; SELECT 1/0", "group", group, "count", "9");
        assertThat(error("SELECT 1/0", "group", group)).startsWith("ERROR:  division by zero");
    }

    @Test
    void copy_fromStdin_isRefused() {
        tasks.execute("CREATE TABLE copied (i int)");
        assertThat(error("COPY copied FROM STDIN"))
                .startsWith("ERROR:  ")
                .contains("\nSTATEMENT:  COPY copied FROM STDIN");
        Task after = tasks.run("SELECT count(*) FROM copied");
        assertThat(after.output()).isEqualTo("0");
    }

    @Test
    void cancel_fromOutside_failsTheTask() {
        String group = tasks.newGroup();
        long id = tasks.add("SELECT 5; SELECT pg_sleep(60)", "group", group);
        long next = tasks.add("SELECT 2", "group", group);
        tasks.awaitTrue("SELECT EXISTS (SELECT FROM task t JOIN pg_stat_activity a ON a.pid = t.pid WHERE t.id = " + id
                + " AND a.query LIKE '%pg_sleep(60)%' AND t.state = 'WORK')");
        tasks.execute("SELECT pg_cancel_backend(pid) FROM task WHERE id = " + id);
        Task task = tasks.ended(id);
        assertThat(task.state()).isEqualTo(TaskState.FAIL);
        assertThat(task.output()).isEqualTo("5");
        assertThat(task.error()).startsWith("ERROR:  canceling statement due to user request\nSTATEMENT:  ");
        assertThat(tasks.ended(next).output()).isEqualTo("2");
    }
}
