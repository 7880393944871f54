package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.Database;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TcpProxy;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A scheduler that is frozen or cut off, and whose sessions the server takes for alive. */
@Tag("long")
@PostgresTest
class SilentSchedulerTest {
    private static final Duration LEASE = Duration.ofSeconds(3);

    /** The bound is the lease; the rest is for a loaded machine. */
    private static final long BOUND_MILLIS = LEASE.toMillis() + 9000;

    private final TestDatabase database;
    private final Scheduled tasks;

    SilentSchedulerTest(TestDatabase database) {
        this.database = database;
        this.tasks = Scheduled.at(database.uri()).withWork();
    }

    @AfterEach
    void close() {
        tasks.close();
    }

    private void standBy(Scheduled at) {
        at.begin(at.database(), 40, LEASE);
        at.awaitTold("standby", 1);
    }

    private static void awaitTakeOver(Scheduled at, String after) {
        long millis = Scheduled.millisUntil("taken over", () -> at.times("active") == 1);
        System.out.println("taken over after " + after + " in " + millis + " ms");
        assertThat(millis).isLessThan(BOUND_MILLIS);
    }

    @Test
    void program_frozenWhileTasksRun_standbyTakesOverAndTheOldOneComesBackAsStandby() {
        try (SchedulerProcess process = SchedulerProcess.at(database.uri(), LEASE)) {
            standBy(tasks);
            tasks.execute("INSERT INTO task (input, \"group\", max) SELECT 'SELECT work(0.3, 1)', 'g' || n % 3, 1"
                    + " FROM generate_series(1, 60) n");
            Scheduled.awaiting("some done").until(() -> tasks.number("SELECT count(*) FROM run") >= 6);
            process.freeze();
            awaitTakeOver(tasks, "a freeze under load");
            process.thaw();
            Scheduled.awaiting("stands by").until(() -> process.says().equals("standby"));
            tasks.assertAllDone(60);
            assertThat(tasks.times("active")).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#majors")
    void program_frozenWhileItSleeps_standbyTakesOver(int major) {
        try (TestDatabase there = TestDatabase.create(TestServer.of(major));
                SchedulerProcess process = SchedulerProcess.at(there.uri(), LEASE);
                Scheduled at = Scheduled.at(there.uri())) {
            standBy(at);
            at.awaitAsleep();
            process.freeze();
            awaitTakeOver(at, "a freeze at PostgreSQL " + major);
        }
    }

    /** Longer than the lease in both: nothing to do, and nothing but to wait for tasks. */
    @Test
    void scheduler_aliveButQuiet_keepsItsOffice() {
        tasks.begin(tasks.database(), 40, LEASE);
        tasks.awaitTold("active", 1);
        standBy(tasks);
        await().during(LEASE.multipliedBy(2)).atMost(LEASE.multipliedBy(3)).until(() -> tasks.times("active") == 1);
        long id = tasks.add("SELECT work(4)");
        tasks.awaitState(id, "DONE");
        assertThat(tasks.times("active")).isEqualTo(1);
    }

    /** Its session works for longer than the lease, here waiting for a lock: that is no silence. */
    @Test
    void scheduler_whoseStatementTakesLong_keepsItsOffice() {
        tasks.begin(tasks.database(), 40, LEASE);
        tasks.awaitTold("active", 1);
        standBy(tasks);
        try (ServedTable.Holder held = new ServedTable.Holder(database, "LOCK TABLE task")) {
            assertThat(held).isNotNull();
            Scheduled.awaiting("waits for the lock")
                    .until(() -> tasks.number(
                                    "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'task'::regclass"
                                            + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())")
                            > 0);
            await().during(LEASE.plusSeconds(1)).atMost(LEASE.multipliedBy(3)).until(() -> tasks.times("active") == 1);
        }
        long id = tasks.add("SELECT work(0)");
        tasks.awaitState(id, "DONE");
        assertThat(tasks.times("active")).isEqualTo(1);
    }

    /** What of the network is silent. */
    private enum Silence {
        BOTH {
            @Override
            void in(TcpProxy network) {
                network.freeze();
            }
        },
        QUESTIONS {
            @Override
            void in(TcpProxy network) {
                network.freezeQuestions();
            }
        },
        ANSWERS {
            @Override
            void in(TcpProxy network) {
                network.freezeAnswers();
            }
        };

        abstract void in(TcpProxy network);
    }

    private static Database through(TcpProxy network, TestDatabase database) {
        return Database.of(database.uri()).with("port", Integer.toString(network.port()));
    }

    @ParameterizedTest
    @EnumSource(Silence.class)
    void network_silentBetweenSchedulerAndServer_standbyTakesOverAndTheOldOneComesBack(Silence silence) {
        try (TcpProxy network = TcpProxy.to("127.0.0.1", database.server().port());
                Scheduled cut = Scheduled.at(database.uri())) {
            cut.begin(through(network, database), 40, LEASE);
            cut.awaitTold("active", 1);
            standBy(tasks);
            tasks.execute("INSERT INTO task (input, \"group\", max) SELECT 'SELECT work(0.2, 1)', 'g' || n % 3, 1"
                    + " FROM generate_series(1, 40) n");
            Scheduled.awaiting("some done").until(() -> tasks.number("SELECT count(*) FROM run") >= 6);
            silence.in(network);
            awaitTakeOver(tasks, "silence of " + silence);
            network.thaw();
            cut.awaitTold("standby", 1);
            tasks.assertAllDone(40);
            network.close();
        }
    }

    /** Nobody stands by, and the network does not say that it is cut: the scheduler finds out by itself. */
    @ParameterizedTest
    @EnumSource(Silence.class)
    void network_silentUnderLoad_isNoticedAndTheSchedulerComesBack(Silence silence) {
        try (TcpProxy network = TcpProxy.to("127.0.0.1", database.server().port())) {
            tasks.begin(through(network, database), 40, LEASE);
            tasks.awaitTold("active", 1);
            tasks.execute("INSERT INTO task (input, \"group\", max) SELECT 'SELECT work(0.2, 1)', 'g' || n % 3, 1"
                    + " FROM generate_series(1, 40) n");
            Scheduled.awaiting("some done").until(() -> tasks.number("SELECT count(*) FROM run") >= 6);
            silence.in(network);
            long millis = Scheduled.millisUntil("noticed", () -> tasks.times("waiting") > 0);
            System.out.println("silence of " + silence + " noticed after " + millis + " ms");
            assertThat(millis).isLessThan(BOUND_MILLIS);
            network.thaw();
            tasks.assertAllDone(40);
            tasks.close();
        }
    }

    /** For longer than the lease the server works on the claim: the scheduler waits for it, and is waited for. */
    @Test
    void scheduler_whoseStatementWorksLong_isNotTakenForCutOff() {
        tasks.begin(tasks.database(), 40, LEASE);
        tasks.awaitTold("active", 1);
        standBy(tasks);
        tasks.execute("CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS"
                + " 'BEGIN PERFORM pg_sleep(" + (LEASE.toSeconds() + 2) + "); RETURN NEW; END';"
                + " CREATE TRIGGER slow BEFORE UPDATE ON task FOR EACH ROW WHEN (NEW.state = 'TAKE')"
                + " EXECUTE FUNCTION slow()");
        long id = tasks.add("SELECT work(0)");
        tasks.awaitState(id, "DONE");
        assertThat(tasks.told).hasSize(2);
    }

    @Test
    void standby_withoutTheRightToEndTheHolder_saysOnceWhichItNeeds() {
        String mine = "mine_" + database.name();
        String yours = "yours_" + database.name();
        tasks.execute("CREATE ROLE " + mine + " LOGIN; CREATE ROLE " + yours + " LOGIN;"
                + " GRANT CREATE ON SCHEMA public TO " + mine);
        try (SchedulerProcess process =
                        SchedulerProcess.at(tasks.database().withUser(mine).toString(), LEASE, TaskRights.SCHEDULER);
                SchedulerProcess standby =
                        SchedulerProcess.at(tasks.database().withUser(yours).toString(), LEASE, TaskRights.SCHEDULER)) {
            process.freeze();
            String need = "GRANT \"" + mine + "\" TO \"" + yours + "\"";
            Scheduled.awaiting("what is missing is said").until(() -> standby.logged(need) > 0);
            await().during(LEASE.plusSeconds(1)).atMost(LEASE.multipliedBy(3)).until(() -> standby.logged(need) == 1);
            tasks.execute("GRANT " + mine + " TO " + yours);
            Scheduled.awaiting("elected").until(() -> standby.says().equals("active"));
            assertThat(standby.logged("did not answer: its session is ended")).isEqualTo(1);
        } finally {
            tasks.execute("DROP OWNED BY " + mine + ", " + yours + "; DROP ROLE " + mine + ", " + yours);
        }
    }

    private static Thread holdLock(TestDatabase database, String role, String lock) {
        Thread thread = new Thread(() -> {
            try (Connection connection =
                            Database.of(database.uri()).withUser(role).connect();
                    Statement statement = connection.createStatement()) {
                statement.execute("SELECT " + lock + "(1215264867, hashtext('\"public\".\"task\"')), pg_sleep(600)");
            } catch (SQLException e) {
                System.out.println("the session of " + role + " has ended: " + e.getMessage());
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void awaitHeld(String role, long sessions) {
        Scheduled.awaiting("the lock is held")
                .until(() -> tasks.number("SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid"
                                + " WHERE l.classid = 1215264867 AND l.locktype = 'advisory' AND a.usename = '" + role
                                + "'")
                        == sessions);
    }

    /** Any role that may connect can take the scheduler's lock, also before the first scheduler, or wait for it. */
    @ParameterizedTest
    @ValueSource(strings = {"pg_advisory_lock", "pg_advisory_lock_shared"})
    void lock_heldByARoleThatIsNoScheduler_itsSessionsAreEnded(String lock) throws InterruptedException {
        String stranger = "stranger_" + database.name();
        tasks.execute("CREATE ROLE " + stranger + " LOGIN");
        try {
            Thread one = holdLock(database, stranger, lock);
            awaitHeld(stranger, 1);
            Thread two = holdLock(database, stranger, lock);
            awaitHeld(stranger, 2);
            tasks.begin(tasks.database(), 40, LEASE);
            tasks.awaitTold("active", 1);
            assertThat(tasks.told.get(0))
                    .startsWith("standby")
                    .contains("which is no scheduler: its role is " + stranger);
            tasks.assertAllDone(0);
            one.join();
            two.join();
        } finally {
            tasks.close();
            tasks.execute("DROP OWNED BY " + stranger + "; DROP ROLE " + stranger);
        }
    }

    @Test
    void lock_heldByARoleThatCannotBeEnded_saysOnceWhatToDo() {
        String mine = "mine_" + database.name();
        String stranger = "stranger_" + database.name();
        tasks.execute("CREATE ROLE " + mine + " LOGIN; CREATE ROLE " + stranger + " LOGIN;"
                + " GRANT CREATE ON SCHEMA public TO " + mine);
        holdLock(database, stranger, "pg_advisory_lock");
        awaitHeld(stranger, 1);
        try (SchedulerProcess process =
                SchedulerProcess.at(tasks.database().withUser(mine).toString(), LEASE, TaskRights.SCHEDULER)) {
            String remedy = "GRANT pg_signal_backend TO \"" + mine + "\"";
            Scheduled.awaiting("what is missing is said").until(() -> process.logged(remedy) > 0);
            await().during(LEASE).atMost(LEASE.multipliedBy(5)).until(() -> process.logged(remedy) == 1);
            tasks.execute("GRANT pg_signal_backend TO " + mine);
            Scheduled.awaiting("elected").until(() -> process.says().equals("active"));
        } finally {
            tasks.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename IN ('" + mine + "', '"
                    + stranger + "')");
            Scheduled.awaiting("roles are dropped").until(() -> {
                tasks.execute("DROP OWNED BY " + mine + ", " + stranger + "; DROP ROLE " + mine + ", " + stranger);
                return true;
            });
        }
    }
}
