package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Restarts of the server and sessions that are ended from outside: nodes that live are not taken for dead. */
@Tag("long")
class JobRestartTest {
    private static final Kind<String> LONG = Kind.of("long", String.class);
    private static final int JOBS = 8;

    @Test // nine restarts, two nodes, transactional handlers that take longer than all of them
    void server_restartsAgainAndAgain_noNodeIsTakenForDeadAndNoJobFails() throws Exception {
        TestServer server = TestServer.with(Map.of());
        try (TestDatabase made = TestDatabase.create(server)) {
            JobsDatabase database = JobsDatabase.in(made);
            CountDownLatch restarted = new CountDownLatch(1);
            List<Jobs> nodes = new ArrayList<>();
            try {
                for (int i = 0; i < 2; i++)
                    nodes.add(database.jobs()
                            .concurrency(JOBS / 2)
                            .handleInTransaction(LONG, (payload, job, connection) -> restarted.await())
                            .start());
                List<Integer> ids = nodes.stream().map(Jobs::node).toList();
                for (int i = 0; i < JOBS; i++) nodes.get(0).add(LONG, "x");
                JobsDatabase.awaiting("all run").until(() -> taken(database) == JOBS);
                for (int restart = 0; restart < 9; restart++) {
                    server.restart();
                    JobsDatabase.awaiting("both nodes are back")
                            .until(() -> alive(database).containsAll(ids));
                }
                restarted.countDown();
                JobsDatabase.awaiting("all are done").until(() -> database.ended("d") == JOBS);
                assertThat(nodes.stream().map(Jobs::node).toList()).isEqualTo(ids);
            } finally {
                restarted.countDown();
                for (Jobs each : nodes) each.close();
            }
            assertThat(database.number("SELECT count(*) FROM howdah_internal.failed"))
                    .isZero();
            assertThat(database.ended("x")).as("taken from nodes").isZero();
            assertThat(database.timesDone()).containsExactly("1");
        }
    }

    @Test // twice a second, at the worst moments too: a node that comes back says so
    void presenceSessions_endedInALoop_noNodeIsTakenForDead() throws Exception {
        try (TestDatabase made = TestDatabase.create()) {
            JobsDatabase database = JobsDatabase.in(made);
            CountDownLatch over = new CountDownLatch(1);
            try (Jobs one = database.jobs()
                            .concurrency(4)
                            .handle(LONG, (payload, job) -> over.await())
                            .start();
                    Jobs two = database.jobs()
                            .concurrency(4)
                            .handle(LONG, (payload, job) -> over.await())
                            .start()) {
                List<Integer> ids = List.of(one.node(), two.node());
                for (int i = 0; i < JOBS; i++) one.add(LONG, "x");
                JobsDatabase.awaiting("all run").until(() -> taken(database) == JOBS);
                for (int i = 0; i < 60; i++) {
                    database.execute("SELECT pg_terminate_backend(l.pid) FROM pg_locks l WHERE l.classid = 1215264874"
                            + " AND l.granted AND l.objsubid = 2 AND l.database = (SELECT oid FROM pg_database"
                            + " WHERE datname = current_database())");
                    JobsDatabase.awaiting("both nodes are back")
                            .until(() -> alive(database).containsAll(ids));
                }
                assertThat(database.number("SELECT min(returned) FROM howdah_internal.node"))
                        .isGreaterThan(10);
                over.countDown();
                JobsDatabase.awaiting("all are done").until(() -> database.ended("d") == JOBS);
                assertThat(List.of(one.node(), two.node())).isEqualTo(ids);
            } finally {
                over.countDown();
            }
            assertThat(database.number("SELECT count(*) FROM howdah_internal.failed"))
                    .isZero();
            assertThat(database.ended("x")).as("taken from nodes").isZero();
        }
    }

    @Test // what a node had taken before the server's start, and what a program had that lives on: no death counts
    void death_beforeTheServersStartOrOfALivingProgram_doesNotCount() {
        try (TestDatabase made = TestDatabase.create()) {
            JobsDatabase database = JobsDatabase.in(made);
            database.execute("INSERT INTO howdah_internal.node (name, features, replaced) VALUES"
                    + " ('a', '{job}', false), ('b', '{job}', true), ('c', '{job}', false)");
            database.execute("SELECT howdah.add('default', 'long', '1'::json)");
            for (List<?> row : List.of(
                    List.of(101, "a", "pg_postmaster_start_time() - interval '1 s'"),
                    List.of(102, "b", "clock_timestamp()"),
                    List.of(103, "c", "clock_timestamp()")))
                database.execute(
                        "INSERT INTO howdah_internal.batch (node, lane, taken, begun, alone, jobs, first_id, last_id, ids,"
                                + " run_at, kind, payloads) SELECT n.id, (SELECT min(id) FROM howdah_internal.lane), "
                                + row.get(2)
                                + ", true, false, 1, " + row.get(0) + ", " + row.get(0) + ", '{" + row.get(0)
                                + "}', now(), 'long', ARRAY['1']::json[] FROM howdah_internal.node n WHERE n.name = '"
                                + row.get(1)
                                + "'");
            try (Jobs node = database.jobs()
                    .handle(Kind.of("other", String.class), (payload, job) -> {})
                    .start()) {
                JobsDatabase.awaiting("all are back")
                        .until(() -> database.number("SELECT count(*) FROM howdah_internal.job WHERE id > 100") == 3);
                assertThat(node.node()).isPositive();
            }
            assertThat(database.text("SELECT string_agg(id || ':' || attempt || ':' || deaths, ' ' ORDER BY id)"
                            + " FROM howdah_internal.job WHERE id > 100"))
                    .isEqualTo("101:0:0 102:0:0 103:1:1");
        }
    }

    @Test // after a failover that lost WAL the id of a living node is another node's
    void node_comesBackToARowOfAnother_isAnotherNode() throws Exception {
        try (TestDatabase made = TestDatabase.create()) {
            JobsDatabase database = JobsDatabase.in(made);
            try (Jobs jobs = database.jobs().handle(LONG, (payload, job) -> {}).start()) {
                int former = jobs.node();
                database.execute("UPDATE howdah_internal.node SET incarnation = gen_random_uuid()");
                JobsDatabase.awaiting("it has another id").until(() -> jobs.node() != 0 && jobs.node() != former);
                assertThat(database.number(
                                "SELECT count(*) FROM howdah_internal.node WHERE id = " + former + " AND replaced"))
                        .isZero();
                long job = jobs.add(LONG, "x");
                database.awaitLetters(job, "d");
            }
        }
    }

    @Test // ids are issued again: a session that lives has the lock of the next one
    void node_lockOfItsIdIsTaken_takesAnotherId() throws SQLException {
        try (TestDatabase made = TestDatabase.create()) {
            JobsDatabase database = JobsDatabase.in(made);
            try (Connection other = database.connect();
                    Statement statement = other.createStatement()) {
                statement.execute("SELECT pg_advisory_lock(1215264874, n) FROM generate_series(1, 20) n");
                try (Jobs jobs =
                        database.jobs().handle(LONG, (payload, job) -> {}).start()) {
                    assertThat(jobs.node()).isGreaterThan(20);
                    database.awaitLetters(jobs.add(LONG, "x"), "d");
                }
            }
        }
    }

    private static long taken(JobsDatabase database) {
        return database.number("SELECT COALESCE(sum(jobs), 0) FROM howdah_internal.batch WHERE ended IS NULL");
    }

    private static Set<Integer> alive(JobsDatabase database) {
        Set<Integer> alive = new HashSet<>();
        try {
            for (List<?> row : database.rows(
                    "SELECT n.id FROM howdah_internal.node n WHERE NOT pg_try_advisory_xact_lock_shared(1215264874, n.id)"))
                alive.add(Integer.parseInt(String.valueOf(row.get(0))));
        } catch (RuntimeException | AssertionError e) {
            return Set.of(); // the server is not there yet
        }
        return alive;
    }
}
