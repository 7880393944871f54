package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What tasks do to their sessions, and what is done to them. */
@PostgresTest
class SessionFaultTest {
    private final Scheduled tasks;

    SessionFaultTest(TestDatabase database) {
        this.tasks = Scheduled.at(database.uri()).withWork();
    }

    @AfterEach
    void close() {
        tasks.close();
    }

    @Test
    void task_endsItsOwnSession_failsAfterThreeLossesAndGroupGoesOn() {
        tasks.serve().execute("CREATE SEQUENCE tries");
        long id = tasks.add("SELECT nextval('tries'), pg_terminate_backend(pg_backend_pid())");
        long next = tasks.add("SELECT work(0)");
        tasks.awaitState(next, "DONE");
        assertThat(tasks.state(id)).isEqualTo("FAIL");
        assertThat(tasks.column("error", id))
                .startsWith("FATAL:  terminating connection due to administrator command\nDETAIL:  ")
                .contains("3 times in a row");
        assertThat(tasks.number("SELECT last_value FROM tries")).isEqualTo(3);
        assertThat(tasks.column("output", id)).isEmpty();
    }

    @Test
    void task_sessionEndedOnceFromOutside_runsAgainToItsEnd() {
        tasks.serve();
        long id = tasks.add("SELECT work(1)");
        tasks.awaitState(id, "WORK");
        tasks.execute("SELECT pg_terminate_backend(pid) FROM task WHERE id = " + id);
        tasks.assertAllDone(1);
        assertThat(tasks.number("SELECT count(*) FROM run")).isEqualTo(1);
    }

    @Test
    void task_cancelledByTheServersMeans_failsAndGroupGoesOn() {
        tasks.serve();
        long id = tasks.add("SELECT work(20)");
        long next = tasks.add("SELECT work(0)");
        tasks.awaitState(id, "WORK");
        // The claim is written a moment before the text is sent: a cancel before that hits nothing, or what prepares
        // the
        // session, and then the task is planned again.
        Scheduled.awaiting("cancelled").until(() -> {
            tasks.value("SELECT count(pg_cancel_backend(pid)) FROM task WHERE state = 'WORK' AND id = " + id);
            return tasks.state(id).equals("FAIL");
        });
        assertThat(tasks.column("error", id)).startsWith("ERROR:  canceling statement due to user request");
        tasks.awaitState(next, "DONE");
    }

    @Test
    void endlessQuery_withTimeout_failsInTime() {
        tasks.serve();
        long id = tasks.add("DO 'BEGIN LOOP END LOOP; END'", "timeout", "'300 ms'");
        tasks.awaitState(id, "FAIL");
        assertThat(tasks.column("error", id)).startsWith("ERROR:  canceling statement due to statement timeout");
        assertThat(tasks.number(
                        "SELECT floor(extract(epoch FROM stop - start) * 1000)::bigint FROM task WHERE id = " + id))
                .isBetween(290L, 3000L);
    }

    @Test
    void tasks_leaveSettingsBehind_nextFindsSessionAsNew() {
        List<String> texts = List.of(
                "SET ROLE pg_monitor",
                "SET SESSION AUTHORIZATION pg_monitor",
                "SET default_transaction_read_only = on",
                "SET statement_timeout = '1ms'",
                "SET search_path = nowhere",
                "SET session_replication_role = replica",
                "SET client_encoding = 'LATIN1'",
                "SET DateStyle = 'German'; SET IntervalStyle = 'iso_8601'; SET TimeZone = 'Asia/Kathmandu'",
                "BEGIN READ ONLY",
                "BEGIN; SET LOCAL ROLE pg_monitor",
                "BEGIN; SELECT 1/0; SELECT 1",
                "CREATE TEMP TABLE task (id bigint); SET search_path = pg_temp",
                "PREPARE p AS SELECT 1; DECLARE c CURSOR WITH HOLD FOR SELECT 1");
        String look = "SELECT current_user, session_user, current_setting('default_transaction_read_only'),"
                + " current_setting('search_path'), current_setting('client_encoding'), current_setting('DateStyle'),"
                + " current_setting('TimeZone'), current_setting('session_replication_role'),"
                + " current_setting('statement_timeout'), to_regclass('task')::oid,"
                + " (SELECT count(*) FROM pg_prepared_statements), (SELECT count(*) FROM pg_cursors)";
        tasks.serve(tasks.database(), 1);
        long asNew = tasks.add(look);
        for (String left : texts) {
            long id = tasks.add(left);
            long after = tasks.add(look);
            long work = tasks.add("SELECT work(0)");
            tasks.awaitState(work, "DONE");
            assertThat(tasks.state(id)).as(left).isEqualTo(left.contains("1/0") ? "FAIL" : "DONE");
            assertThat(tasks.column("output", after))
                    .as(left)
                    .contains("postgres\tpostgres\toff")
                    .isEqualTo(tasks.column("output", asNew));
        }
        assertThat(tasks.number("SELECT count(*) FROM task WHERE stop < start")).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1})
    void tasks_thatUnlockEverything_keepTheLimitOfTheirGroup(int max) {
        tasks.serve();
        tasks.execute("INSERT INTO task (input, max) SELECT 'SELECT pg_advisory_unlock_all(); SELECT work(0.005, " + max
                + ")', " + max + " FROM generate_series(1, 60)");
        tasks.assertAllDone(60);
        assertThat(tasks.number("SELECT count(*) FROM run")).isEqualTo(60);
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(ints = {0, 3})
    void tasks_thatUnlockEverything_keepOtherLimitsOfTheirGroup(int max) {
        tasks_thatUnlockEverything_keepTheLimitOfTheirGroup(max);
    }

    @Test
    @Tag("long")
    void sessions_allEndedAtOnce_everyTaskRunsAgain() {
        tasks.serve();
        tasks.execute("INSERT INTO task (input, max) SELECT 'SELECT work(2, 9)', 9 FROM generate_series(1, 20)");
        Scheduled.awaiting("ten run").until(() -> tasks.number("SELECT count(*) FROM task WHERE state = 'WORK'") == 10);
        assertThat(tasks.list("SELECT pg_terminate_backend(pid) FROM task WHERE state = 'WORK'"))
                .hasSize(10);
        tasks.assertAllDone(20);
        assertThat(tasks.times("active")).as("terms").isEqualTo(1);
    }

    @Test
    @Tag("long")
    void keptSession_endedBetweenTasks_groupGoesOnInAnother() {
        tasks.serve();
        tasks.execute("INSERT INTO task (input, live, count)"
                + " SELECT 'SELECT work(0.02)', '1 hour', 1000 FROM generate_series(1, 60)");
        for (int i = 1; i <= 5; i++) {
            int done = i * 8;
            Scheduled.awaiting(done + " done").until(() -> tasks.number("SELECT count(*) FROM run") >= done);
            tasks.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE datname = current_database() AND application_name = 'pg_task public task group'");
        }
        tasks.assertAllDone(60);
    }
}
