package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** {@code howdah.run} and {@code howdah.wait}. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class TaskFunctionsCases {
    private final TestDatabase database;
    private final ServedTable tasks;

    TaskFunctionsCases(int major) {
        database = TestDatabase.create(TestServer.of(major));
        askForFunctions(database);
        tasks = ServedTable.in(database);
    }

    private static void askForFunctions(TestDatabase database) {
        database.execute("ALTER DATABASE " + database.name() + " SET pg_task.functions = 'on'");
    }

    @AfterAll
    void close() {
        tasks.close();
        database.close();
    }

    private String waited(String id, String more) {
        return String.valueOf(
                tasks.value("SELECT concat_ws('|', state, output, error) FROM howdah.wait(" + id + more + ")"));
    }

    private String run(String arguments) {
        return String.valueOf(tasks.value("SELECT howdah.run(" + arguments + ")"));
    }

    @Test
    void task_runAndWaitedFor_isAnswered() {
        assertThat(waited(run("'SELECT 42'"), "")).isEqualTo("DONE|42");
        assertThat(waited(run("'SELECT 1/0'"), ", '1 min'")).startsWith("FAIL||ERROR:  division by zero");
        assertThat(waited(run("'SELECT 1 WHERE false'"), "")).isEqualTo("DONE");
    }

    @Test
    void columns_thatAreGiven_areSet() {
        String id = run(
                "'SELECT 1', \"group\" => 'mine', plan => 'infinity', max => -3::bigint, timeout => '1.5 s', active => '2 h',"
                        + " once => true, repeat => '1 mon 1 day', data => 'it''s', notify => 'n', remote => NULL");
        assertThat(tasks.value(
                        "SELECT concat_ws(' ', \"group\", plan, max, timeout, active, once, repeat, data, notify, state)"
                                + " FROM task WHERE id = " + id))
                .isEqualTo("mine infinity -3 00:00:01.5 02:00:00 t 1 mon 1 day it's n PLAN");
        assertThat(waited(id, ", '10 ms'")).isEmpty();
        tasks.execute("DELETE FROM task WHERE id = " + id);
        assertThat(waited(id, "")).isEqualTo("DONE");
    }

    /** Drivers declare whole numbers as bigint, which is no integer. */
    @Test
    void functions_takeEachSizeOfAWholeNumber() {
        assertThat(
                        database.value(
                                "SELECT string_agg(p.proname, ' ') FROM pg_proc p"
                                        + " WHERE p.pronamespace = 'howdah'::regnamespace AND 'integer'::regtype = ANY (p.proargtypes)"))
                .isNull();
    }

    @Test
    void columns_ofAnyName_areSetByOptions() {
        String failed = run("'SELECT 1/0', \"group\" => 'opts', on_failure => 'SELECT 8', duration => '1 min',"
                + " options => '{\"delete\": false, \"group\": \"other\"}'");
        assertThat(waited(failed, "")).startsWith("FAIL|");
        assertThat(tasks.value("SELECT concat_ws(' ', \"group\", delete, duration) FROM task WHERE id = " + failed))
                .isEqualTo("opts f 00:01:00");
        tasks.awaitTrue("SELECT EXISTS (SELECT FROM task WHERE parent = " + failed + " AND output = '8')");
        String first = run("'SELECT 9'");
        String second = run("'SELECT 10', after => ARRAY[" + first + "]");
        assertThat(waited(second, "")).isEqualTo("DONE|10");
        assertThatThrownBy(() -> run("'SELECT 1', options => '{\"grupp\": 1}'"))
                .hasStackTraceContaining("column \"grupp\" of relation \"task\" does not exist");
    }

    @Test
    void wait_thatWouldNeverEnd_isRefused() throws SQLException {
        String waiting = run("'SELECT 1', plan => 'infinity'");
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (String text : new String[] {
                "SELECT howdah.wait(howdah.run('SELECT 1'))",
                "SAVEPOINT a; SELECT howdah.run('SELECT 1'); RELEASE a; SELECT howdah.wait(max(id)) FROM task",
                "UPDATE task SET data = 'x' WHERE id = " + waiting + "; SELECT howdah.wait(" + waiting + ")"
            }) {
                assertThatThrownBy(() -> statement.execute(text))
                        .as(text)
                        .hasMessageContaining("cannot end before this transaction does");
                connection.rollback();
            }
            assertThatThrownBy(() -> statement.execute(
                            "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT howdah.wait(" + waiting + ")"))
                    .hasMessageContaining("would never be seen in a transaction that is repeatable read");
            connection.rollback();
        }
        assertThatThrownBy(() -> waited("1000000", "")).hasStackTraceContaining("there is no task 1000000 in ");
        assertThatThrownBy(() -> waited("NULL", "")).hasStackTraceContaining("id is null");
        assertThatThrownBy(() -> run("NULL")).hasStackTraceContaining("sql is null");
    }

    private static String run(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT howdah.run('SELECT 43')")) {
            row.next();
            return row.getString(1);
        }
    }

    private CompletableFuture<String> beginToWait(String id) {
        CompletableFuture<String> waited = CompletableFuture.supplyAsync(() -> waited(id, ""));
        tasks.awaitTrue("SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()"
                + " AND query LIKE '%howdah.wait(" + id + ")%' AND wait_event = 'PgSleep')");
        assertThat(waited).isNotDone();
        return waited;
    }

    @Test
    void wait_forATaskWhoseTransactionGoesOn_waitsForItsCommit() throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            String id = run(statement);
            assertThat(waited(id, ", '50 ms'")).isEmpty();
            CompletableFuture<String> waited = beginToWait(id);
            connection.commit();
            assertThat(waited).succeedsWithin(Duration.ofSeconds(20)).isEqualTo("DONE|43");

            waited = beginToWait(run(statement));
            connection.rollback();
            assertThat(waited).as("gone").succeedsWithin(Duration.ofSeconds(20)).isEqualTo("DONE");
        }
    }

    @Test
    void anyRole_addsWhatItMay() {
        String role = "howdah_caller_" + database.name();
        tasks.execute("CREATE ROLE " + role);
        assertThatThrownBy(() -> tasks.execute("SET ROLE " + role + "; SELECT howdah.run('SELECT 1')"))
                .hasStackTraceContaining("permission denied");
        tasks.execute("GRANT INSERT, SELECT ON task TO " + role + "; GRANT USAGE ON SEQUENCE task_id_seq TO " + role);
        tasks.execute("SET ROLE " + role + "; SELECT howdah.wait(" + tasks.add("SELECT 1") + ")");
        tasks.execute("SET ROLE " + role + "; SELECT howdah.run('SELECT 1')");
        tasks.execute("DROP OWNED BY " + role + "; DROP ROLE " + role);
    }

    @Test
    void functions_thatWereChanged_areMadeAnew() {
        try (TestDatabase other = TestDatabase.create(database.server())) {
            askForFunctions(other);
            ServedTable.in(other).close();
            other.execute("CREATE OR REPLACE FUNCTION howdah.wait(id bigint, timeout interval DEFAULT NULL,"
                    + " \"table\" regclass DEFAULT NULL, OUT state text, OUT output text, OUT error text)"
                    + " LANGUAGE plpgsql AS 'BEGIN state := 5; END'");
            try (ServedTable served = ServedTable.in(other)) {
                assertThat(served.value("SELECT state FROM howdah.wait(" + served.add("SELECT 1") + ")"))
                        .isEqualTo("DONE");
            }
        }
    }

    @Test
    void functions_ofAnotherVersion_withOtherArguments_areNoLongerThere() {
        try (TestDatabase other = TestDatabase.create(database.server())) {
            askForFunctions(other);
            ServedTable.in(other).close();
            other.execute("CREATE FUNCTION howdah.run(sql text, \"group\" text DEFAULT NULL) RETURNS bigint"
                    + " LANGUAGE sql SET search_path = pg_catalog, pg_temp AS 'SELECT 0::bigint';"
                    + " CREATE FUNCTION howdah.run(one integer) RETURNS text LANGUAGE sql AS 'SELECT ''mine''::text'");
            assertThatThrownBy(() -> other.value("SELECT howdah.run('SELECT 1')"))
                    .hasStackTraceContaining("is not unique");
            try (ServedTable served = ServedTable.in(other)) {
                String id = String.valueOf(served.value("SELECT howdah.run('SELECT 7')"));
                assertThat(served.value("SELECT output FROM howdah.wait(" + id + ")"))
                        .isEqualTo("7");
                assertThat(served.value("SELECT howdah.run(1)")).isEqualTo("mine");
            }
        }
    }

    @Test
    void functions_notAskedFor_areNotThere() {
        try (TestDatabase other = TestDatabase.create(database.server());
                ServedTable served = ServedTable.in(other)) {
            assertThat(served.value("SELECT count(*) FROM pg_namespace WHERE nspname = 'howdah'"))
                    .isEqualTo("0");
        }
    }
}
