package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/** Nodes that sleep are woken by an add, and by the time of a job; idle ones ask for next to nothing. */
@PostgresTest
class JobWakeTest {
    private static final Kind<Long> WORK = Kind.of("work", Long.class);

    /** Of jobs that come within 20 ms the node expects more. */
    private static final long FAR_NANOS = 60_000_000;

    private final JobsDatabase database;

    JobWakeTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    /** Somebody holds the lock that makes who adds ring. */
    private void awaitAsleep() {
        JobsDatabase.awaiting("a node sleeps")
                .until(() -> database.number("SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
                                + " WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.classid = 1215264875"
                                + " AND l.mode = 'ExclusiveLock' AND l.granted")
                        > 0);
    }

    private long lateness(long job) {
        return Long.parseLong(database.attempt(
                job,
                "ceil(extract(epoch FROM a.begun - (SELECT b.run_at FROM howdah_internal.batch b"
                        + " WHERE b.id = a.batch)) * 1000)::bigint"));
    }

    @Test
    void node_asleep_isWokenByAnAdd() {
        try (Jobs jobs = database.jobs().handle(WORK, (payload, job) -> {}).start()) {
            List<Long> late = new ArrayList<>();
            for (long n = 0; n < 10; n++) {
                awaitAsleep();
                long id = jobs.add(WORK, n);
                database.awaitLetters(id, "d");
                late.add(lateness(id));
            }
            late.sort(null);
            assertThat(late.get(5)).as("milliseconds of %s", late).isLessThan(500);
        }
    }

    /** Takes the doorbell of the queue, as a node does that sleeps. */
    private Connection holdDoorbell() throws SQLException {
        Connection holder = database.connect();
        try (Statement statement = holder.createStatement()) {
            statement.execute("LISTEN howdah_job; SELECT pg_advisory_lock(1215264875, l.id) FROM howdah_internal.lane l"
                    + " WHERE l.queue = 'default' AND l.kind IS NULL AND l.home IS NULL");
        }
        return holder;
    }

    /** Adds a job while one node is rung for it and another one sleeps behind that; returns its id when it has rung. */
    private long ring(Jobs producer, Connection holder) throws SQLException {
        // Its last statement before it waits.
        JobsDatabase.awaiting("a node sleeps behind the holder")
                .until(() -> database.number(
                                "SELECT count(*) FROM pg_stat_activity a WHERE a.datname = current_database()"
                                        + " AND a.state = 'idle' AND a.query LIKE '%pg_try_advisory_lock(%, s.id)%min(n.run_at)%'")
                        > 0);
        long id = producer.add(WORK, 1L);
        JobsDatabase.awaiting("the holder is rung").until(() -> {
            var heard = holder.unwrap(PGConnection.class).getNotifications(10);
            return heard != null && heard.length > 0;
        });
        return id;
    }

    /** What it has to claim is claimed by another node, which is not rung. */
    @Test
    void nodeThatIsRung_diesBeforeItClaims_anotherNodeClaims() throws SQLException {
        try (Connection holder = installing(database.jobs().start());
                Jobs node = database.jobs().handle(WORK, (payload, job) -> {}).start()) {
            long id = ring(node, holder);
            holder.abort(Runnable::run);
            database.awaitLetters(id, "d");
            assertThat(lateness(id)).isLessThan(30_000);
            // The doorbell is the other's now.
            awaitAsleep();
            database.awaitLetters(node.add(WORK, 2L), "d");
        }
    }

    /** The session of a process that was stopped keeps the doorbell. */
    @Test
    void nodeThatIsRung_isFrozen_anotherNodeClaims() throws SQLException {
        try (Connection holder = installing(database.jobs().start());
                Jobs node = database.jobs().handle(WORK, (payload, job) -> {}).start()) {
            for (int i = 0; i < 2; i++) {
                long id = ring(node, holder);
                database.awaitLetters(id, "d");
                assertThat(lateness(id)).isLessThan(30_000);
            }
        }
    }

    private Connection installing(Jobs jobs) throws SQLException {
        jobs.add(WORK, 0L);
        jobs.close();
        return holdDoorbell();
    }

    @Test
    void nodes_twoAsleep_eitherIsWoken() {
        try (Jobs one = database.jobs().handle(WORK, (payload, job) -> {}).start();
                Jobs other = database.jobs().handle(WORK, (payload, job) -> {}).start()) {
            for (long n = 0; n < 10; n++) {
                awaitAsleep();
                database.awaitLetters((n % 2 == 0 ? one : other).add(WORK, n), "d");
            }
        }
        assertThat(database.timesDone()).containsExactly("1");
    }

    @Test // nobody rings when the time of a job has come
    void jobs_planned_startWhenTheyAreDue() {
        try (Jobs jobs = database.jobs().handle(WORK, (payload, job) -> {}).start()) {
            List<Long> ids = new ArrayList<>();
            for (long n = 0; n < 40; n++)
                ids.add(jobs.add(NewJob.of(WORK, n).delay(Duration.ofMillis(300 + n * 37)))
                        .id());
            for (long id : ids) database.awaitLetters(id, "d");
            List<Long> late = ids.stream().map(this::lateness).sorted().toList();
            assertThat(late.get(0)).isNotNegative();
            assertThat(late.get(20)).as("milliseconds of %s", late).isLessThan(500);
        }
    }

    @Test // who had added before the node fell asleep does not ring: it asks whether such a transaction has ended
    void job_ofALongTransaction_isSeenSoonAfterItsCommit() throws SQLException {
        List<Long> late = new ArrayList<>();
        try (Jobs jobs = database.jobs().handle(WORK, (payload, job) -> {}).start();
                Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (long n = 0; n < 5; n++) {
                database.awaitLetters(jobs.add(WORK, n), "d");
                long id = jobs.add(connection, NewJob.of(WORK, n)).id();
                String committed;
                try (ResultSet row = statement.executeQuery(
                        "SELECT clock_timestamp()::text FROM (SELECT pg_sleep(0.7) OFFSET 0) s")) {
                    row.next();
                    committed = row.getString(1);
                }
                connection.commit();
                database.awaitLetters(id, "d");
                late.add(Long.parseLong(database.attempt(
                        id, "ceil(extract(epoch FROM a.begun - '" + committed + "'::timestamptz) * 1000)::bigint")));
            }
        }
        late.sort(null);
        assertThat(late.get(2)).as("milliseconds of %s", late).isLessThan(1_000);
    }

    @Test // numbers of lanes are not in the order of their commits
    void lane_thatCommitsAfterAYoungerOne_isSeenByNodesThatRun() throws SQLException {
        Kind<Long> other = Kind.of("other", Long.class);
        try (Jobs jobs = database.jobs()
                        .handle(WORK, (payload, job) -> {})
                        .handle(other, (payload, job) -> {})
                        .start();
                Connection slow = database.connect();
                Statement statement = slow.createStatement()) {
            assertThat(jobs.node()).isPositive();
            slow.setAutoCommit(false);
            statement.execute("SELECT howdah_internal.kind_lane('default', 'other')");
            long late;
            try (ResultSet row = statement.executeQuery("SELECT id FROM howdah.add('default', 'other', '1')")) {
                row.next();
                late = row.getLong(1);
            }
            database.execute("SELECT howdah_internal.kind_lane('default', 'work')");
            long early = Long.parseLong(database.text("SELECT id FROM howdah.add('default', 'work', '1')"));
            database.awaitLetters(early, "d");
            slow.commit();
            database.awaitLetters(late, "d");
        }
    }

    @Test
    void job_plannedBesideOneThatIsDue_startsWhenItIsDue() throws SQLException {
        try (Jobs jobs = database.jobs().handle(WORK, (payload, job) -> {}).start();
                Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            List<Long> late = new ArrayList<>();
            for (long n = 0; n < 6; n++) {
                awaitAsleep();
                long due = jobs.add(connection, NewJob.of(WORK, n)).id();
                long planned = jobs.add(connection, NewJob.of(WORK, -n).delay(Duration.ofMillis(300)))
                        .id();
                connection.commit();
                database.awaitLetters(due, "d");
                database.awaitLetters(planned, "d");
                late.add(lateness(planned));
            }
            late.sort(null);
            assertThat(late.get(0)).isNotNegative();
            assertThat(late.get(3)).as("milliseconds of %s", late).isLessThan(500);
        }
    }

    /** Whether the lock of the lane stays with its holder while those jobs are done one after the other. */
    private boolean sleepsOn(Jobs jobs, int lane, int count) throws SQLException {
        awaitAsleep();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            int pid = connection.unwrap(PGConnection.class).getBackendPID();
            CompletableFuture<Void> granted = CompletableFuture.runAsync(() -> {
                try {
                    statement.execute("SELECT pg_advisory_lock_shared(1215264875, " + lane + ")");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            JobsDatabase.awaiting("the lock is waited for, or has become free")
                    .until(() -> granted.isDone()
                            || database.number("SELECT count(*) FROM pg_locks WHERE NOT granted AND pid = " + pid) > 0);
            for (long n = 0; n < count; n++) {
                long ready = System.nanoTime();
                JobsDatabase.awaiting("jobs are far apart").until(() -> System.nanoTime() - ready > FAR_NANOS);
                database.awaitLetters(jobs.add(WORK, n), "d");
            }
            boolean held = !granted.isDone();
            statement.cancel();
            return held;
        }
    }

    /** Otherwise each job costs its node a look more, and two statements for the lock. */
    @Test
    void node_whoseJobsComeFarApart_sleepsOnBetweenThem() {
        try (Jobs jobs = database.jobs().handle(WORK, (payload, job) -> {}).start()) {
            database.awaitLetters(jobs.add(WORK, 0L), "d");
            int lane = (int)
                    database.number("SELECT id FROM howdah_internal.lane WHERE queue = 'default' AND kind IS NULL");
            // A machine that stalls for a moment wakes it.
            JobsDatabase.awaiting("it sleeps on").until(() -> sleepsOn(jobs, lane, 2));
        }
    }

    @Test
    void jobs_ofTwoQueuesAtOnce_bothBegin() throws SQLException {
        Kind<Long> other = Kind.of("other", Long.class).queue("second");
        try (Jobs jobs = database.jobs()
                        .handle(WORK, (payload, job) -> {})
                        .handle(other, (payload, job) -> {})
                        .start();
                Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            for (long n = 0; n < 5; n++) {
                awaitAsleep();
                long one = jobs.add(connection, NewJob.of(WORK, n)).id();
                long two = jobs.add(connection, NewJob.of(other, n)).id();
                connection.commit();
                database.awaitLetters(one, "d");
                database.awaitLetters(two, "d");
            }
        }
        assertThat(database.timesDone()).containsExactly("1");
    }
}
