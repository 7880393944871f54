package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.internal.attempt.AttemptResult;
import dev.howdah.job.internal.attempt.OrderRuns;
import dev.howdah.job.internal.batch.BatchStore;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.maintain.OrderKeyPromoter;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs: several jobs of an order key in one batch, each of which begins when it is on disk that the one before it is done. */
@PostgresTest
class JobRunsTest {
    private static final Kind<Integer> STEP = Kind.of("step", Integer.class);
    private static final String[] KINDS = {"step"};
    private static final int RUN = 4;

    private final JobsDatabase database;
    private final List<String> ran = Collections.synchronizedList(new ArrayList<>());
    private PassiveNode node;
    private List<Long> jobs = List.of();

    JobRunsTest(TestDatabase database) throws SQLException {
        this.database = JobsDatabase.in(database);
        this.node = new PassiveNode(this.database);
    }

    @BeforeEach
    void add() throws SQLException {
        try (Jobs adder = database.jobs().start()) {
            jobs = adder.addAll(IntStream.rangeClosed(1, 6)
                    .mapToObj(number -> NewJob.of(STEP, number).orderKey("key"))
                    .toList());
        }
    }

    @AfterEach
    void close() {
        node.close();
    }

    /** The first job is done, and the next ones are a run. */
    private ClaimedBatch run() throws SQLException {
        OrderKeyPromoter.letIn(node.session());
        ClaimedBatch first = node.claim().get(0);
        done(first, 0);
        List<ClaimedBatch> next = next(first);
        assertThat(next).hasSize(1);
        return next.get(0);
    }

    private List<ClaimedBatch> next(ClaimedBatch ended) throws SQLException {
        BatchStore.Claimed claimed = node.store().next(List.of(ended), node.lane("default"), 10, KINDS, RUN);
        return claimed.batches();
    }

    private static boolean end(ClaimedBatch batch, int i, AttemptResult result) {
        assertThat(batch.begin()).isEqualTo(i);
        return batch.end(i, result, System.nanoTime(), System.nanoTime());
    }

    private static boolean done(ClaimedBatch batch, int i) {
        return end(batch, i, AttemptResult.DONE);
    }

    private boolean pass(ClaimedBatch batch) throws SQLException {
        OrderRuns.Turns turns = Objects.requireNonNull(batch.turns());
        return node.store().passTurns(Map.of(batch, turns)).contains(batch) && batch.pass(turns);
    }

    /** A node runs what is left; what it has run, as job and attempt. */
    private void assertRest(String... expected) {
        try (Jobs others = database.jobs()
                .defaultRetries(RetryPolicy.after(Duration.ofMillis(20), Duration.ZERO))
                .handle(STEP, (number, job) -> ran.add(number + "." + job.attempt()))
                .start()) {
            JobsDatabase.awaiting("the rest runs, in order").until(() -> List.copyOf(ran), List.of(expected)::equals);
        }
        JobsDatabase.awaiting("nothing is left behind")
                .until(() -> database.number("SELECT (SELECT count(*) FROM howdah_internal.ordered)"
                                + " + (SELECT count(*) FROM howdah_internal.order_key WHERE job IS NOT NULL)")
                        == 0);
        assertThat(database.timesDone()).containsExactly("1");
    }

    @Test
    void jobs_beginOneAfterTheOther_whenThoseBeforeThemAreWritten() throws SQLException {
        ClaimedBatch batch = run();
        assertThat(batch.size()).isEqualTo(RUN);
        assertThat(LongStream.range(0, RUN).map(i -> batch.job((int) i).id()))
                .containsExactlyElementsOf(jobs.subList(1, 5));
        for (int i = 0; i < RUN - 1; i++) {
            assertThat(done(batch, i)).isFalse();
            assertThat(batch.begin()).as("not yet").isEqualTo(-1);
            assertThat(pass(batch)).isTrue();
        }
        assertThat(done(batch, RUN - 1)).isTrue();
        ClaimedBatch last = next(batch).get(0);
        assertThat(last.isInRuns()).isFalse();
        assertThat(done(last, 0)).isTrue();
        assertThat(next(last)).isEmpty();
        assertThat(database.ended("d")).isEqualTo(6);
        assertThat(database.number("SELECT count(*) FROM howdah_internal.order_key WHERE job IS NOT NULL"))
                .isZero();
    }

    @Test
    void nodeThatDies_hasDoneWhatIsWritten_andDiedWithOneJob() throws SQLException {
        ClaimedBatch batch = run();
        done(batch, 0);
        pass(batch);
        done(batch, 1);
        pass(batch);
        assertThat(batch.begin()).isEqualTo(2);
        try (PassiveNode other = new PassiveNode(database)) {
            assertThat(node.recoverBy(other)).isTrue();
        }
        assertThat(database.text("SELECT outcomes FROM howdah_internal.batch WHERE id = " + batch.batch()))
                .isEqualTo("ddxg");
        assertThat(database.text("SELECT attempt || ' ' || deaths FROM howdah_internal.job"))
                .isEqualTo("1 1");
        assertThat(pass(batch, 2)).as("what the dead node says counts no more").isFalse();
        assertRest("4.2", "5.1", "6.1");
    }

    private boolean pass(ClaimedBatch batch, int ended) throws SQLException {
        batch.end(ended, AttemptResult.DONE, System.nanoTime(), System.nanoTime());
        return pass(batch);
    }

    @Test
    void nodeThatDies_whenAllIsWrittenButTheLast_leavesNothing() throws SQLException {
        ClaimedBatch batch = run();
        for (int i = 0; i < RUN - 1; i++) {
            done(batch, i);
            pass(batch);
        }
        try (PassiveNode other = new PassiveNode(database)) {
            node.recoverBy(other);
        }
        assertRest("5.2", "6.1");
    }

    @Test
    void nodeThatLosesTrackOfARun_countsNothing() throws SQLException {
        ClaimedBatch batch = run();
        done(batch, 0);
        pass(batch);
        node.giveBack(batch);
        assertRest("3.1", "4.1", "5.1", "6.1");
    }

    @Test
    void jobThatFails_cutsItsRun() throws SQLException {
        ClaimedBatch batch = run();
        done(batch, 0);
        pass(batch);
        assertThat(end(batch, 1, AttemptResult.failed("no")))
                .as("nothing else begins")
                .isTrue();
        assertThat(node.store().settle(batch)).isTrue();
        assertThat(database.failed(jobs.get(2), "state")).isEqualTo("failed");
        assertRest("4.1", "5.1", "6.1");
    }

    @Test
    void firstThatFails_cutsItsRun() throws SQLException {
        ClaimedBatch batch = run();
        end(batch, 0, AttemptResult.cancelled("no"));
        assertThat(node.store().settle(batch)).isTrue();
        assertRest("3.1", "4.1", "5.1", "6.1");
    }

    @Test
    void jobThatIsTriedAgain_keepsItsPlace() throws SQLException {
        ClaimedBatch batch = run();
        done(batch, 0);
        pass(batch);
        end(batch, 1, AttemptResult.retry(1_000, "not yet"));
        assertThat(node.store().settle(batch)).isTrue();
        assertThat(database.number("SELECT job FROM howdah_internal.order_key")).isEqualTo(jobs.get(2));
        assertRest("3.2", "4.1", "5.1", "6.1");
    }

    @Test
    void jobWithAResult_cutsItsRun_andPassesTheTurnOn() throws SQLException {
        ClaimedBatch batch = run();
        end(batch, 0, AttemptResult.done("7"));
        assertThat(node.store().settle(batch)).isTrue();
        assertThat(database.number("SELECT count(*) FROM howdah_internal.job")).isEqualTo(1);
        assertRest("3.1", "4.1", "5.1", "6.1");
    }

    @Test
    void nodeThatStops_givesTheRestBack() throws SQLException {
        ClaimedBatch batch = run();
        done(batch, 0);
        assertThat(batch.giveBack()).isTrue();
        assertThat(batch.turns()).isNull();
        assertThat(node.store().settle(batch)).isTrue();
        assertRest("3.1", "4.1", "5.1", "6.1");
    }

    @Test
    void jobThatTakesLong_goesOnInABatchOfItsOwn() throws SQLException {
        ClaimedBatch batch = run();
        done(batch, 0);
        pass(batch);
        assertThat(batch.begin()).isEqualTo(1);
        assertThat(batch.giveBack()).isFalse();
        assertThat(node.store().settle(batch)).isTrue();
        assertThat(database.number("SELECT job FROM howdah_internal.order_key")).isEqualTo(jobs.get(2));
        assertThat(batch.end(1, AttemptResult.DONE, System.nanoTime(), System.nanoTime()))
                .isTrue();
        assertThat(node.store().settle(batch)).isTrue();
        assertRest("4.1", "5.1", "6.1");
    }

    @Test
    void pausedQueue_letsNoFurtherJobBegin() throws SQLException {
        ClaimedBatch batch = run();
        done(batch, 0);
        database.execute("SELECT howdah.pause('default')");
        assertThat(pass(batch)).isFalse();
        assertThat(batch.begin()).isEqualTo(-1);
        assertThat(batch.giveBack()).isTrue();
        assertThat(node.store().settle(batch)).isTrue();
        database.execute("SELECT howdah.resume('default')");
        assertRest("3.1", "4.1", "5.1", "6.1");
    }

    @Test
    void jobThatAnotherSessionHasLocked_isNotOvertaken() throws SQLException {
        try (Connection other = database.connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("SELECT FROM howdah_internal.ordered WHERE id = " + jobs.get(3) + " FOR UPDATE");
            assertThat(run().size()).as("what comes before it").isEqualTo(2);
            other.rollback();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"priority = 5", "run_at = now() + interval '1 hour'"})
    void jobThatIsNotDueYet_orOfAnotherPriority_endsTheRun(String other) throws SQLException {
        database.execute("UPDATE howdah_internal.ordered SET " + other + " WHERE id = " + jobs.get(2));
        assertThat(run().size()).isEqualTo(1);
    }

    @Test
    void cancellationOfAJobBehind_holdsWhenItsRunIsCut() throws SQLException {
        ClaimedBatch batch = run();
        for (long id : List.of(jobs.get(3), jobs.get(5)))
            assertThat(database.text("SELECT howdah.cancel(" + id + ")"))
                    .isEqualTo(id == jobs.get(5) ? "cancelled" : "asked");
        end(batch, 0, AttemptResult.retry(1_000, "not yet"));
        assertThat(node.store().settle(batch)).isTrue();
        assertThat(database.number("SELECT count(*) FROM howdah_internal.ordered WHERE id = " + jobs.get(3)))
                .isEqualTo(1);
        database.execute("SELECT howdah_internal.cancellations(1)");
        assertThat(database.failed(jobs.get(3), "state")).isEqualTo("cancelled");
        assertThat(database.number("SELECT count(*) FROM howdah_internal.cancellation"))
                .isZero();
        assertRest("2.2", "3.1", "5.1");
    }

    @Test
    void childWithTheKeyOfItsParentInARun_isRefused() throws SQLException {
        ClaimedBatch batch = run();
        done(batch, 0);
        pass(batch);
        assertThat(database.number("SELECT howdah_internal.order_ancestor(" + jobs.get(2) + ", 'default', 'key')"))
                .isEqualTo(jobs.get(2));
        assertThat(database.rows("SELECT howdah_internal.order_ancestor(" + jobs.get(5) + ", 'default', 'key')"))
                .containsExactly(Collections.singletonList(null));
    }

    /** Sessions end at any moment, and jobs end in any way: none begins when a later one of its key has begun, and none is lost. */
    @Test
    void manyKeys_sessionsThatEnd_neverGoBackwards() {
        int keys = 20;
        int each = 150;
        Map<Integer, Integer> latest = new ConcurrentHashMap<>();
        Map<Integer, AtomicInteger> now = new ConcurrentHashMap<>();
        List<String> wrong = Collections.synchronizedList(new ArrayList<>());
        OutcomeHandler<Integer> handler = (number, job) -> {
            int key = number / 1_000;
            if (now.computeIfAbsent(key, k -> new AtomicInteger()).incrementAndGet() > 1)
                wrong.add(number + " beside another");
            try {
                int before = latest.merge(key, number, Math::max);
                if (before > number) wrong.add(number + " after " + before);
                if (number % 41 == 7 && job.attempt() == 1) throw new IllegalStateException("once more");
                if (number % 59 == 11) throw new FatalException("never");
                if (number % 67 == 13 && job.attempt() == 1) return Outcome.retry(Duration.ofMillis(5), "later");
                return Outcome.done();
            } finally {
                now.get(key).decrementAndGet();
            }
        };
        List<Jobs> nodes = new ArrayList<>();
        try {
            for (int i = 0; i < 2; i++)
                nodes.add(database.jobs()
                        .queues("many")
                        .defaultRetries(RetryPolicy.after(Duration.ofMillis(20), Duration.ZERO))
                        .handleWithOutcome(STEP, handler)
                        .start());
            for (int from = 0; from < each; from += 10) {
                List<NewJob<Integer>> step = new ArrayList<>();
                for (int place = from; place < from + 10; place++)
                    for (int key = 0; key < keys; key++)
                        step.add(NewJob.of(STEP, key * 1_000 + place)
                                .queue("many")
                                .orderKey("k" + key));
                nodes.get(0).addAll(step);
                if (from % 30 == 20)
                    database.execute(
                            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
                                    + " AND pid <> pg_backend_pid() AND application_name = 'jobs' AND query LIKE '%howdah_internal.batch%'");
            }
            JobsDatabase.awaiting("all have ended").until(() -> database.ended("df") == keys * each);
        } finally {
            nodes.forEach(Jobs::close);
        }
        assertThat(wrong).isEmpty();
        assertThat(database.number("SELECT count(*) FROM howdah_internal.batch WHERE turns IS NOT NULL"))
                .as("batches with runs")
                .isPositive();
        assertThat(database.number("SELECT count(*) FROM howdah_internal.ordered WHERE queue = 'many'"))
                .isZero();
    }
}
