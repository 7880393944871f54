package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which tasks share a session, and what one finds of the other. */
@PostgresTest
class TaskSessionReuseTest {
    private static ServedTable tasks;

    @BeforeAll
    static void serve(TestDatabase database) {
        tasks = ServedTable.in(database, how -> how.maxSessions(24));
    }

    @AfterAll
    static void stop() {
        tasks.close();
    }

    private static String insert(int count, String columns, String values) {
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input" + columns + ") SELECT '" + group + "', 'SELECT ' || i"
                + values + " FROM generate_series(1, " + count + ") i");
        tasks.settled(group);
        return group;
    }

    /** How many tasks each session of a group ran, in the order of their first. */
    private static String sessions(String group) {
        return String.valueOf(
                tasks.value("SELECT string_agg(n::text, ',' ORDER BY first) FROM (SELECT count(*) AS n, min(id)"
                        + " AS first FROM task WHERE \"group\" = '" + group + "' GROUP BY pid) x"));
    }

    @Test
    void session_byDefault_isEachTasksOwn() {
        assertThat(sessions(insert(5, "", ""))).isEqualTo("1,1,1,1,1");
    }

    @ParameterizedTest
    @CsvSource({"1, '1,1,1,1,1,1,1'", "2, '2,2,2,1'", "3, '3,3,1'", "7, 7", "2147483647, 7"})
    void session_count_runsSoManyTasks(int count, String expected) {
        String group = insert(7, ", count", ", " + count);
        assertThat(sessions(group)).isEqualTo(expected);
        assertThat(tasks.started(group)).isEqualTo("1|2|3|4|5|6|7");
    }

    @Test
    void session_live_runsTheGroup() {
        assumeTrue(TestServer.shared().isAtLeast(17), "intervals have an infinity from PostgreSQL 17 on");
        assertThat(sessions(insert(20, ", live", ", '1 h'"))).isEqualTo("20");
        assertThat(sessions(insert(5, ", live", ", 'infinity'"))).isEqualTo("5");
    }

    @Test
    void session_liveAndCount_bothHold() {
        assertThat(sessions(insert(5, ", live, count", ", '1 h', 2"))).isEqualTo("2,2,1");
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input, live, count) SELECT '" + group
                + "', 'SELECT pg_sleep(1)', '1.5 s', 100 FROM generate_series(1, 3)");
        tasks.settled(group);
        assertThat(sessions(group)).isEqualTo("2,1");
    }

    @Test
    void session_severalAtOnce_eachGoOn() {
        String group = insert(40, ", live, max", ", '1 h', 3");
        assertThat(tasks.peak(group)).isLessThanOrEqualTo(4);
        assertThat(tasks.value("SELECT count(DISTINCT pid) <= 4 FROM task WHERE \"group\" = '" + group + "'"))
                .isEqualTo("t");
    }

    @Test
    void session_candidate_decidesByItsOwnFields() { // not those of the task before it
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input, count) VALUES ('" + group + "', 'SELECT 1', 9), ('" + group
                + "', 'SELECT 2', 0), ('" + group + "', 'SELECT 3', 9), ('" + group + "', 'SELECT 4', 2), ('" + group
                + "', 'SELECT 5', 9)");
        tasks.settled(group);
        // The session goes on with what it may (3, then 5: 4 allows no third task), before the others come to their
        // turn.
        assertThat(tasks.value(
                        "SELECT string_agg(DISTINCT (SELECT string_agg(b.output, ',' ORDER BY b.start) FROM task b WHERE b.pid"
                                + " = a.pid AND b.\"group\" = a.\"group\"), ' ') FROM task a WHERE a.\"group\" = '"
                                + group + "'"))
                .isEqualTo("1,3,5 2 4");
    }

    @Test
    void session_candidateOfSmallerMax_isNotItsOwn() { // max >= the max of the session's first task
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input, count, max) VALUES ('" + group + "', 'SELECT 1', 9, 1), ('"
                + group + "', 'SELECT 2', 9, 0), ('" + group + "', 'SELECT 3', 9, 0)");
        tasks.settled(group);
        assertThat(sessions(group)).isEqualTo("1,2");
    }

    @Test
    void session_ofAGroup_servesNoOther() {
        String prefix = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input, live) SELECT '" + prefix
                + "/' || i % 2, 'SELECT 1', '1 h' FROM generate_series(1, 10) i");
        tasks.awaitTrue("SELECT count(*) = 10 FROM task WHERE \"group\" LIKE '" + prefix + "/%' AND state = 'DONE'");
        assertThat(tasks.value(
                        "SELECT count(DISTINCT pid) || ' ' || count(DISTINCT (pid, \"group\")) FROM task WHERE \"group\" LIKE '"
                                + prefix + "/%'"))
                .isEqualTo("2 2");
    }

    @Test
    void session_afterAnError_goesOn() {
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input, count) VALUES ('" + group + "', 'SELECT 1', 9), ('" + group
                + "', 'BEGIN; SELECT 1/0', 9), ('" + group + "', 'SELECT 3', 9)");
        tasks.settled(group);
        assertThat(tasks.all(group, "state")).isEqualTo("DONE|FAIL|DONE");
        assertThat(sessions(group)).isEqualTo("3");
    }

    /** Everything that one session can leave behind, but for advisory locks. */
    private static final String LEAVE =
            "SET work_mem = '7MB'; SET my.own = 'x'; CREATE TEMP TABLE left_behind AS SELECT 5 AS i;"
                    + " PREPARE p AS SELECT 6; DECLARE c CURSOR WITH HOLD FOR SELECT 1; LISTEN somebody; SET DateStyle = 'German';"
                    + " SET search_path = pg_catalog; SET log_error_verbosity = verbose;"
                    + " SET client_encoding = 'LATIN1'; SET statement_timeout = 12345;"
                    + " SELECT pg_advisory_lock(4711, pg_backend_pid()); SET ROLE pg_monitor";

    private static final String FIND = "SELECT current_setting('work_mem') <> '7MB',"
            + " COALESCE(current_setting('my.own', true), '') <> 'x', to_regclass('pg_temp.left_behind') IS NULL,"
            + " (SELECT count(*) FROM pg_prepared_statements), (SELECT count(*) FROM pg_cursors),"
            + " (SELECT count(*) FROM pg_listening_channels()), current_setting('DateStyle'), current_setting('search_path'),"
            + " current_user = session_user, current_setting('log_error_verbosity'), current_setting('client_encoding'),"
            + " current_setting('statement_timeout'),"
            + " (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = 4711 AND pid = pg_backend_pid())";

    @Test
    void session_sharedWithoutSave_isResetBetween() { // advisory locks survive within the group's session
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input, count, header) VALUES ('" + group + "', $a$" + LEAVE
                + "$a$, 9, false)," + " ('" + group + "', $a$" + FIND + "$a$, 9, false)");
        tasks.settled(group);
        assertThat(tasks.all(group, "CASE WHEN output NOT LIKE 'SET%' THEN output END"))
                .isEqualTo("-|t\tt\tt\t0\t0\t0\tISO, MDY\t\"$user\", public\tt\tdefault\tUTF8\t0\t1");
        assertThat(sessions(group)).isEqualTo("2");
    }

    @Tag("long")
    @Test
    void session_reusedForAnotherGroup_isAsGoodAsNew() { // also without advisory locks
        for (String count : new String[] {"0", "9"}) {
            for (int i = 0; i < 30; i++) tasks.add(LEAVE, "group", tasks.newGroup(), "count", count);
            String group = tasks.newGroup();
            for (int i = 0; i < 30; i++) tasks.add(FIND, "group", group, "header", "off");
            tasks.settled(group);
            assertThat(tasks.value(
                            "SELECT string_agg(DISTINCT output, '|') FROM task WHERE \"group\" = '" + group + "'"))
                    .isEqualTo("t\tt\tt\t0\t0\t0\tISO, MDY\t\"$user\", public\tt\tdefault\tUTF8\t0\t0");
        }
        assertThat(tasks.value("SELECT count(DISTINCT pid) < count(*) FROM task WHERE input LIKE '%pg_cursors%'"))
                .isEqualTo("t");
    }

    @Test
    void session_save_keepsWhatATaskLeaves() {
        String group = tasks.newGroup();
        tasks.execute(
                "INSERT INTO task (\"group\", input, count, save) VALUES ('" + group
                        + "', 'SET work_mem = ''7MB''; CREATE TEMP TABLE t AS SELECT 5 AS i; PREPARE p AS SELECT 6', 9, true), ('"
                        + group
                        + "', 'SHOW work_mem; SELECT i FROM t; EXECUTE p', 9, false), ('" + group
                        + "', 'SELECT current_setting(''work_mem'') <> ''7MB'', to_regclass(''pg_temp.t'') IS NULL', 9, false)");
        tasks.settled(group);
        assertThat(tasks.all(group, "replace(output, E'\\n', ' ')"))
                .isEqualTo("SET SELECT 1 PREPARE|7MB 5 6|?column?\t?column? t\tt");
        assertThat(sessions(group)).isEqualTo("3");
    }

    @Test
    void session_saveButAlone_isNotHandedOn() { // save without count or live: the session ends with the task
        String group = tasks.newGroup();
        for (int i = 0; i < 30; i++) tasks.add(LEAVE, "group", group, "save", "on");
        tasks.settled(group);
        String other = tasks.newGroup();
        for (int i = 0; i < 30; i++) tasks.add(FIND, "group", other, "header", "off");
        tasks.settled(other);
        assertThat(tasks.value("SELECT string_agg(DISTINCT output, '|') FROM task WHERE \"group\" = '" + other + "'"))
                .startsWith("t\tt\tt\t0\t0\t0\tISO, MDY\t");
    }

    @Test
    void session_formatting_belongsToTheRow() {
        String group = tasks.newGroup();
        tasks.execute("INSERT INTO task (\"group\", input, count, header, delimiter) VALUES ('" + group
                + "', 'SELECT 1 AS a, 2 AS b', 9, true, ';'), ('" + group
                + "', 'SELECT 1 AS a, 2 AS b', 9, false, ','), ('" + group
                + "', 'SELECT current_setting(''pg_task.id'')', 9, true, ',')");
        tasks.settled(group);
        assertThat(tasks.all(group, "CASE WHEN output = id::text THEN 'id' ELSE replace(output, E'\\n', ' ') END"))
                .isEqualTo("a;b 1;2|1,2|id");
    }

    @Test
    void session_timeout_belongsToTheRow() {
        String group = tasks.newGroup();
        tasks.add("SELECT 1", "group", group, "count", "9", "timeout", "0.5 s");
        tasks.add("SELECT 2 FROM pg_sleep(1)", "group", group, "count", "9");
        tasks.add("SELECT 3 FROM pg_sleep(5)", "group", group, "count", "9", "timeout", "0.5 s");
        tasks.settled(group);
        assertThat(tasks.all(group, "state")).isEqualTo("DONE|DONE|FAIL");
    }

    @Test
    void session_endedFromOutside_isReplaced() {
        String group = tasks.newGroup();
        long id = tasks.add("SELECT pg_sleep(0.5)", "group", group, "live", "1 h");
        long next = tasks.add("SELECT 2", "group", group, "live", "1 h");
        tasks.awaitTrue("SELECT EXISTS (SELECT FROM task t JOIN pg_stat_activity a ON a.pid = t.pid WHERE t.id = " + id
                + " AND a.query LIKE '%pg_sleep%' AND a.state = 'active' AND t.state = 'WORK')");
        String lost = tasks.value("SELECT pid FROM task WHERE id = " + id);
        tasks.execute("SELECT pg_terminate_backend(" + lost + ")");
        assertThat(tasks.ended(id).state()).isEqualTo(TaskState.DONE);
        assertThat(String.valueOf(tasks.find(id).orElseThrow().pid())).isNotEqualTo(lost);
        assertThat(tasks.ended(next).output()).isEqualTo("2");
    }
}
