package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.node.NodeIdentity;
import dev.howdah.job.internal.batch.BatchStore;
import dev.howdah.job.internal.batch.ScanBounds;
import dev.howdah.job.internal.lane.Lane;
import dev.howdah.job.internal.maintain.OrderKeyPromoter;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One at a time for each key, in order for that key. */
@PostgresTest
class JobOrderTest {
    private static final Kind<Integer> STEP = Kind.of("step", Integer.class);

    private final JobsDatabase database;
    private final List<Jobs> nodes = new ArrayList<>();
    private final List<Integer> ran = Collections.synchronizedList(new ArrayList<>());

    JobOrderTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    @AfterEach
    void stop() {
        nodes.forEach(Jobs::close);
    }

    private Jobs node(Handler<Integer> handler) {
        return node(handler, 10);
    }

    private Jobs node(Handler<Integer> handler, int concurrency) {
        Jobs node = database.jobs()
                .concurrency(concurrency)
                .defaultRetries(RetryPolicy.after(Duration.ofMillis(20), Duration.ZERO))
                .handle(STEP, handler)
                .start();
        nodes.add(node);
        return node;
    }

    private Jobs node() {
        return node((number, job) -> ran.add(number));
    }

    private static NewJob<Integer> step(int number) {
        return NewJob.of(STEP, number).orderKey("key");
    }

    private void awaitRan(Integer... numbers) {
        JobsDatabase.awaiting("they ran").until(() -> List.copyOf(ran), List.of(numbers)::equals);
    }

    private void awaitHeadWaits() {
        JobsDatabase.awaiting("the first is let in")
                .until(() ->
                        database.number("SELECT count(*) FROM howdah_internal.order_key WHERE job IS NOT NULL") == 1);
    }

    /** From what handlers saw: never two of a key at once, each key in the order of its jobs' numbers, all of them done. */
    @Test
    void manyKeys_onSeveralNodes_withFailures_runOneAtATimeInOrder() {
        long seed = Long.getLong("howdah.fuzz.seed", 1);
        Random random = new Random(seed);
        Map<Integer, Integer> running = new ConcurrentHashMap<>();
        Map<Integer, List<Integer>> done = new ConcurrentHashMap<>();
        List<String> wrong = Collections.synchronizedList(new ArrayList<>());
        int keys = 20;
        int each = 15;
        Handler<Integer> handler = (number, job) -> {
            int key = number / 1000;
            Integer other = running.putIfAbsent(key, number);
            if (other != null) wrong.add(number + " while " + other);
            try {
                if (number % 7 == 3 && job.attempt() == 1) throw new IllegalStateException("once more");
                if (number % 11 == 5) throw new FatalException("never");
                Thread.yield();
                done.computeIfAbsent(key, k -> Collections.synchronizedList(new ArrayList<>()))
                        .add(number);
            } finally {
                running.remove(key);
            }
        };
        for (int i = 0; i < 3; i++) node(handler);
        int[] next = new int[keys];
        List<NewJob<Integer>> jobs = new ArrayList<>();
        while (IntStream.of(next).sum() < keys * each) {
            int key = random.nextInt(keys);
            if (next[key] == each) continue;
            jobs.add(NewJob.of(STEP, key * 1000 + next[key]++).orderKey("k" + key));
            if (random.nextInt(40) == 0 || IntStream.of(next).sum() == keys * each) {
                if (random.nextBoolean()) nodes.get(random.nextInt(3)).addAll(jobs);
                else jobs.forEach(nodes.get(random.nextInt(3))::add);
                jobs.clear();
            }
        }
        JobsDatabase.awaiting("all have ended").until(() -> database.ended("df") == keys * each);
        assertThat(wrong).as("seed %s", seed).isEmpty();
        for (int key = 0; key < keys; key++) {
            int first = key * 1000;
            assertThat(done.get(key))
                    .as("seed %s, key %s", seed, key)
                    .isEqualTo(IntStream.range(first, first + each)
                            .filter(number -> number % 11 != 5)
                            .boxed()
                            .toList());
        }
        JobsDatabase.awaiting("nothing is left behind")
                .until(() -> database.number(
                                "SELECT (SELECT count(*) FROM howdah_internal.ordered) + (SELECT count(*) FROM howdah_internal.order_key)")
                        == 0);
    }

    @Test
    void retry_keepsItsPlace() {
        node((number, job) -> {
            ran.add(number);
            if (number == 1 && job.attempt() < 3) throw new IllegalStateException("not yet");
        });
        nodes.get(0).addAll(List.of(step(1), step(2)));
        awaitRan(1, 1, 1, 2);
    }

    @Test
    void adders_neverWaitForEachOther_andALateCommitComesLater() throws SQLException {
        node();
        try (Connection late = database.connect()) {
            late.setAutoCommit(false);
            nodes.get(0).add(late, step(1));
            nodes.get(0).add(step(2));
            awaitRan(2);
            JobsDatabase.awaiting("the key is free again")
                    .until(() -> database.number("SELECT count(*) FROM howdah_internal.order_key WHERE job IS NOT NULL")
                            == 0);
            late.commit();
        }
        awaitRan(2, 1);
    }

    /** Job 1 runs until it may end; the others run at once. */
    private void nodeThatHoldsTheFirst(CountDownLatch begun, CountDownLatch go) {
        node((number, job) -> {
            begun.countDown();
            if (number == 1) go.await();
            ran.add(number);
        });
    }

    @Test
    void add_thatCommitsWhileTheJobBeforeItEnds_isNotLost() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        nodeThatHoldsTheFirst(begun, go);
        long first = nodes.get(0).add(step(1)).id();
        begun.await();
        try (Connection adding = database.connect()) {
            adding.setAutoCommit(false);
            nodes.get(0).add(adding, step(2));
            go.countDown();
            database.awaitLetters(first, "d");
            adding.commit();
        }
        awaitRan(1, 2);
    }

    @Test
    void waitingJob_thatSomebodyIsAboutToCancel_isNotOvertaken() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        nodeThatHoldsTheFirst(begun, go);
        long first = nodes.get(0).add(step(1)).id();
        begun.await();
        nodes.get(0).addAll(List.of(step(2), step(3)));
        try (Connection cancelling = database.connect()) {
            cancelling.setAutoCommit(false);
            try (var statement = cancelling.createStatement()) {
                assertThat(statement.executeUpdate("DELETE FROM howdah_internal.ordered WHERE payload::text = '2'"))
                        .isEqualTo(1);
            }
            go.countDown();
            database.awaitLetters(first, "d");
            // Nobody waits for whoever is about to cancel, and nobody goes first.
            try (JobSession session = JobSession.open(ConnectionSource.of(database.dataSource()))) {
                JobsDatabase.awaiting("looked at").until(() -> OrderKeyPromoter.letIn(session) > 0);
            }
            assertThat(ran).containsExactly(1);
            cancelling.rollback();
        }
        awaitRan(1, 2, 3);
    }

    @Test
    void jobsThatWereAddedTogether_areLookedAtByTheirFirst_alsoAfterItIsCancelled() {
        Jobs adder = database.jobs().start();
        nodes.add(adder);
        List<Long> together = adder.addAll(List.of(step(1), step(2), step(3)));
        assertThat(database.number("SELECT count(*) FROM howdah_internal.ordered WHERE fresh"))
                .isEqualTo(1);
        assertThat(adder.admin().cancel(together.get(0))).isEqualTo(CancelResult.CANCELLED);
        node();
        awaitRan(2, 3);
    }

    @Test
    void headThatIsCancelledWhileItWaits_letsTheNextOneIn() {
        Jobs adder = database.jobs().start();
        nodes.add(adder);
        adder.addAll(List.of(step(1).delay(Duration.ofDays(1)), step(2)));
        node();
        awaitHeadWaits();
        database.execute("WITH gone AS (DELETE FROM howdah_internal.job RETURNING *) INSERT INTO howdah_internal.failed"
                + " (id, lane, state, kind, priority, attempt, deaths, run_at, payload, more)"
                + " SELECT id, lane, 'cancelled', kind, priority, attempt, deaths, run_at, payload, more FROM gone");
        awaitRan(2);
    }

    @Test
    void nodeThatDies_takesNoTurnWithIt() throws SQLException {
        Jobs adder = database.jobs().start();
        nodes.add(adder);
        adder.addAll(List.of(step(1), step(2)));
        int lane = (int) database.number("SELECT id FROM howdah_internal.lane");
        try (JobSession doomed = JobSession.open(ConnectionSource.of(database.dataSource()))) {
            int id = NodeIdentity.enter(doomed, "doomed", null, "job").id();
            assertThat(OrderKeyPromoter.letIn(doomed)).isPositive();
            BatchStore.Claimed claimed = new BatchStore(doomed, id, new String[0])
                    .claim(List.of(), new Lane(lane, "default", null), 10, ScanBounds.NONE);
            assertThat(claimed.jobs()).as("only the first is there to be taken").isEqualTo(1);
        }
        node();
        awaitRan(1, 2);
    }

    @Test
    void transactionOfTheJob_passesTheTurnOn() {
        nodes.add(database.jobs()
                .handleInTransaction(STEP, (number, job, connection) -> ran.add(number))
                .start());
        nodes.get(0).addAll(List.of(step(1), step(2), step(3)));
        awaitRan(1, 2, 3);
    }

    @Test
    void key_isOfItsQueue_andOfAnyKind_fromSqlAsWell() {
        nodes.add(database.jobs()
                .queues("default", "other")
                .handle(STEP, (number, job) -> ran.add(number))
                .start());
        nodes.get(0).add(step(1).delay(Duration.ofDays(1)));
        awaitHeadWaits();
        nodes.get(0).add(step(2).queue("other"));
        awaitRan(2);
        database.text("SELECT howdah.add_ordered('other', 'step', '3', 'key')");
        awaitRan(2, 3);
        assertThatThrownBy(() -> NewJob.of(STEP, 1).orderKey("")).hasMessageContaining("1 to 200 characters");
        assertThatThrownBy(() -> database.text("SELECT howdah.add_ordered('other', 'step', '3', '')"))
                .hasMessageContaining("1 to 200 characters");
    }

    /** Adds so many jobs for each key; the number of a job is that of its key times 10,000 and its place. */
    private void addInOrder(int keys, int from, int to) {
        List<NewJob<Integer>> jobs = new ArrayList<>();
        for (int place = from; place < to; place++)
            for (int key = 0; key < keys; key++)
                jobs.add(NewJob.of(STEP, key * 10_000 + place).orderKey("k" + key));
        nodes.get(0).addAll(jobs);
    }

    private void assertInOrder(int keys, int jobs) {
        for (int key = 0; key < keys; key++) {
            int of = key;
            assertThat(List.copyOf(ran).stream().filter(number -> number / 10_000 == of))
                    .as("key %s", key)
                    .containsExactlyElementsOf(IntStream.range(of * 10_000, of * 10_000 + jobs)
                            .boxed()
                            .toList());
        }
    }

    @Test
    void shortJobsOfManyKeys_shareBatches_andRunInOrder() {
        for (int i = 0; i < 2; i++) node();
        addInOrder(20, 0, 100);
        JobsDatabase.awaiting("all are done").until(() -> database.ended("d") == 2_000);
        assertInOrder(20, 100);
        assertThat(database.timesDone()).containsExactly("1");
        assertThat(database.number("SELECT max(jobs) FROM howdah_internal.batch WHERE NOT alone"))
                .as("jobs that shared a batch")
                .isGreaterThan(1);
        JobsDatabase.awaiting("nothing is left behind")
                .until(() -> database.number(
                                "SELECT (SELECT count(*) FROM howdah_internal.ordered) + (SELECT count(*) FROM howdah_internal.order_key)")
                        == 0);
    }

    @Test
    void longJobInASharedBatch_holdsUpItsOwnKeyOnly() {
        CountDownLatch go = new CountDownLatch(1);
        node((number, job) -> {
            if (number == 50) go.await();
            ran.add(number);
        });
        addInOrder(20, 0, 50);
        JobsDatabase.awaiting("short jobs are done").until(() -> ran.size() == 1_000);
        addInOrder(20, 50, 100);
        JobsDatabase.awaiting("the jobs of the other keys are done").until(() -> ran.size() == 1_950);
        go.countDown();
        JobsDatabase.awaiting("all are done").until(() -> database.ended("d") == 2_000);
        assertInOrder(20, 100);
    }

    @Test
    void pausedQueue_takesNoNextJobs() {
        CountDownLatch go = new CountDownLatch(1);
        // With fewer threads than keys, those that are ahead could keep the others from getting there.
        node(
                (number, job) -> {
                    if (number % 10_000 >= 100) go.await();
                    ran.add(number);
                },
                20);
        addInOrder(20, 0, 200);
        JobsDatabase.awaiting("the first half is done").until(() -> ran.size() == 2_000);
        database.execute("SELECT howdah.pause('default')");
        go.countDown();
        JobsDatabase.awaiting("nothing runs")
                .until(() -> database.number("SELECT count(*) FROM howdah_internal.batch WHERE ended IS NULL") == 0);
        assertThat(ran).as("one of each key may have run").hasSizeBetween(2_000, 2_020);
        database.execute("SELECT howdah.resume('default')");
        JobsDatabase.awaiting("all are done").until(() -> database.ended("d") == 4_000);
        assertInOrder(20, 200);
    }

    @Test
    void nodeIsClosedMeanwhile_theRestRunsInOrder() {
        for (int i = 0; i < 2; i++) node();
        addInOrder(20, 0, 200);
        JobsDatabase.awaiting("short jobs are done").until(() -> ran.size() >= 200);
        nodes.remove(1).close();
        JobsDatabase.awaiting("all are done").until(() -> database.ended("d") == 4_000);
        assertInOrder(20, 200);
        assertThat(database.timesDone()).containsExactly("1");
    }
}
