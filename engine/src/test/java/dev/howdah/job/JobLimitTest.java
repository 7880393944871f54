package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** So many jobs of a queue or a kind at a time, on all nodes together or on each. */
@PostgresTest
class JobLimitTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);
    private static final Kind<Integer> OTHER = Kind.of("other", Integer.class);

    private final JobsDatabase database;
    private final List<Jobs> nodes = new ArrayList<>();
    private final Semaphore go = new Semaphore(0);
    private final Map<String, Gauge> gauges = new ConcurrentHashMap<>();

    JobLimitTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    @AfterEach
    void stop() {
        go.release(10_000);
        nodes.forEach(Jobs::close);
    }

    /** How many run now, and have at the same time. */
    private static final class Gauge {
        private final AtomicInteger running = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();
    }

    private Gauge gauge(String name) {
        return gauges.computeIfAbsent(name, n -> new Gauge());
    }

    /** A node that works both kinds; each job waits until it may go on. */
    private Jobs start(UnaryOperator<JobsBuilder> with) {
        int number = nodes.size();
        Jobs node = with.apply(database.jobs()
                        .handle(WORK, (n, job) -> run(number, "work"))
                        .handle(OTHER, (n, job) -> run(number, "other")))
                .start();
        nodes.add(node);
        return node;
    }

    private void run(int node, String kind) throws InterruptedException {
        List<Gauge> mine = List.of(gauge(kind), gauge(kind + node), gauge("all"));
        for (Gauge each : mine) each.most.accumulateAndGet(each.running.incrementAndGet(), Math::max);
        try {
            go.acquire();
        } finally {
            for (Gauge each : mine) each.running.decrementAndGet();
        }
    }

    private void awaitRunning(String name, int jobs) {
        JobsDatabase.awaiting(jobs + " of " + name + " run")
                .until(() -> gauge(name).running.get() == jobs);
    }

    private void add(Kind<Integer> kind, int jobs) {
        nodes.get(0)
                .addAll(IntStream.range(0, jobs)
                        .mapToObj(i -> NewJob.of(kind, i))
                        .toList());
    }

    private void awaitDone(int jobs) {
        JobsDatabase.awaiting(jobs + " are done").until(() -> database.ended("d") == jobs);
    }

    @Test
    void limitOfAQueue_holdsOverAllNodes_andIsUsed() {
        database.execute("SELECT howdah.limit('default', 3)");
        for (int i = 0; i < 3; i++) start(node -> node);
        add(WORK, 60);
        awaitRunning("all", 3);
        go.release(10);
        awaitDone(10);
        awaitRunning("all", 3);
        nodes.get(1).admin().setLimit("default", 5);
        awaitRunning("all", 5);
        assertThat(gauge("all").most).hasValue(5);
        go.release(50);
        awaitDone(60);
        assertThat(gauge("all").most).hasValue(5);
        assertThat(database.timesDone()).containsExactly("1");
    }

    @Test // jobs of the kind are in the queue's lane when the limit comes, others of the queue go on
    void limitOfAKind_holdsOverAllNodes_andLeavesOtherKindsAlone() {
        database.execute("SELECT howdah.add('default', 'work', i::text) FROM generate_series(1, 20) i;"
                + " SELECT howdah.limit('default', 2, kind => 'work')");
        for (int i = 0; i < 2; i++) start(node -> node);
        add(WORK, 10);
        add(OTHER, 20);
        awaitRunning("other", 18);
        awaitRunning("work", 2);
        go.release(50);
        awaitDone(50);
        assertThat(gauge("work").most).hasValue(2);
        assertThat(database.number("SELECT count(*) FROM howdah.taken WHERE letter = 'd' AND attempt > 1"))
                .as("jobs that went to the lane of their kind and lost an attempt by that")
                .isZero();
    }

    @Test
    void limitsOfANode_holdOnEachNode() {
        database.execute("SELECT howdah.limit('default', 3, each_node => true)");
        for (int i = 0; i < 2; i++) start(node -> node.nodeLimit("default", "work", 2));
        add(WORK, 20);
        awaitRunning("work0", 2);
        awaitRunning("work1", 2);
        add(OTHER, 20);
        awaitRunning("all", 6);
        go.release(40);
        awaitDone(40);
        for (String node : List.of("0", "1"))
            assertThat(gauge("work" + node).most).hasValue(2);
        assertThat(gauge("all").most).hasValue(6);
    }

    @Test // it does not ask from time to time: who has ended a job tells it
    void node_thatWaitsForRoom_isWokenWhenSomebodyElseHasEndedAJob() {
        database.execute("SELECT howdah.limit('default', 1), howdah_internal.kind_lane('default', 'other')");
        Jobs first = database.jobs()
                .handle(WORK, (n, job) -> run(0, "work"))
                .nodeName("first")
                .start();
        nodes.add(first);
        nodes.add(
                database.jobs().handle(OTHER, (n, job) -> {}).nodeName("second").start());
        for (int round = 0; round < 5; round++) {
            long mine = first.add(WORK, round);
            awaitRunning("work", 1);
            long theirs = Long.parseLong(database.text("SELECT id FROM howdah.add('default', 'other', '1')"));
            JobsDatabase.awaiting("the second node waits for room")
                    .until(() -> database.number(
                                    "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
                                            + " WHERE d.datname = current_database() AND l.classid = 1215264885 AND l.granted")
                            > 0);
            go.release();
            database.awaitLetters(theirs, "d");
            assertThat(Double.parseDouble(database.text(
                            "SELECT extract(epoch FROM o.begun_at - w.ended_at) FROM howdah.taken w, howdah.taken o"
                                    + " WHERE w.letter = 'd' AND o.letter = 'd' AND w.id = " + mine + " AND o.id = "
                                    + theirs)))
                    .as("seconds from the end of one to the begin of the other: 5 when nothing wakes the node")
                    .isBetween(0.0, 4.5);
        }
    }

    @Test
    void limits_thatAreNone_areRefused() {
        Jobs jobs = start(node -> node);
        assertThatThrownBy(() -> database.execute("SELECT howdah.limit('default', 0)"))
                .hasMessageContaining(
                        "a limit of 0 for queue default: it has to be 1 or more, NULL takes the limit away");
        assertThatThrownBy(() -> database.execute("SELECT howdah.limit('default', 1, '')"))
                .hasMessageContaining("the name of a kind has 1 to 200 characters");
        assertThatThrownBy(() -> jobs.admin().setLimit("default", 0))
                .hasMessage("a limit of 0: it has to be 1 or more");
        assertThatThrownBy(() -> database.jobs().nodeLimit("default", "", 1))
                .isInstanceOf(IllegalArgumentException.class);
        jobs.admin().setLimit("default", 1);
        jobs.admin().setLimit("default", "work", 2);
        assertThat(database.rows("SELECT queue, kind, each_node, most FROM howdah_internal.queue_limit ORDER BY most"))
                .hasToString("[[default, null, f, 1], [default, work, f, 2]]");
        jobs.admin().removeLimit("default", "work");
        jobs.admin().removeLimit("default");
        assertThat(database.number("SELECT count(*) FROM howdah_internal.queue_limit"))
                .isZero();
    }
}
