package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nodes that die, freeze, or lose sessions; jobs that kill their node. */
@Tag("long")
@PostgresTest
class JobDeathTest {
    private static final Kind<String> WORK = JobProcess.WORK;
    private static final Kind<String> COMMIT = Kind.of("commit", String.class);

    private final JobsDatabase database;

    JobDeathTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private List<Long> add(Kind<String> kind, String payload, int count) {
        try (Jobs producer = database.jobs().start()) {
            List<NewJob<String>> jobs = new ArrayList<>();
            for (int i = 0; i < count; i++) jobs.add(NewJob.of(kind, payload));
            return producer.addAll(jobs);
        }
    }

    private static String ids(List<Long> jobs) {
        return jobs.toString().replaceAll("[\\[\\] ]", "");
    }

    @Test // within 5 s, as the database measured it; also what holds a transaction open
    void node_killed_itsJobsRunElsewhereWithinSeconds() {
        List<Long> hung = add(WORK, "hang", 5);
        List<Long> open = add(COMMIT, "hang", 1);
        try (JobProcess doomed = JobProcess.at(database.uri(), 6)) {
            for (long job : hung) doomed.awaitSaid("began " + job + " 1");
            doomed.awaitSaid("began " + open.get(0) + " 1");
            List<Integer> attempts = new ArrayList<>();
            try (Jobs survivor = database.jobs()
                    .handle(WORK, (payload, job) -> {
                        synchronized (attempts) {
                            attempts.add(job.attempt());
                        }
                    })
                    .handleInTransaction(COMMIT, (payload, job, connection) -> {})
                    .start()) {
                database.execute("CREATE TABLE death AS SELECT now() AS at");
                doomed.kill();
                JobsDatabase.awaiting("all are done").until(() -> database.ended("d") == 6);
                assertThat(survivor.node()).isPositive();
            }
            assertThat(database.number("SELECT ceil(extract(epoch FROM max(b.ended) - d.at))::integer FROM death d,"
                            + " howdah_internal.batch b WHERE b.outcomes IS NULL GROUP BY d.at"))
                    .isLessThanOrEqualTo(5);
            assertThat(attempts).containsOnly(2).hasSize(5);
        }
        assertThat(database.ended("x")).isEqualTo(6);
        assertThat(database.timesDone()).containsExactly("1");
        assertThat(database.number("SELECT count(*) FROM howdah_internal.node")).isZero();
    }

    @Test // three nodes, and it has failed; none of those beside it has
    void job_killsItsNodeThreeTimes_hasFailedAndItsNeighboursHaveNot() {
        List<Long> good = new ArrayList<>(add(WORK, "fine", 3));
        long bad = add(WORK, "exit", 1).get(0);
        good.addAll(add(WORK, "fine", 3));
        for (int death = 1; death <= 3; death++) {
            try (JobProcess doomed = JobProcess.started(database.uri(), 1)) {
                doomed.awaitGone();
                doomed.awaitSaid("began " + bad + " " + death);
            }
        }
        try (JobProcess last = JobProcess.at(database.uri(), 1)) {
            database.awaitFailed(bad);
            for (long job : good)
                JobsDatabase.awaiting("its neighbour is done")
                        .until(() -> database.letters(job).endsWith("d"));
            assertThat(last.hasSaid("began " + bad + " 4")).isFalse();
        }
        assertThat(database.failed(bad, "attempt || ' ' || deaths || ' ' || error"))
                .isEqualTo("3 3 the node that worked on it has died, 3 times in all");
        assertThat(database.number("SELECT count(*) FROM howdah_internal.failed"))
                .isEqualTo(1);
        assertThat(database.letters(bad)).isEqualTo("xxx");
    }

    @Test // SIGSTOP past its death notice: refused, interrupted, and back as another node
    void node_frozenPastItsDeath_isRefusedAndComesBackAsAnother() {
        List<Long> jobs = add(WORK, "hang", 2);
        long open = add(COMMIT, "hang", 1).get(0);
        try (JobProcess frozen = JobProcess.at(database.uri(), 3)) {
            for (long job : jobs) frozen.awaitSaid("began " + job + " 1");
            frozen.awaitSaid("began " + open + " 1");
            long former = database.number("SELECT max(id) FROM howdah_internal.node");
            frozen.freeze();
            Queue<Long> tokens = new ConcurrentLinkedQueue<>();
            try (Jobs survivor = database.jobs()
                    .handle(WORK, (payload, job) -> tokens.add(job.fencingToken()))
                    .handleInTransaction(COMMIT, (payload, job, connection) -> {})
                    .start()) {
                JobsDatabase.awaiting("all ran elsewhere").until(() -> database.ended("d") == 3);
                frozen.thaw();
                for (long job : jobs) frozen.awaitSaid("interrupted " + job);
                JobsDatabase.awaiting("it is another node")
                        .until(() -> database.number("SELECT max(id) FROM howdah_internal.node") > survivor.node());
                long token = database.number("SELECT max(id) FROM howdah_internal.batch WHERE node = " + former);
                assertThat(tokens).hasSize(2).allMatch(later -> later > token);
            }
            // It works as before.
            List<Long> more = add(WORK, "fine", 2);
            for (long job : more) frozen.awaitSaid("ended " + job);
            JobsDatabase.awaiting("those are done").until(() -> database.ended("d") == 5);
        }
        assertThat(database.timesDone()).containsExactly("1");
        assertThat(database.text("SELECT string_agg(DISTINCT outcomes, '') FROM howdah_internal.batch WHERE '{"
                        + ids(jobs) + "}'::bigint[] && ids AND node = (SELECT min(node) FROM howdah_internal.batch)"))
                .matches("x+");
    }

    @Test // each of its sessions in turn, and all at once: nothing is lost, nothing stays leased
    void node_loseSessions_nothingIsLostOrStaysOpen() {
        AtomicInteger ran = new AtomicInteger();
        try (Jobs jobs = database.jobs()
                .handle(WORK, (payload, job) -> {
                    ran.incrementAndGet();
                    new CountDownLatch(1).await(job.id() % 5, java.util.concurrent.TimeUnit.MILLISECONDS);
                })
                .start()) {
            int added = 0;
            for (int round = 0; round < 60; round++) {
                added += add(WORK, "fine", 50).size();
                String which = switch (round % 4) {
                    case 0 -> "query LIKE '%howdah_internal.batch%'";
                    case 1 -> "query NOT LIKE '%howdah_internal.batch%'";
                    case 2 -> "true";
                    default -> "random() < 0.3";
                };
                database.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
                                + " AND pid <> pg_backend_pid() AND application_name = 'jobs' AND " + which);
            }
            int all = added;
            JobsDatabase.awaiting("all are done").until(() -> database.ended("d") == all);
            database.awaitEmpty();
            assertThat(jobs.node()).isPositive();
        }
        assertThat(database.timesDone()).containsExactly("1");
        assertThat(database.number("SELECT count(*) FROM howdah_internal.failed"))
                .isZero();
    }

    @Test // a batch that nobody knows of: its claim was committed, and the answer lost
    void claim_whoseAnswerIsLost_isGivenBackUncounted() {
        try (Jobs jobs = database.jobs().handle(WORK, (payload, job) -> {}).start()) {
            long first = jobs.add(WORK, "fine");
            database.awaitLetters(first, "d");
            database.execute(
                    "INSERT INTO howdah_internal.batch (node, lane, begun, alone, jobs, first_id, last_id, ids, run_at, kind,"
                            + " payloads) SELECT " + jobs.node()
                            + ", min(id), true, false, 2, 101, 102, '{101,102}', now(), 'work',"
                            + " ARRAY['\"fine\"', '\"fine\"']::json[] FROM howdah_internal.lane");
            database.awaitLetters(101, "xd");
            database.awaitLetters(102, "xd");
            assertThat(
                            database.text(
                                    "SELECT COALESCE(max(rest::text), 'uncounted') FROM howdah_internal.batch WHERE outcomes IS NULL"))
                    .isEqualTo("uncounted");
        }
    }

    @Test // the node that dies had put off a job; who sleeps takes it in time
    void job_retriesOfADeadNode_areTakenByASleeper() {
        try (JobProcess doomed = JobProcess.at(database.uri(), 1);
                Jobs survivor =
                        database.jobs().handle(WORK, (payload, job) -> {}).start()) {
            List<Long> later = new ArrayList<>();
            for (int i = 0; i < 5; i++)
                later.add(survivor.add(NewJob.of(WORK, "fine").delay(Duration.ofMillis(3000)))
                        .id());
            doomed.kill();
            for (long job : later)
                JobsDatabase.awaiting("it is done")
                        .until(() -> database.letters(job).endsWith("d"));
        }
    }
}
