package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.Database;
import dev.howdah.embedded.EmbeddedPostgres;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TcpProxy;
import dev.howdah.fixtures.TestDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tasks that run at another server, and what happens when that server does not. */
@Tag("long")
@PostgresTest
class RemoteTaskTest {
    private final TestDatabase other = TestDatabase.create();
    private final Scheduled tasks;
    private final Scheduled there = Scheduled.at(other.uri());

    RemoteTaskTest(TestDatabase database) {
        this.tasks = Scheduled.at(database.uri());
    }

    @BeforeEach
    void serve() {
        tasks.serve();
    }

    @AfterEach
    void close() {
        tasks.close();
        other.close();
    }

    private String words() {
        return "host=127.0.0.1 port=" + other.server().port() + " user=postgres dbname=" + other.name();
    }

    private long add(String input) {
        return add(input, "data", "NULL");
    }

    private long add(String input, String columns, String values) {
        return tasks.add(input, "remote, " + columns, "'" + words() + "', " + values);
    }

    private long addAt(String remote, String input) {
        return tasks.add(input, "remote", "$remote$" + remote + "$remote$");
    }

    private String outputOf(long id) {
        tasks.awaitState(id, "DONE");
        return tasks.column("output", id);
    }

    private String errorOf(long id) {
        tasks.awaitState(id, "FAIL");
        return tasks.column("error", id);
    }

    @Test
    void remote_inWordsAndAsUri_runsThere() {
        String where = "SELECT current_database()";
        assertThat(outputOf(add(where))).isEqualTo(other.name());
        assertThat(outputOf(addAt(other.uri(), where))).isEqualTo(other.name());
        assertThat(outputOf(tasks.add(where))).isNotEqualTo(other.name());
    }

    @Test
    void remote_pid_isThatOfTheOtherServersProcess() {
        long id = add("SELECT pg_backend_pid()");
        assertThat(outputOf(id)).isEqualTo(tasks.column("pid", id));
    }

    @Test
    void remote_session_knowsItsTaskAndName() {
        long id = add(
                "SELECT current_setting('application_name'), current_setting('pg_task.id'), current_setting('pg_task.group'),"
                        + " current_setting('pg_task.schema'), current_setting('pg_task.table'),"
                        + " current_setting('pg_task.oid'), current_setting('client_encoding')",
                "\"group\", header, \"delimiter\"",
                "'g 1', false, '|'");
        assertThat(outputOf(id))
                .isEqualTo("pg_task public task g 1|" + id + "|g 1|public|task|"
                        + tasks.value("SELECT 'task'::regclass::oid") + "|UTF8");
    }

    @Test
    void remote_output_isRenderedAsAtHome() {
        String input =
                "SELECT 1 AS a, NULL AS b, 'x\"y' AS c; CREATE TEMP TABLE t AS SELECT generate_series(1, 3) AS n;"
                        + " UPDATE t SET n = n + 1; SELECT * FROM t ORDER BY 1; VALUES (1, 2), (3, 4); SELECT 'ä€𝄞'";
        String columns = "\"delimiter\", quote, escape, \"null\"";
        String values = "';', '\"', '\\', 'nil'";
        long remote = add(input, columns, values);
        long local = tasks.add(input, columns, values);
        tasks.awaitState(local, "DONE");
        assertThat(outputOf(remote)).isEqualTo(tasks.column("output", local)).contains("\"x\\\"y\"");
    }

    @Test
    void remote_error_isRenderedWithItsStatement() {
        long id = add("SELECT 1;\nSELECT 1/0");
        assertThat(errorOf(id)).isEqualTo("ERROR:  division by zero\nSTATEMENT:  SELECT 1;\n\tSELECT 1/0");
        assertThat(tasks.value("SELECT count(*) FROM task WHERE start <= stop AND pid IS NOT NULL"))
                .isEqualTo("1");
    }

    @Test
    void remote_statementThatFails_leavesNoRows() { // rows of a failing statement are lost
        long id = add("SELECT 7; SELECT 1 AS a, 10 / (2 - i) AS b FROM generate_series(1, 3) i");
        assertThat(errorOf(id)).startsWith("ERROR:  division by zero\n");
        assertThat(tasks.column("output", id)).isEqualTo("7");
        id = add("SELECT 10 / (2 - i) FROM generate_series(1, 3) i");
        assertThat(errorOf(id)).startsWith("ERROR:  division by zero\n");
        assertThat(tasks.column("output", id)).isEmpty();
    }

    @Test
    void remote_openTransaction_isCommittedSilently() {
        assertThat(outputOf(add("BEGIN; CREATE TABLE kept (n integer)"))).isEqualTo("BEGIN\nCREATE TABLE");
        assertThat(there.value("SELECT count(*) FROM kept")).isEqualTo("0");
    }

    @Test
    void remote_copyToStdout_isTakenRaw() {
        assertThat(outputOf(add("COPY (VALUES (1, 'a'), (2, NULL)) TO STDOUT"))).isEqualTo("1\ta\n2\t\\N");
        assertThat(errorOf(add("CREATE TEMP TABLE t (n integer); COPY t FROM STDIN")))
                .startsWith("ERROR:  COPY from stdin failed: COPY FROM STDIN is not supported");
    }

    @Test
    void remote_timeout_holdsThereToo() {
        long id = add("SELECT pg_sleep(20)", "timeout", "'300 ms'");
        assertThat(errorOf(id)).startsWith("ERROR:  canceling statement due to statement timeout");
    }

    @Test
    void remote_cancelledThere_fails() {
        long id = add("SELECT pg_sleep(20)");
        tasks.awaitState(id, "WORK");
        String pid = tasks.column("pid", id);
        Scheduled.awaiting("cancelled").until(() -> {
            there.value("SELECT pg_cancel_backend(" + pid + ")");
            return tasks.state(id).equals("FAIL");
        });
        assertThat(tasks.column("error", id)).startsWith("ERROR:  canceling statement due to user request");
    }

    @Test
    void remote_withLiveOrCount_reusesItsSession() {
        tasks.execute("INSERT INTO task (input, remote, count, timeout) SELECT CASE n WHEN 2 THEN"
                + " 'SET work_mem = ''99MB''; SELECT pg_backend_pid()' ELSE"
                + " 'SELECT pg_backend_pid(), current_setting(''work_mem''), current_setting(''statement_timeout'')' END,"
                + " '" + words() + "', 3, CASE n WHEN 1 THEN interval '5 s' ELSE '0' END"
                + " FROM generate_series(1, 6) n ORDER BY n");
        tasks.awaitEnded(6);
        assertThat(tasks.list("SELECT count(*) FROM task GROUP BY pid")).containsExactly("3", "3");
        assertThat(tasks.column("output", 1)).endsWith("\t4MB\t5s");
        assertThat(tasks.column("output", 3)).endsWith("\t4MB\t0");
    }

    @Test
    void remote_reusedSession_hasNoLocksOfTheTaskBefore() { // DISCARD ALL, or nothing with save
        String locks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()";
        tasks.execute("INSERT INTO task (input, remote, count, save) SELECT CASE n % 2 WHEN 1 THEN"
                + " 'SELECT pg_advisory_lock(1)' ELSE $q$" + locks + "$q$ END, '" + words() + "', 9, n > 1"
                + " FROM generate_series(1, 4) n ORDER BY n");
        tasks.awaitEnded(4);
        assertThat(tasks.column("output", 2)).isEqualTo("0");
        assertThat(tasks.column("output", 4)).isEqualTo("1");
        assertThat(tasks.list("SELECT DISTINCT pid FROM task")).hasSize(1);
    }

    @Test
    void remote_withoutLiveAndCount_hasASessionOfItsOwn() {
        tasks.execute("INSERT INTO task (input, remote, max) SELECT 'SELECT pg_backend_pid()', '" + words()
                + "', 4 FROM generate_series(1, 20)");
        tasks.awaitEnded(20);
        assertThat(tasks.list("SELECT DISTINCT output FROM task")).hasSize(20);
        Scheduled.awaiting("sessions ended")
                .until(() -> there.number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                + " AND application_name ~ '^pg_task '")
                        == 0);
    }

    @Test
    void remote_repeating_runsAgain() {
        add("SELECT 1", "repeat", "'1 second'");
        Scheduled.awaiting("two repeats")
                .until(() -> tasks.number("SELECT count(*) FROM task WHERE state = 'DONE'") >= 2);
        assertThat(tasks.list("SELECT DISTINCT remote FROM task")).containsExactly(words());
    }

    @Test
    void remote_ofAnotherScheme_failsWithWhatWouldBeRight() {
        for (String remote : List.of("https://api.example/v1", "ftp://files.example/a=b"))
            assertThat(errorOf(addAt(remote, "SELECT 1")))
                    .startsWith("ERROR:  could not connect\n")
                    .endsWith(
                            "HINT:  In this program remote is the address of a PostgreSQL. Tasks of other schemes are done by"
                                    + " the daemon (howdah up --allow), or by a program with TaskScheduler.Builder.reach.");
        assertThat(errorOf(addAt("hots=a:b", "SELECT 1")))
                .startsWith("ERROR:  could not connect\n")
                .doesNotContain("HINT");
    }

    @Test
    void remote_thatCannotBeReached_failsWithReasonAndWithoutPassword() {
        List<String> remotes = List.of(
                "host=127.0.0.1 port=1 user=postgres password=geheim",
                "postgresql://postgres:geheim@127.0.0.1:1/postgres",
                "host=127.0.0.1 port=PORT user=postgres dbname=nowhere password=geheim",
                "host=127.0.0.1 port=PORT user=nobody dbname=postgres password=geheim",
                "postgresql://postgres:geheim@no-such-host.invalid/postgres",
                "password=geheim nonsense",
                "password=geheim nonsense=1 host=127.0.0.1",
                "password='geheim",
                "postgresql://u:geheim@127.0.0.1:99999999/x",
                "postgresql://u:geheim@127.0.0.1/x?nonsense=1",
                "host=127.0.0.1 port=PORT user=postgres dbname=postgres password=geheim sslmode=require",
                "host=127.0.0.1 port=PORT user=postgres dbname=postgres password=geheim options='-c nonsense'");
        for (String remote : remotes) {
            long id =
                    addAt(remote.replace("PORT", Integer.toString(other.server().port())), "SELECT 1");
            assertThat(errorOf(id))
                    .as(remote)
                    .startsWith("ERROR:  ")
                    .contains("\nDETAIL:  ")
                    .doesNotContain("geheim", "null", "Exception");
        }
        tasks.awaitState(tasks.add("SELECT 1"), "DONE");
        assertThat(tasks.number("SELECT count(*) FROM task WHERE state = 'FAIL' AND start IS NULL AND pid IS NULL"
                        + " AND output = '' AND stop >= plan"))
                .isEqualTo(remotes.size());
    }

    @Test
    void remote_sessionEndedOnce_runsAgain() {
        long id = add("SELECT pg_sleep(1), 'end'", "header", "false");
        tasks.awaitState(id, "WORK");
        String pid = tasks.column("pid", id);
        there.execute("SELECT pg_terminate_backend(" + pid + ")");
        assertThat(outputOf(id)).isEqualTo("\tend");
        assertThat(tasks.column("pid", id)).isNotEqualTo(pid);
    }

    @Test
    void remote_taskThatEndsItsSession_failsAfterThreeLosses() {
        there.execute("CREATE SEQUENCE tries");
        long id = add("SELECT nextval('tries'), pg_terminate_backend(pg_backend_pid())");
        assertThat(errorOf(id))
                .startsWith("FATAL:  terminating connection due to administrator command")
                .contains("3 times in a row");
        assertThat(there.value("SELECT last_value FROM tries")).isEqualTo("3");
    }

    @Test
    void remote_networkCutInMidTask_runsAgainAndNeverTwiceAtOnce() {
        there.withWork();
        try (TcpProxy network = TcpProxy.to("127.0.0.1", other.server().port())) {
            String remote = words().replace("port=" + other.server().port(), "port=" + network.port());
            long id = addAt(remote, "SELECT work(1.5)");
            tasks.awaitState(id, "WORK");
            Scheduled.awaiting("at work").until(() -> there.number(Scheduled.WORKING) == 1);
            network.cut();
            assertThat(outputOf(id)).isEqualTo("done " + id);
            assertThat(there.value("SELECT count(*) FROM run")).isEqualTo("1");
        }
    }

    @Test
    void remote_serverFull_isWaitedFor(@TempDir Path directory) throws SQLException {
        Path programs = Path.of(
                System.getProperty("java.io.tmpdir"), "howdah-test-postgres-" + System.getProperty("user.name"));
        try (EmbeddedPostgres small = EmbeddedPostgres.at(directory)
                .binaries(programs)
                .durable(false)
                .setting("max_connections", "4")
                .setting("max_wal_senders", "0")
                .setting("superuser_reserved_connections", "0")
                .start()) {
            List<Connection> taken = new ArrayList<>();
            for (int i = 0; i < 4; i++) taken.add(Database.of(small.uri()).connect());
            tasks.execute("INSERT INTO task (input, remote, max) SELECT 'SELECT 1', '" + small.uri()
                    + "', 9 FROM generate_series(1, 30)");
            Scheduled.awaiting("some were refused and wait")
                    .until(() -> tasks.told.size() == 1
                            && tasks.number("SELECT count(*) FROM task WHERE state IN ('PLAN', 'TAKE')") == 30);
            tasks.awaitState(tasks.add("SELECT 1"), "DONE");
            assertThat(tasks.number("SELECT count(*) FROM task WHERE state = 'FAIL'"))
                    .isZero();
            for (Connection each : taken) each.close();
            tasks.awaitEnded(31);
            assertThat(tasks.list("SELECT DISTINCT state FROM task")).containsExactly("DONE");
        }
    }

    @Test
    void remote_groups_keepTheirLimitsAndDoNotMix() {
        there.withWork();
        String input = "SELECT work(0.02, 1)";
        tasks.execute("INSERT INTO task (input, remote, \"group\", max) SELECT '" + input + "', '" + words()
                + "', 'g' || n % 2, 1 FROM generate_series(1, 40) n");
        tasks.awaitEnded(40);
        assertThat(tasks.list("SELECT error FROM task WHERE state <> 'DONE'")).isEmpty();
        assertThat(there.value("SELECT count(*) FROM run")).isEqualTo("40");
    }

    @Test
    void scheduler_endedWhileRemoteTasksRun_theyRunAgainAndNeverTwiceAtOnce() {
        there.withWork();
        tasks.execute("INSERT INTO task (input, remote, max) SELECT 'SELECT work(1.5, 3)', '" + words()
                + "', 3 FROM generate_series(1, 8) n");
        Scheduled.awaiting("four run").until(() -> tasks.number("SELECT count(*) FROM task WHERE state = 'WORK'") == 4);
        tasks.terminate(Scheduled.BOOKS);
        tasks.awaitTold("active", 2);
        tasks.awaitEnded(8);
        assertThat(tasks.list("SELECT error FROM task WHERE state <> 'DONE'")).isEmpty();
    }

    /** The session of the earlier scheduler cannot end while its process is stopped. */
    @Test
    void scheduler_endedWhileARemoteTaskRuns_itsGroupWaitsUntilTheSessionHasEnded() throws Exception {
        there.execute("CREATE SEQUENCE runs");
        long left = add("SELECT CASE nextval('runs') WHEN 1 THEN pg_sleep(600) END", "\"group\"", "'g'");
        tasks.awaitState(left, "WORK");
        long next = add("SELECT last_value FROM runs", "header, \"group\"", "false, 'g'");
        Scheduled.awaiting("at work").until(() -> there.number("SELECT count(*) FROM runs WHERE is_called") == 1);
        String process = tasks.column("pid", left);
        StandbyTest.signal("STOP", process);
        try {
            tasks.terminate(Scheduled.BOOKS);
            tasks.awaitTold("active", 2);
            assertThat(outputOf(add("SELECT 1", "header, \"group\"", "false, 'free'")))
                    .isEqualTo("1");
            assertThat(tasks.state(left) + " " + tasks.state(next)).isEqualTo("WORK PLAN");
        } finally {
            StandbyTest.signal("CONT", process);
        }
        tasks.awaitState(left, "DONE");
        assertThat(outputOf(next)).isEqualTo("2");
    }

    @Test
    void close_whileRemoteTaskRuns_endsItsSessionAndPutsItBack() {
        long id = add("SELECT pg_sleep(30)");
        tasks.awaitState(id, "WORK");
        List<@Nullable String> pid = tasks.list("SELECT pid FROM task");
        tasks.close();
        assertThat(tasks.state(id)).isEqualTo("PLAN");
        Scheduled.awaiting("session ended")
                .until(() -> there.number("SELECT count(*) FROM pg_stat_activity WHERE pid = " + pid.get(0)) == 0);
    }
}
