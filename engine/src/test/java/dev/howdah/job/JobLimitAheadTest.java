package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A limit holds while nodes claim more short jobs than it has room for, and its room is used while jobs take long. */
@PostgresTest
class JobLimitAheadTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final String SHORT = "short";
    private static final String LONG = "long";

    /** The most attempts that ran at the same time, by the times in the history. */
    private static final String MOST_AT_ONCE =
            "SELECT max(e.running) FROM (SELECT sum(v.change) OVER (ORDER BY v.at, v.change)"
                    + " AS running FROM howdah.taken t CROSS JOIN LATERAL (VALUES (t.begun_at, 1), (t.ended_at, -1)) AS v (at, change)"
                    + " WHERE t.letter = 'd') e";

    private final JobsDatabase database;
    private final List<Jobs> nodes = new ArrayList<>();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger runningLong = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicInteger shortDone = new AtomicInteger();
    private final Semaphore go = new Semaphore(0);

    JobLimitAheadTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    @AfterEach
    void stop() {
        go.release(10_000);
        nodes.forEach(Jobs::close);
    }

    private Jobs start() {
        Jobs node = database.jobs().handle(WORK, (what, job) -> run(what)).start();
        nodes.add(node);
        return node;
    }

    private void run(String what) throws InterruptedException {
        most.accumulateAndGet(running.incrementAndGet(), Math::max);
        try {
            if (what.equals(LONG)) {
                runningLong.incrementAndGet();
                go.acquire();
                runningLong.decrementAndGet();
            } else {
                shortDone.incrementAndGet();
            }
        } finally {
            running.decrementAndGet();
        }
    }

    private void add(String what, int jobs) {
        nodes.get(0)
                .addAll(IntStream.range(0, jobs)
                        .mapToObj(i -> NewJob.of(WORK, what))
                        .toList());
    }

    private void awaitShort(int jobs) {
        JobsDatabase.awaiting(jobs + " short jobs are done").until(() -> shortDone.get() >= jobs);
    }

    private void awaitLong(int jobs) {
        JobsDatabase.awaiting(jobs + " long jobs run").until(() -> runningLong.get() == jobs);
    }

    private void assertAllDoneWithin(int limit, int jobs) {
        JobsDatabase.awaiting("all are done").until(() -> database.ended("d") == jobs);
        assertThat(most.get()).as("at once, by the handlers").isLessThanOrEqualTo(limit);
        assertThat(database.number(MOST_AT_ONCE)).as("at once, by the history").isLessThanOrEqualTo(limit);
        assertThat(database.timesDone()).containsExactly("1");
        assertThat(database.number("SELECT count(*) FROM howdah_internal.batch WHERE ended IS NULL"))
                .isZero();
    }

    private long largestClaim() {
        return database.number("SELECT max(b.jobs - b.width) FROM howdah_internal.batch b");
    }

    @Tag("long")
    @Test
    void limit_ofShortAndLongJobsOnThreeNodes_isNeverExceeded_andClaimsAreLargerThanIt() {
        database.execute("SELECT howdah.limit('default', 8)");
        for (int i = 0; i < 3; i++) start();
        for (int i = 0; i < 7; i++) {
            add(SHORT, 1_000);
            add(LONG, 1);
        }
        awaitShort(7_000);
        awaitLong(7);
        go.release(7);
        assertAllDoneWithin(8, 7_007);
        assertThat(largestClaim()).as("jobs that a claim took above its width").isPositive();
    }

    @Test
    void nodeLimit_ofShortJobs_isNeverExceeded_andClaimsAreLargerThanIt() {
        nodes.add(database.jobs()
                .handle(WORK, (what, job) -> run(what))
                .nodeLimit("default", 3)
                .start());
        add(SHORT, 5_000);
        assertAllDoneWithin(3, 5_000);
        assertThat(largestClaim()).isPositive();
    }

    @Test
    void limitOfAKind_ofShortJobs_isNeverExceeded_besideThatOfItsQueue() {
        database.execute("SELECT howdah.limit('default', 4), howdah.limit('default', 2, kind => 'work')");
        for (int i = 0; i < 2; i++) start();
        add(SHORT, 3_000);
        assertAllDoneWithin(2, 3_000);
        assertThat(largestClaim()).isPositive();
    }

    @Test
    void jobsInTransactionsOfTheirOwn_runWithinTheLimit() {
        database.execute("CREATE TABLE effect (n integer); SELECT howdah.limit('default', 2)");
        nodes.add(database.jobs()
                .handleInTransaction(WORK, (what, job, connection) -> run(what))
                .start());
        add(SHORT, 300);
        assertAllDoneWithin(2, 300);
    }

    @Test // those behind it go to other places, and its batch counts as one job
    void longJob_betweenShortOnes_leavesTheRestOfTheRoom() {
        database.execute("SELECT howdah.limit('default', 4)");
        start();
        add(SHORT, 3_000);
        awaitShort(3_000);
        add(LONG, 1);
        add(SHORT, 2_000);
        awaitLong(1);
        awaitShort(5_000);
        add(LONG, 3);
        awaitLong(4);
        go.release(4);
        assertAllDoneWithin(4, 5_004);
        assertThat(database.text("SELECT extract(epoch FROM max(s.begun_at) - min(l.begun_at)) < 5"
                        + " FROM howdah.taken s, howdah.taken l WHERE s.letter = 'd' AND l.letter = 'd' AND l.payload::text = '\"long\"'"
                        + " AND s.payload::text = '\"short\"'"))
                .as("short jobs begin within seconds")
                .isEqualTo("t");
    }

    @Test // the other node gets the room that the long job does not need
    void longJob_onOneNode_leavesTheRestOfTheRoomToOthers() {
        database.execute("SELECT howdah.limit('default', 2)");
        start();
        add(SHORT, 2_000);
        awaitShort(2_000);
        add(LONG, 1);
        awaitLong(1);
        CountDownLatch elsewhere = new CountDownLatch(1);
        nodes.add(database.jobs()
                .handle(Kind.of("other", String.class), (what, job) -> elsewhere.countDown())
                .start());
        database.execute("SELECT howdah.add('default', 'other', '\"short\"')");
        JobsDatabase.awaiting("the other node runs its job").until(() -> elsewhere.getCount() == 0);
        go.release();
    }

    @Tag("long")
    @Test
    void node_isClosedOrKilled_itsJobsGoOnWithinTheLimit() {
        database.execute("SELECT howdah.limit('default', 8)");
        try (JobProcess doomed = JobProcess.at(database.uri(), 10)) {
            start();
            Jobs closing = start();
            add(SHORT, 5_000);
            awaitShort(500);
            nodes.remove(closing);
            closing.close();
            add(LONG, 8);
            add(SHORT, 5_000);
            doomed.kill();
            go.release(8);
            JobsDatabase.awaiting("all are done").until(() -> database.ended("d") == 10_008);
        }
        assertThat(most.get()).isLessThanOrEqualTo(8);
        assertThat(database.number(MOST_AT_ONCE)).isLessThanOrEqualTo(8);
        assertThat(database.timesDone()).containsExactly("1");
    }

    @Test
    void limit_isLoweredAndRaisedMeanwhile_laterClaimsKeepIt() {
        database.execute("SELECT howdah.limit('default', 8)");
        for (int i = 0; i < 2; i++) start();
        add(SHORT, 2_000);
        add(LONG, 8);
        awaitLong(8);
        database.execute("SELECT howdah.limit('default', 2)");
        go.release(7);
        awaitLong(1);
        JobsDatabase.awaiting("the batches before are written")
                .until(() ->
                        database.number("SELECT sum(LEAST(jobs, width)) FROM howdah_internal.batch WHERE ended IS NULL")
                                == 1);
        most.set(0);
        add(SHORT, 2_000);
        add(LONG, 8);
        awaitShort(4_000);
        awaitLong(2);
        assertThat(most.get()).isLessThanOrEqualTo(2);
        database.execute("SELECT howdah.limit('default', 6)");
        awaitLong(6);
        assertThat(most.get()).isLessThanOrEqualTo(6);
        go.release(16);
        JobsDatabase.awaiting("all are done").until(() -> database.ended("d") == 4_016);
    }
}
