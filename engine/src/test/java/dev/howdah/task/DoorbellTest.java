package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.Isolated;
import org.postgresql.PGConnection;

/** Wake-ups; the slow poll is a minute away, so whoever starts sooner was woken. */
@Isolated("it times how soon tasks start")
@Execution(ExecutionMode.SAME_THREAD)
@PostgresTest
class DoorbellTest {
    /** Far below the slow poll, far above what a loaded machine needs. */
    private static final long PROMPT_MILLIS = 3000;

    private final TestDatabase database;
    private final Scheduled tasks;

    DoorbellTest(TestDatabase database) {
        this.database = database;
        this.tasks = Scheduled.at(database.uri());
        tasks.serve().awaitAsleep();
    }

    @AfterEach
    void close() {
        tasks.close();
    }

    private void assertPrompt(long id, TestInfo test) {
        long millis = Scheduled.millisUntil("task " + id, () -> tasks.state(id).equals("DONE"));
        System.out.println(test.getDisplayName() + ": " + millis + " ms");
        assertThat(millis).isLessThan(PROMPT_MILLIS);
    }

    @Test
    void insert_intoSleepingSystem_startsAtOnce(TestInfo test) {
        assertPrompt(tasks.add("SELECT 1"), test);
        assertThat(tasks.number("SELECT floor(extract(epoch FROM start - plan) * 1000)::bigint FROM task"))
                .isLessThan(PROMPT_MILLIS);
    }

    @Test
    void rowThatOthersWaitFor_deleted_wakes(TestInfo test) {
        long first = tasks.add("SELECT 1", "plan", "'infinity'");
        long second = tasks.add("SELECT 2", "after", "ARRAY[" + first + "]");
        tasks.awaitAsleep();
        tasks.execute("DELETE FROM task WHERE id = " + first);
        assertPrompt(second, test);
    }

    @Test
    void sleepingSystem_withoutWork_executesNoStatement() {
        tasks.add("SELECT 1");
        tasks.awaitEnded(1);
        tasks.awaitAsleep();
        String busy = "SELECT count(*) FROM pg_stat_activity WHERE datname = '" + database.name()
                + "' AND application_name ~ '^(howdah|pg_task) ' AND state <> 'idle'";
        Scheduled.awaiting("sessions at rest").until(() -> tasks.number(busy) == 0);
        String last = "SELECT string_agg(pid || ' ' || state_change, ' ' ORDER BY pid) FROM pg_stat_activity"
                + " WHERE datname = '" + database.name() + "' AND application_name ~ '^(howdah|pg_task) '";
        // What follows a task, such as a session that is opened for the next one, may come late on a slow machine.
        AtomicReference<String> before = new AtomicReference<>("");
        await().during(Duration.ofSeconds(2))
                .atMost(Patience.LIMIT)
                .pollInterval(Duration.ofMillis(250))
                .until(() -> {
                    String now = tasks.value(last);
                    return now.equals(before.getAndSet(now));
                });
        assertThat(before.get()).contains(" ");
    }

    @Test
    void inserts_whileTheSchedulerIsAwake_neverRing() throws SQLException {
        String add = "INSERT INTO task (input, max) VALUES ('SELECT 1', 3)";
        try (Connection listening = tasks.connect();
                Connection holding = tasks.connect();
                Connection inserting = tasks.connect();
                Statement listen = listening.createStatement();
                Statement hold = holding.createStatement();
                Statement insert = inserting.createStatement()) {
            listen.execute("LISTEN howdah_task");
            holding.setAutoCommit(false);
            // An open transaction that has written while the scheduler was awake keeps it from falling asleep.
            await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(2)).until(() -> {
                hold.execute(add);
                boolean awake = holdsDoorbell(hold);
                if (!awake) holding.commit();
                return awake;
            });
            PGConnection bell = listening.unwrap(PGConnection.class);
            bell.getNotifications(200);
            for (int i = 0; i < 500; i++) insert.execute(add);
            assertThat(bell.getNotifications(200)).isNullOrEmpty();
            holding.commit();
        }
        await().until(() -> "t".equals(tasks.value("SELECT count(*) >= 501 AND bool_and(state = 'DONE') FROM task")));
    }

    private static boolean holdsDoorbell(Statement session) throws SQLException {
        try (var row = session.executeQuery("SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory'"
                + " AND classid = 1215264868 AND mode = 'ShareLock' AND granted AND pid = pg_backend_pid())")) {
            row.next();
            return row.getBoolean(1);
        }
    }

    @Test
    void longTransaction_begunWhileAsleep_isNoticedAtCommit(TestInfo test) throws SQLException {
        try (Connection writing = tasks.connect();
                Statement insert = writing.createStatement()) {
            writing.setAutoCommit(false);
            insert.execute("INSERT INTO task (input) VALUES ('SELECT 1')");
            await().during(Duration.ofSeconds(1)).atMost(Patience.LIMIT).until(tasks::asleep);
            writing.commit();
        }
        assertPrompt(1, test);
    }

    @Test
    void longTransaction_begunWhileAwake_isNoticedAtCommit(TestInfo test) throws SQLException {
        try (Connection writing = tasks.connect();
                Statement insert = writing.createStatement()) {
            writing.setAutoCommit(false);
            Scheduled.awaiting("inserted while awake").until(() -> {
                writing.rollback();
                tasks.add("SELECT 1");
                insert.execute("INSERT INTO task (id, input) VALUES (-1, 'SELECT 1')");
                return sharesTheLock(insert);
            });
            await().during(Duration.ofSeconds(1))
                    .atMost(Patience.LIMIT)
                    .until(() -> !tasks.asleep() && sharesTheLock(insert));
            writing.commit();
        }
        assertPrompt(-1, test);
    }

    /** Whether this transaction's insert found the scheduler awake. */
    private static boolean sharesTheLock(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT EXISTS (SELECT FROM pg_locks WHERE pid = pg_backend_pid()"
                + " AND locktype = 'advisory' AND classid = 1215264868 AND mode = 'ShareLock')")) {
            row.next();
            return row.getBoolean(1);
        }
    }

    @Test
    void stoppedTask_planned_startsWithoutNewPlan(TestInfo test) {
        long id = tasks.add("SELECT 1", "state", "'STOP'");
        tasks.awaitAsleep();
        tasks.execute("UPDATE task SET state = 'PLAN'");
        assertPrompt(id, test);
    }

    @Test
    void insert_asReplica_startsAtOnce(TestInfo test) {
        tasks.execute("SET session_replication_role = replica; INSERT INTO task (input) VALUES ('SELECT 1')");
        assertPrompt(1, test);
    }

    @Test
    void insert_byOrdinaryRole_startsAtOnce(TestInfo test) {
        String role = "ordinary_" + database.name();
        tasks.execute("CREATE ROLE " + role + "; GRANT INSERT ON task TO " + role
                + "; GRANT USAGE ON SEQUENCE task_id_seq TO " + role);
        tasks.awaitAsleep();
        try {
            tasks.execute("SET ROLE " + role + "; INSERT INTO task (input) VALUES ('SELECT 1')");
            assertPrompt(1, test);
        } finally {
            tasks.execute("DROP OWNED BY " + role + "; DROP ROLE " + role);
        }
    }

    @Test
    void waitingTask_maxRaised_startsBesideRunning(TestInfo test) {
        long first = tasks.add("SELECT pg_sleep(20)", "max", "0");
        long second = tasks.add("SELECT 1", "max", "0");
        tasks.awaitState(first, "WORK");
        tasks.awaitAsleep();
        assertThat(tasks.state(second)).isEqualTo("PLAN");
        tasks.execute("UPDATE task SET max = 1 WHERE id = " + second);
        assertPrompt(second, test);
        assertThat(tasks.state(first)).isEqualTo("WORK");
    }

    @Test
    void waitingTask_movedToFreeGroup_startsBesideRunning(TestInfo test) {
        long first = tasks.add("SELECT pg_sleep(20)");
        long second = tasks.add("SELECT 1");
        tasks.awaitState(first, "WORK");
        tasks.awaitAsleep();
        tasks.execute("UPDATE task SET \"group\" = 'free' WHERE id = " + second);
        assertPrompt(second, test);
    }

    @Test
    void severalEnds_atOnce_startAllThatWaited(TestInfo test) {
        try (Connection holding = tasks.connect();
                Statement hold = holding.createStatement()) {
            hold.execute("SELECT pg_advisory_lock(1)");
            tasks.execute(
                    "INSERT INTO task (input, \"group\") SELECT CASE WHEN n <= 5 THEN 'SELECT pg_advisory_lock_shared(1)'"
                            + " ELSE 'SELECT 1' END, 'g' || n % 5 FROM generate_series(1, 10) n ORDER BY n");
            Scheduled.awaiting("five run")
                    .until(() -> tasks.number("SELECT count(*) FROM task WHERE state = 'WORK'") == 5);
            tasks.awaitAsleep();
            hold.execute("SELECT pg_advisory_unlock(1)");
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        long millis = Scheduled.millisUntil(
                "all ended", () -> tasks.number("SELECT count(*) FROM task WHERE state = 'DONE'") == 10);
        System.out.println(test.getDisplayName() + ": " + millis + " ms");
        assertThat(millis).isLessThan(PROMPT_MILLIS);
    }

    @Test
    void earlierPlan_insertedWhileAsleep_isMet(TestInfo test) {
        tasks.add("SELECT 'late'", "plan", "now() + interval '1 hour'");
        tasks.awaitAsleep();
        long early = tasks.add("SELECT 'early'", "plan", "clock_timestamp() + interval '1 second'");
        assertPrompt(early, test);
        assertThat(tasks.value("SELECT start >= plan FROM task WHERE id = " + early))
                .isEqualTo("t");
    }

    @Test
    void doorbell_sessionEndedWhileAsleep_isReopened(TestInfo test) {
        assertThat(tasks.terminate("howdah doorbell")).isEqualTo(1);
        assertPrompt(tasks.add("SELECT 1"), test);
        tasks.awaitAsleep();
        assertPrompt(tasks.add("SELECT 2"), test);
        assertThat(tasks.times("active")).as("terms").isEqualTo(1);
    }

    @Test
    void channel_foreignNoise_wakesNobodyForGood(TestInfo test) {
        tasks.execute("NOTIFY howdah_task, 'noise'; NOTIFY howdah_task, '999999'; NOTIFY howdah_task");
        tasks.awaitAsleep();
        assertPrompt(tasks.add("SELECT 1"), test);
    }
}
