package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Input is one message of the simple protocol; its transactions; what a task sees of itself. */
@PostgresTest
class TaskInputTest {
    private static ServedTable tasks;
    private static String databaseName;

    @BeforeAll
    static void serve(TestDatabase database) {
        tasks = ServedTable.in(database);
        databaseName = database.name();
    }

    @AfterAll
    static void stop() {
        tasks.close();
    }

    private static String first(Task task) {
        return String.valueOf(task.error()).lines().findFirst().orElse("");
    }

    @Test
    void input_withoutStatement_leavesNoRow() {
        String group = tasks.newGroup();
        for (String input : new String[] {"", "   ", ";", "-- nothing"}) tasks.add(input, "group", group);
        tasks.add(";; SELECT 1 /* one */ ;; -- end", "group", group);
        tasks.settled(group);
        assertThat(tasks.all(group, "state || coalesce(output, '-')")).isEqualTo("DONE1");
    }

    @Test
    void input_syntaxErrorAnywhere_runsNothing() {
        tasks.execute("CREATE TABLE s (i int)");
        Task task = tasks.run("INSERT INTO s VALUES (1); SELEC 2");
        assertThat(first(task)).isEqualTo("ERROR:  syntax error at or near \"SELEC\" at character 27");
        assertThat(tasks.value("SELECT count(*) FROM s")).isEqualTo("0");
    }

    @Test
    void transaction_implicit_undoesAllButTheOutput() {
        tasks.execute("CREATE TABLE im (i int)");
        Task task = tasks.run("INSERT INTO im VALUES (1); SELECT 7; SELECT 1/0; INSERT INTO im VALUES (2)");
        assertThat(task.state()).isEqualTo(TaskState.FAIL);
        assertThat(task.output()).isEqualTo("INSERT 0 1\n7");
        assertThat(tasks.value("SELECT count(*) FROM im")).isEqualTo("0");
    }

    @Test
    void transaction_explicit_doesWhatItSays() {
        tasks.execute("CREATE TABLE ex (i int)");
        assertThat(tasks.run("BEGIN; INSERT INTO ex VALUES (1); COMMIT; BEGIN; INSERT INTO ex VALUES (2); ROLLBACK")
                        .output())
                .isEqualTo("BEGIN\nINSERT 0 1\nCOMMIT\nBEGIN\nINSERT 0 1\nROLLBACK");
        Task failed = tasks.run("BEGIN; INSERT INTO ex VALUES (3); COMMIT; INSERT INTO ex VALUES (4); SELECT 1/0");
        assertThat(failed.output()).isEqualTo("BEGIN\nINSERT 0 1\nCOMMIT\nINSERT 0 1");
        tasks.run("BEGIN; INSERT INTO ex VALUES (5); SELECT 1/0; COMMIT");
        assertThat(tasks.value("SELECT string_agg(i::text, ',' ORDER BY i) FROM ex"))
                .isEqualTo("1,3");
    }

    @Test
    void transaction_leftOpen_isCommitted() { // the tag is as the extension has it
        tasks.execute("CREATE TABLE op (i int)");
        Task task = tasks.run("BEGIN; INSERT INTO op VALUES (1)");
        assertThat(task.error()).isNull();
        assertThat(task.output()).isEqualTo("BEGIN\nINSERT 0 1");
        assertThat(tasks.value("SELECT count(*) FROM op")).isEqualTo("1");
    }

    @Test
    void transaction_leftAborted_isRolledBack() {
        tasks.execute("CREATE TABLE ab (i int)");
        Task task = tasks.run("BEGIN; INSERT INTO ab VALUES (1); SAVEPOINT s; SELECT 1/0");
        assertThat(first(task)).isEqualTo("ERROR:  division by zero");
        assertThat(tasks.value("SELECT count(*) FROM ab")).isEqualTo("0");
        assertThat(tasks.value("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                        + " AND state LIKE 'idle in transaction%' AND pid = " + task.pid()))
                .isEqualTo("0");
    }

    @Test
    void statements_thatRunAlone_work() {
        tasks.execute("CREATE TABLE al AS SELECT generate_series(1, 10) AS i");
        assertThat(tasks.run("VACUUM al").output()).isEqualTo("VACUUM");
        assertThat(tasks.run("VACUUM (ANALYZE) al;").output()).isEqualTo("VACUUM");
        assertThat(tasks.run("REINDEX TABLE al").output()).isEqualTo("REINDEX");
        assertThat(tasks.run("CREATE INDEX CONCURRENTLY al_i ON al (i)").output())
                .isEqualTo("CREATE INDEX");
        assertThat(tasks.run("CHECKPOINT").output()).isEqualTo("CHECKPOINT");
        assertThat(first(tasks.run("VACUUM al; SELECT 1")))
                .isEqualTo("ERROR:  VACUUM cannot run inside a transaction block");
    }

    @Test
    void databases_madeAndDropped_byTasks() {
        String name = databaseName + "_made";
        assertThat(tasks.run("CREATE DATABASE " + name + " TEMPLATE template0").output())
                .isEqualTo("CREATE DATABASE");
        assertThat(tasks.run("DROP DATABASE " + name).output()).isEqualTo("DROP DATABASE");
        assertThat(first(tasks.run("SELECT 1; DROP DATABASE " + name)))
                .isEqualTo("ERROR:  DROP DATABASE cannot run inside a transaction block");
    }

    @Test
    void procedures_alone_mayCommit() {
        tasks.execute("CREATE TABLE pr (i int); CREATE PROCEDURE p() LANGUAGE plpgsql AS $p$ BEGIN INSERT INTO pr"
                + " VALUES (1); COMMIT; INSERT INTO pr VALUES (2); ROLLBACK; INSERT INTO pr VALUES (3); END $p$");
        assertThat(tasks.run("CALL p()").output()).isEqualTo("CALL");
        Task failed = tasks.run(
                "DO $d$ BEGIN INSERT INTO pr VALUES (4); COMMIT; INSERT INTO pr VALUES (5);" + " PERFORM 1/0; END $d$");
        assertThat(first(failed)).isEqualTo("ERROR:  division by zero");
        assertThat(first(tasks.run("SELECT 6; DO $d$ BEGIN COMMIT; END $d$")))
                .isEqualTo("ERROR:  invalid transaction termination");
        assertThat(tasks.value("SELECT string_agg(i::text, ',' ORDER BY i) FROM pr"))
                .isEqualTo("1,3,4");
    }

    @Test
    void task_knowsItself() {
        String group = "my 'group' \\ – ä";
        Task task = tasks.run(
                "SELECT current_setting('pg_task.id'), current_setting('pg_task.group'), current_setting('pg_task.schema'),"
                        + " current_setting('pg_task.table'), current_setting('pg_task.oid')::oid::regclass,"
                        + " pg_backend_pid(), current_setting('application_name') LIKE 'pg_task public task my ''group''%'",
                "group", group, "header", "off");
        assertThat(task.output()).isEqualTo(task.id() + "\t" + group + "\tpublic\ttask\ttask\t" + task.pid() + "\tt");
    }

    @Test
    void task_insertsAnother_isItsParent() { // the group as well
        String group = tasks.newGroup();
        long id = tasks.add(
                "INSERT INTO task (input) VALUES ('INSERT INTO task (input) VALUES (''SELECT 3'')')", "group", group);
        tasks.awaitTrue("SELECT count(*) = 3 FROM task WHERE \"group\" = '" + group + "' AND state = 'DONE'");
        assertThat(tasks.all(group, "id - " + id)).isNotNull();
        assertThat(tasks.all(group, "parent IS NULL")).isEqualTo("true|false|false");
        assertThat(tasks.value("SELECT count(*) FROM task c JOIN task p ON p.id = c.parent WHERE c.\"group\" = '"
                        + group + "'"))
                .isEqualTo("2");
    }

    @Test
    void task_insertedOutside_hasNoParent() {
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input, state) VALUES ('" + group
                + "', 'a', 'STOP'); SET pg_task.id = 777;"
                + "INSERT INTO task (\"group\", input, state) VALUES ('" + group
                + "', 'b', 'STOP'); SET pg_task.id = 0;"
                + "INSERT INTO task (\"group\", input, state) VALUES ('" + group + "', 'c', 'STOP')");
        assertThat(tasks.all(group, "parent")).isEqualTo("-|777|-");
    }

    @Test
    void task_changesItsOwnRow_whatItsEndWritesWins() {
        long id = tasks.add("UPDATE task SET data = 'half', output = 'mine', error = 'mine', state = 'STOP'"
                + " WHERE id = current_setting('pg_task.id')::bigint");
        tasks.awaitTrue("SELECT state = 'DONE' FROM task WHERE id = " + id);
        Task task = tasks.find(id).orElseThrow();
        assertThat(task.state()).isEqualTo(TaskState.DONE);
        assertThat(task.data()).isEqualTo("half");
        assertThat(task.output()).isEqualTo("UPDATE 1");
        assertThat(task.error()).isNull();
    }

    @Test
    void task_deletesItsOwnRow_leavesNothing() {
        String group = tasks.newGroup();
        long id = tasks.add(
                "DELETE FROM task WHERE id = current_setting('pg_task.id')::bigint", "group", group, "repeat", "1 s");
        tasks.awaitTrue("SELECT NOT EXISTS (SELECT FROM task WHERE id = " + id + ")");
        assertThat(tasks.run(
                                "SELECT count(*) FROM task WHERE \"group\" = current_setting('pg_task.group')",
                                "group",
                                group)
                        .output())
                .isEqualTo("1");
    }

    @Test
    void task_spoilsItsSession_endsAllTheSame() { // cannot touch the bookkeeping
        String role = databaseName + "_nobody";
        tasks.execute("CREATE ROLE " + role);
        String group = tasks.newGroup();
        for (String input : new String[] {
            "SET ROLE " + role,
            "SET SESSION AUTHORIZATION " + role,
            "SET default_transaction_read_only = on",
            "SET search_path = nowhere",
            "SELECT pg_advisory_unlock_all()",
            "SET DateStyle = 'SQL, DMY'; SET TimeZone = 'Asia/Tokyo'",
            "SET standard_conforming_strings = off",
            "CREATE TEMP TABLE task (id int)",
            "SET statement_timeout = 1",
            "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY; SELECT 1"
        }) tasks.add(input, "group", group);
        long last = tasks.add(
                "SELECT current_user = session_user, current_setting('search_path')", "group", group, "header", "f");
        assertThat(tasks.ended(last).output()).isEqualTo("t\t\"$user\", public");
        // A task that is read late, because it was committed late, runs after a later one.
        tasks.settled(group);
        assertThat(tasks.all(group, "state || COALESCE(split_part(error, E'\\n', 1), '')"))
                .matches("(DONE\\|)*DONE");
        tasks.execute("DROP ROLE " + role);
    }

    @Test
    void input_tenMegabytes_runs() { // bad rows
        String input = "SELECT length('" + "0123456789".repeat(1_000_000) + "')";
        long id = tasks.add(input);
        tasks.awaitTrue("SELECT state = 'DONE' FROM task WHERE id = " + id);
        assertThat(tasks.value("SELECT output FROM task WHERE id = " + id)).isEqualTo("10000000");
    }
}
