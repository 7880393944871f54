package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One row suffers alone. */
@PostgresTest
class RowFaultTest {
    /** Works when nobody holds the lock any more. */
    private static final String GATED = "SELECT pg_advisory_xact_lock_shared(4711); SELECT work(0)";

    private final Scheduled tasks;

    RowFaultTest(TestDatabase database) {
        // Before version 15 every role may create objects in public, and triggers are not run in such a path.
        database.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC");
        this.tasks = Scheduled.at(database.uri()).withWork();
    }

    @BeforeEach
    void serve() {
        tasks.serve();
    }

    @AfterEach
    void close() {
        tasks.close();
    }

    /** From now on no row whose data is 'bad' comes to one of these states. */
    private void refuse(String states) {
        refuse(states, "raise_exception");
    }

    /** With that condition, of those that PostgreSQL names. */
    private void refuse(String states, String condition) {
        tasks.execute(
                "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused %', NEW.state"
                        + " USING ERRCODE = '" + condition + "'; END $$;"
                        + " CREATE TRIGGER refuse BEFORE UPDATE ON task FOR EACH ROW"
                        + " WHEN (NEW.data = 'bad' AND NEW.state::text IN (" + states + ")) EXECUTE FUNCTION refuse()");
    }

    /** Adds tasks of one group, the tenth of which is bad; four run at once. */
    private void addBatch(int count) {
        tasks.execute("INSERT INTO task (input, max, data) SELECT 'SELECT work(0.005, 3)', 3,"
                + " CASE n WHEN 10 THEN 'bad' END FROM generate_series(1, " + count + ") n ORDER BY n");
    }

    private void awaitOthersDone(int count) {
        Scheduled.awaiting("others done")
                .until(() -> tasks.number("SELECT count(*) FROM task WHERE state = 'DONE'") == count - 1);
    }

    @Test
    @Tag("long")
    void trigger_refusesWorkForOneOfMany_thatOneWaits() {
        refuse("'WORK'");
        addBatch(60);
        awaitOthersDone(60);
        assertThat(tasks.state(10)).isEqualTo("PLAN");
        tasks.execute("DROP TRIGGER refuse ON task");
        tasks.assertAllDone(60);
        assertThat(tasks.number("SELECT count(*) FROM run")).isEqualTo(60);
    }

    @Test
    @Tag("long")
    void trigger_refusesTakeForOneOfMany_thatOneWaits() {
        refuse("'TAKE'");
        addBatch(60);
        awaitOthersDone(60);
        assertThat(tasks.state(10)).isEqualTo("PLAN");
        tasks.execute("DROP TRIGGER refuse ON task");
        tasks.assertAllDone(60);
    }

    @Test
    void trigger_refusesDoneForOneOfMany_thatOneFailsWithTheReason() {
        refuse("'DONE'");
        addBatch(60);
        tasks.awaitEnded(60);
        assertThat(tasks.number("SELECT count(*) FROM task WHERE state = 'DONE'"))
                .isEqualTo(59);
        assertThat(tasks.state(10)).isEqualTo("FAIL");
        assertThat(tasks.column("error", 10)).contains("could not be written").contains("refused DONE");
        assertThat(tasks.column("output", 10)).isEqualTo("done 10");
        assertThat(tasks.number("SELECT count(*) FROM run")).as("runs").isEqualTo(60);
    }

    @Test
    @Tag("long")
    void trigger_refusesEveryEndForOneOfMany_thatOneIsWrittenLaterAndNotRunTwice() {
        refuse("'DONE', 'FAIL'");
        addBatch(60);
        awaitOthersDone(60);
        assertThat(tasks.state(10)).isEqualTo("WORK");
        // DONE first: between the two that are refused its end would be written as FAIL.
        tasks.execute("CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                + " IF NEW.state::text = 'FAIL' THEN RAISE 'refused %', NEW.state; END IF; RETURN NEW; END $$");
        tasks.assertAllDone(60);
        assertThat(tasks.number("SELECT count(*) FROM run")).as("runs").isEqualTo(60);
    }

    @Test // the disk of the server is full
    @Tag("long")
    void server_shortOfRoomWhenTasksEnd_theirEndsAreWrittenLaterAsTheyWere() {
        refuse("'DONE'", "disk_full");
        tasks.execute(
                "INSERT INTO task (input, max, data) SELECT 'SELECT work(0, 3)', 3, 'bad' FROM generate_series(1, 8)");
        Scheduled.awaiting("all have worked").until(() -> tasks.number("SELECT count(*) FROM run") >= 4);
        await().during(Duration.ofSeconds(1))
                .atMost(Patience.LIMIT)
                .until(() -> tasks.number("SELECT count(*) FROM task WHERE state IN ('DONE', 'FAIL')") == 0);
        tasks.execute("DROP TRIGGER refuse ON task");
        tasks.assertAllDone(8);
        assertThat(tasks.number("SELECT count(*) FROM task WHERE error IS NOT NULL"))
                .isZero();
        assertThat(tasks.number("SELECT count(*) FROM run")).as("runs").isEqualTo(8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"serialization_failure"})
    void end_ofOnceTasksThatMeetsWhatPasses_theyRunAgain(String condition) {
        refuse("'DONE'", condition);
        tasks.execute("CREATE TABLE effect (task bigint)");
        tasks.execute("INSERT INTO task (input, data, once) SELECT 'INSERT INTO effect VALUES"
                + " (current_setting(''pg_task.id'')::bigint) RETURNING 1', 'bad', true FROM generate_series(1, 4)");
        await().during(Duration.ofSeconds(1))
                .atMost(Patience.LIMIT)
                .until(() -> tasks.number("SELECT count(*) FROM task WHERE state IN ('DONE', 'FAIL')") == 0);
        tasks.execute("DROP TRIGGER refuse ON task");
        Scheduled.awaiting("all are done")
                .until(() -> tasks.number("SELECT count(*) FROM task WHERE state = 'DONE'") == 4);
        assertThat(tasks.number("SELECT count(*) FROM effect")).isEqualTo(4);
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"disk_full", "deadlock_detected"})
    void end_ofOnceTasksThatMeetsAFullDiskOrADeadlock_theyRunAgain(String condition) {
        end_ofOnceTasksThatMeetsWhatPasses_theyRunAgain(condition);
    }

    @Test
    void trigger_withUnqualifiedName_worksAsInThePathOfTheRole() {
        tasks.execute("CREATE TABLE seen (id bigint, state text);"
                + " CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$ BEGIN INSERT INTO seen VALUES (NEW.id, NEW.state); RETURN NEW; END $$;"
                + " CREATE TRIGGER see AFTER UPDATE ON task FOR EACH ROW EXECUTE FUNCTION see()");
        tasks.execute("INSERT INTO task (input, max) SELECT 'SELECT work(0, 3)', 3 FROM generate_series(1, 30)");
        tasks.assertAllDone(30);
        assertThat(tasks.list("SELECT DISTINCT states FROM (SELECT string_agg(state, ' ' ORDER BY ctid) AS states"
                        + " FROM seen GROUP BY id) s"))
                .containsExactly("TAKE WORK DONE");
    }

    @Test
    void row_heldBySomebodyAtItsEnd_isWrittenWhenReleasedAndNotRunTwice() throws SQLException {
        try (Connection holding = tasks.connect();
                Statement hold = holding.createStatement()) {
            // It works until its row is held.
            hold.execute("SELECT pg_advisory_lock(4711)");
            long held = tasks.add(GATED);
            long next = tasks.add("SELECT work(0)");
            tasks.awaitState(held, "WORK");
            holding.setAutoCommit(false);
            hold.execute("SELECT FROM task WHERE id = " + held + " FOR UPDATE");
            hold.execute("SELECT pg_advisory_unlock(4711)");
            tasks.awaitState(next, "DONE");
            await().during(Duration.ofSeconds(1))
                    .atMost(Patience.LIMIT)
                    .until(() -> tasks.state(held).equals("WORK"));
            holding.commit();
        }
        tasks.assertAllDone(2);
        assertThat(tasks.number("SELECT count(*) FROM run")).as("runs").isEqualTo(2);
    }

    @Test
    void row_heldBySomebodyWhenDue_isPassedOverUntilReleased() throws SQLException {
        long held = tasks.add("SELECT work(0)", "state", "'STOP'");
        tasks.execute("UPDATE task SET plan = 'infinity', state = 'PLAN'");
        long other = tasks.add("SELECT work(1)");
        tasks.awaitState(other, "WORK");
        try (Connection holding = tasks.connect();
                Statement hold = holding.createStatement()) {
            tasks.execute("UPDATE task SET plan = now() WHERE id = " + held);
            holding.setAutoCommit(false);
            hold.execute("SELECT FROM task WHERE id = " + held + " FOR UPDATE");
            long later = tasks.add("SELECT work(0)");
            tasks.awaitState(later, "DONE");
            assertThat(tasks.state(held)).isEqualTo("PLAN");
            holding.commit();
        }
        tasks.assertAllDone(3);
        assertThat(tasks.number("SELECT count(*) FROM run")).as("runs").isEqualTo(3);
    }

    @Test
    void rows_deletedWhileRunning_leaveNothingAndGroupGoesOn() throws SQLException {
        try (Connection holding = tasks.connect();
                Statement hold = holding.createStatement()) {
            hold.execute("SELECT pg_advisory_lock(4711)");
            long gone = tasks.add(GATED, "repeat", "'1 hour'");
            tasks.add("SELECT work(0)");
            tasks.awaitState(gone, "WORK");
            tasks.execute("DELETE FROM task WHERE id = " + gone);
        }
        tasks.assertAllDone(1);
        assertThat(tasks.number("SELECT count(*) FROM run")).as("runs").isEqualTo(2);
    }

    @Test
    @Tag("long")
    void rows_allDeletedUnderLoad_laterOnesRun() {
        tasks.execute("INSERT INTO task (input, max) SELECT 'SELECT work(0.01, 4)', 4 FROM generate_series(1, 300)");
        Scheduled.awaiting("half way").until(() -> tasks.number("SELECT count(*) FROM run") > 50);
        tasks.execute("DELETE FROM task; TRUNCATE run");
        tasks.execute("INSERT INTO task (input, max) SELECT 'SELECT work(0, 4)', 4 FROM generate_series(1, 30)");
        tasks.assertAllDone(30);
    }

    @Test
    @Tag("long")
    void rows_stoppedUnderLoad_runOnlyWhenPlannedAgain() {
        tasks.execute("INSERT INTO task (input, max) SELECT 'SELECT work(0.01, 4)', 4 FROM generate_series(1, 200)");
        Scheduled.awaiting("some done").until(() -> tasks.number("SELECT count(*) FROM run") > 20);
        tasks.execute("UPDATE task SET state = 'STOP' WHERE state = 'PLAN'");
        Scheduled.awaiting("none runs")
                .until(() -> tasks.number("SELECT count(*) FROM task WHERE state NOT IN ('DONE', 'STOP')") == 0);
        assertThat(tasks.number("SELECT count(*) FROM task WHERE state = 'STOP'"))
                .isPositive();
        tasks.awaitAsleep();
        assertThat(tasks.number("SELECT count(*) FROM run"))
                .isEqualTo(tasks.number("SELECT count(*) FROM task WHERE state = 'DONE'"));
        tasks.execute("UPDATE task SET state = 'PLAN' WHERE state = 'STOP'");
        tasks.assertAllDone(200);
        assertThat(tasks.number("SELECT count(*) FROM run")).as("runs").isEqualTo(200);
    }

    @Test
    @Tag("long")
    void table_lockedUnderLoad_goesOnWhenReleased() throws SQLException {
        tasks.execute("INSERT INTO task (input, max) SELECT 'SELECT work(0.01, 4)', 4 FROM generate_series(1, 100)");
        Scheduled.awaiting("some done").until(() -> tasks.number("SELECT count(*) FROM run") > 20);
        try (Connection holding = tasks.connect();
                Statement hold = holding.createStatement()) {
            holding.setAutoCommit(false);
            hold.execute("LOCK TABLE task IN ACCESS EXCLUSIVE MODE");
            Scheduled.awaiting("the scheduler waits for it")
                    .until(() -> tasks.number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                    + " AND application_name = '" + Scheduled.BOOKS + "' AND wait_event_type = 'Lock'")
                            == 1);
            holding.commit();
        }
        tasks.assertAllDone(100);
        assertThat(tasks.number("SELECT count(*) FROM run")).as("runs").isEqualTo(100);
        assertThat(tasks.times("active")).as("terms").isEqualTo(1);
    }

    @Test
    void table_droppedUnderLoad_isMadeAgainAndServed() {
        tasks.execute("INSERT INTO task (input, max) SELECT 'SELECT work(0.01, 4)', 4 FROM generate_series(1, 100)");
        Scheduled.awaiting("some done").until(() -> tasks.number("SELECT count(*) FROM run") > 20);
        tasks.execute("DROP TABLE task");
        tasks.awaitTold("active", 2);
        tasks.execute("TRUNCATE run");
        tasks.add("SELECT work(0)");
        tasks.assertAllDone(1);
    }
}
