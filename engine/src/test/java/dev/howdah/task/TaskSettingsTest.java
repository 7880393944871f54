package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Settings as defaults of columns and as limits of the scheduler; timeouts. */
@PostgresTest
class TaskSettingsTest {
    private final TestDatabase database;

    TaskSettingsTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void defaults_ofASession_areItsInserts() {
        ServedTable.in(database).close();
        database.execute(
                "SET pg_task.active = '2 h'; SET pg_task.live = '3 s'; SET pg_task.repeat = '4 s'; SET pg_task.timeout = '5 s';"
                        + " SET pg_task.count = 6; SET pg_task.max = -7; SET pg_task.delete = off; SET pg_task.drift = on; SET pg_task.header ="
                        + " false; SET pg_task.save = true; SET pg_task.string = 0; SET pg_task.delimiter = ';'; SET pg_task.escape = '\\';"
                        + " SET pg_task.quote = '\"'; SET pg_task.\"group\" = 'g'; SET pg_task.\"null\" = 'nil';"
                        + " INSERT INTO task (input, state) VALUES ('a', 'STOP');"
                        + " INSERT INTO task (input, state, active, \"null\", header, max) VALUES ('b', 'STOP', '1 s', '', true, 1)");
        String row =
                "concat_ws('|', input, active, live, repeat, timeout, count, max, delete, drift, header, save, string, delimiter,"
                        + " escape, quote, \"group\", \"null\")";
        assertThat(database.value("SELECT " + row + " FROM task WHERE input = 'a'"))
                .isEqualTo("a|02:00:00|00:00:03|00:00:04|00:00:05|6|-7|f|t|f|t|f|;|\\|\"|g|nil");
        assertThat(database.value("SELECT " + row + " FROM task WHERE input = 'b'"))
                .isEqualTo("b|00:00:01|00:00:03|00:00:04|00:00:05|6|1|f|t|t|t|f|;|\\|\"|g|");
    }

    @Test
    void defaults_fiveLevels_overrideEachOther() {
        ServedTable.in(database).close();
        String role = database.name() + "_role";
        database.execute("CREATE ROLE " + role + " LOGIN SUPERUSER; ALTER DATABASE " + database.name()
                + " SET pg_task.max = 11;"
                + " ALTER DATABASE " + database.name() + " SET pg_task.count = 21; ALTER DATABASE " + database.name()
                + " SET pg_task.\"null\" = 'dbnull'; ALTER ROLE " + role + " SET pg_task.max = 12; ALTER ROLE " + role
                + " SET pg_task.count = 22; ALTER ROLE " + role + " IN DATABASE " + database.name()
                + " SET pg_task.max = 13;"
                + " CREATE FUNCTION add(what text) RETURNS void LANGUAGE sql SET pg_task.max = 16 AS $$ INSERT INTO public.task (input,"
                + " state) VALUES (what, 'STOP') $$");
        try (ServedTable tasks = ServedTable.begin(
                        database,
                        database.uri().replace("postgres@", role + "@"),
                        "public",
                        "task",
                        how -> how.rights(TaskRights.SCHEDULER))
                .active()) {
            tasks.run("INSERT INTO task (input, state) VALUES ('a', 'STOP'); SET pg_task.max = 14;"
                    + " INSERT INTO task (input, state) VALUES ('b', 'STOP'); SET LOCAL pg_task.max = 15;"
                    + " INSERT INTO task (input, state) VALUES ('c', 'STOP'); SELECT add('d');"
                    + " INSERT INTO task (input, state, max) VALUES ('e', 'STOP', 17); RESET pg_task.max;"
                    + " INSERT INTO task (input, state) VALUES ('f', 'STOP')");
            assertThat(tasks.value(
                            "SELECT string_agg(concat_ws(' ', input, max, count, \"null\"), '|' ORDER BY input) FROM task"
                                    + " WHERE state = 'STOP'"))
                    .isEqualTo(
                            "a 13 22 dbnull|b 14 22 dbnull|c 15 22 dbnull|d 16 22 dbnull|e 17 22 dbnull|f 13 22 dbnull");
            tasks.execute("INSERT INTO task (input, state) VALUES ('g', 'STOP')");
            assertThat(tasks.value("SELECT concat_ws(' ', max, count, \"null\") FROM task WHERE input = 'g'"))
                    .isEqualTo("11 21 dbnull");
        }
        database.execute("DROP OWNED BY " + role + "; DROP ROLE " + role);
    }

    @Test
    void defaults_thatDoNotFit_failTheInsertOnly() {
        try (ServedTable tasks = ServedTable.in(database)) {
            for (String bad : List.of(
                    "max = 'many'",
                    "active = 'garbage'",
                    "count = 1.5",
                    "delete = 'perhaps'",
                    "active = '0'",
                    "count = -1"))
                assertThatThrownBy(() ->
                                tasks.execute("SET pg_task." + bad + "; INSERT INTO task (input) VALUES ('SELECT 1')"))
                        .as(bad)
                        .isInstanceOf(AssertionError.class);
            assertThat(tasks.run("SELECT 1").output()).isEqualTo("1");
        }
    }

    @Test
    void defaults_thatDoNotFitTheDatabase_stopNoOtherTask() {
        database.execute("ALTER DATABASE " + database.name() + " SET pg_task.max = 'many'");
        try (ServedTable tasks = ServedTable.in(database)) {
            assertThat(tasks.run("SELECT 1", "max", "0").output()).isEqualTo("1");
            assertThat(tasks.run("INSERT INTO task (input) VALUES ('SELECT 1')", "max", "0")
                            .error())
                    .startsWith("ERROR:  invalid input syntax for type integer: \"many\"");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0"})
    void defaults_groupSetToNothing_areTheirDefault(String value) {
        ServedTable.in(database).close();
        database.execute(
                "SET pg_task.\"group\" = '" + value + "'; INSERT INTO task (input, state) VALUES ('x', 'STOP')");
        assertThat(database.value("SELECT \"group\" FROM task")).isEqualTo(value.isEmpty() ? "group" : value);
    }

    @Test
    void run_ofTheDatabase_limitsAllGroups() { // pg_task.run
        database.execute("ALTER DATABASE " + database.name() + " SET pg_task.run = 2");
        try (ServedTable tasks = ServedTable.in(database)) {
            tasks.execute(
                    "INSERT INTO task (\"group\", input) SELECT 'g' || i, 'SELECT pg_sleep(0.3)' FROM generate_series(1, 10) i");
            tasks.awaitTrue("SELECT count(*) = 10 FROM task WHERE state = 'DONE'");
            assertThat(
                            tasks.value(
                                    "SELECT max((SELECT count(*) FROM task b WHERE b.start <= a.start AND b.stop > a.start)) FROM task a"))
                    .isEqualTo("2");
        }
    }

    @Test
    void sessions_fewerThanTasks_makeThemWait() { // never FAILs for want of a worker
        try (ServedTable tasks = ServedTable.in(database, how -> how.maxSessions(2))) {
            tasks.execute(
                    "INSERT INTO task (\"group\", input) SELECT 'g' || i, 'SELECT pg_sleep(0.1)' FROM generate_series(1, 20) i");
            tasks.awaitTrue("SELECT count(*) = 20 FROM task WHERE state = 'DONE'");
            assertThat(
                            tasks.value(
                                    "SELECT max((SELECT count(*) FROM task b WHERE b.start <= a.start AND b.stop > a.start)) FROM task a"))
                    .isEqualTo("2");
            assertThat(tasks.value("SELECT count(DISTINCT pid) <= 2 FROM task")).isEqualTo("t");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "pg_task.run = 'many' pg_task.sleep = '-5' pg_task.reset = 'never' pg_work.idle = 'x'",
                "pg_task.sleep = '99999999999999' pg_task.reset = '-1 s'",
                "pg_task.run = '-1' pg_task.reset = '100 years'"
            })
    void settings_thatDoNotParse_areReplaced(String settings) {
        for (String setting : settings.split(" (?=pg_)"))
            database.execute("ALTER DATABASE " + database.name() + " SET " + setting);
        try (ServedTable tasks = ServedTable.in(database)) {
            assertThat(tasks.run("SELECT 1").output()).isEqualTo("1");
        }
    }

    @Test
    void reset_ofTheDatabase_putsBackWhatNobodyRuns() { // rows inserted as TAKE or WORK
        database.execute("ALTER DATABASE " + database.name() + " SET pg_task.reset = '0.3 s'");
        try (ServedTable tasks = ServedTable.in(database)) {
            long taken = tasks.add("SELECT 1", "state", "TAKE");
            long working = tasks.add("SELECT 2", "state", "WORK", "pid", "1", "start", "now");
            tasks.awaitTrue("SELECT count(*) = 2 FROM task WHERE state = 'DONE'");
            assertThat(tasks.ended(taken).output()).isEqualTo("1");
            assertThat(tasks.ended(working).output()).isEqualTo("2");
        }
    }

    @Test
    void timeout_isExactToTheMillisecond() {
        assumeTrue(TestServer.shared().isAtLeast(17), "intervals have an infinity from PostgreSQL 17 on");
        try (ServedTable tasks = ServedTable.in(database)) {
            tasks.execute(
                    "INSERT INTO task (\"group\", input, timeout, max) VALUES ('t', 'SELECT 5; SELECT pg_sleep(10)', '0.4 s', 9),"
                            + " ('t', 'SELECT 1 FROM pg_sleep(0.3)', '0.9 s', 9), ('t', 'SHOW statement_timeout', '1.234 s', 9),"
                            + " ('t', 'SHOW statement_timeout', '0.0001 s', 9), ('t', 'SHOW statement_timeout', '0', 9),"
                            + " ('t', 'SHOW statement_timeout', '1 mon', 9), ('t', 'SHOW statement_timeout', '100000 years', 9),"
                            + " ('t', 'SHOW statement_timeout', 'infinity', 9), ('t', 'SHOW statement_timeout', '24 days', 9)");
            tasks.settled("t");
            assertThat(tasks.all("t", "output")).isEqualTo("5|1|1234ms|1ms|0|0|0|0|24d");
            assertThat(tasks.value("SELECT error FROM task WHERE state = 'FAIL'"))
                    .isEqualTo(
                            "ERROR:  canceling statement due to statement timeout\nSTATEMENT:  SELECT 5; SELECT pg_sleep(10)");
            assertThat(tasks.value("SELECT stop - start BETWEEN '0.4 s' AND '1.5 s' FROM task WHERE state = 'FAIL'"))
                    .isEqualTo("t");
        }
    }

    @Test
    void timeout_changedByTheTask_holds() { // of each statement
        try (ServedTable tasks = ServedTable.in(database)) {
            tasks.execute("INSERT INTO task (\"group\", input, timeout, max) VALUES"
                    + " ('t', 'BEGIN; SET statement_timeout = ''100ms''; COMMIT; SELECT pg_sleep(10)', '0', 9),"
                    + " ('t', 'SET statement_timeout = 0; SELECT 1 FROM pg_sleep(0.6)', '0.5 s', 9),"
                    + " ('t', 'DO ''BEGIN PERFORM pg_sleep(0.3); PERFORM pg_sleep(10); END''', '0.5 s', 9)");
            tasks.settled("t");
            assertThat(tasks.all("t", "state")).isEqualTo("FAIL|DONE|FAIL");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"pg_task.idle", "pg_work.idle"})
    void idle_timesSleep_isHowLongASleeperWaitsBeforeItLooks(String setting) {
        database.execute("ALTER DATABASE " + database.name() + " SET pg_task.sleep = 100; ALTER DATABASE "
                + database.name() + " SET " + setting + " = 10");
        try (Scheduled tasks = Scheduled.at(database.uri()).serve()) {
            tasks.awaitAsleep();
            // Nothing rings: by default it would look after a minute.
            tasks.execute(
                    "ALTER TABLE task DISABLE TRIGGER task_wake_up; INSERT INTO task (input) VALUES ('SELECT 1')");
            Scheduled.awaiting("a look of its own")
                    .until(() -> tasks.value("SELECT state FROM task").equals("DONE"));
        }
    }
}
