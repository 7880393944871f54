package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Jobs of a log queue that have order keys. */
@PostgresTest
@Tag("long")
class LogOrderTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);
    private static final int KEYS = 7;

    private final JobsDatabase database;

    LogOrderTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    @BeforeEach
    void make() {
        try (Jobs jobs = database.jobs().start()) {
            jobs.admin().logQueues().create("events", Duration.ZERO);
        }
    }

    /** Each tenth has no key, and a large payload is among them. */
    private List<Long> add(int jobs) {
        List<NewJob<?>> all = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            NewJob<Integer> job = NewJob.of(WORK, i).queue("events");
            all.add(i % 10 == 9 ? job : job.orderKey("key \"" + i % KEYS));
        }
        try (Jobs adding = database.jobs().start()) {
            return adding.addAll(all);
        }
    }

    @Test
    void jobs_withOrderKeys_runOneAfterTheOtherForEachReader() {
        database.execute("SELECT howdah.add_reader('events', 'second')");
        add(300);
        database.execute("SELECT howdah.add_ordered('events', 'work', to_json(i), 'key \"' || i % 7)"
                + " FROM generate_series(300, 399) i WHERE i % 10 <> 9");
        Map<String, Queue<Integer>> ran = new ConcurrentHashMap<>();
        Map<String, Integer> running = new ConcurrentHashMap<>();
        Queue<String> together = new ConcurrentLinkedQueue<>();
        Set<String> failedOnce = ConcurrentHashMap.newKeySet();
        try (Jobs node = database.jobs()
                .queues("events", "events/second")
                .concurrency(8)
                .defaultRetries(RetryPolicy.after(Duration.ofMillis(10)))
                .handle(WORK, (number, job) -> {
                    if (number % 10 == 9) {
                        ran.computeIfAbsent(job.queue() + " none", key -> new ConcurrentLinkedQueue<>())
                                .add(number);
                        return;
                    }
                    String key = job.queue() + " " + number % KEYS;
                    Integer other = running.putIfAbsent(key, number);
                    if (other != null) together.add(key + ": " + other + " and " + number);
                    try {
                        if (number % 50 == 0 && failedOnce.add(job.queue() + number))
                            throw new IllegalStateException("once");
                        ran.computeIfAbsent(key, each -> new ConcurrentLinkedQueue<>())
                                .add(number);
                    } finally {
                        running.remove(key, number);
                    }
                })
                .start()) {
            JobsDatabase.awaiting("all have run for both readers")
                    .until(() -> ran.values().stream().mapToInt(Queue::size).sum() == 2 * 390);
            assertThat(node.node()).isPositive();
        }
        assertThat(together).isEmpty();
        assertThat(ran).hasSize(2 * (KEYS + 1));
        ran.forEach((key, numbers) -> {
            if (key.endsWith("none")) assertThat(numbers).hasSize(30);
            else assertThat(new ArrayList<>(numbers)).as(key).isSorted();
        });
        assertThat(database.waiting()).isZero();
        assertThat(database.number("SELECT count(*) FROM howdah_internal.ordered"))
                .isZero();
    }

    @Test // who may add may call what adds, with anything
    void keys_thatNoJobCanHave_areLeftOut() {
        for (String key : List.of("7", "\"\"", "null", "{}", "\"" + "k".repeat(201) + "\""))
            database.execute(
                    "SELECT howdah_internal.log_put((SELECT q.lane FROM howdah_internal.log_queue q), 'work', ARRAY['1'],"
                            + " '{\"ordered\": " + key + "}')");
        Queue<Long> ran = new ConcurrentLinkedQueue<>();
        try (Jobs node = database.jobs()
                .queues("events")
                .handle(WORK, (number, job) -> ran.add(job.id()))
                .start()) {
            JobsDatabase.awaiting("all have run").until(() -> ran.size() == 5);
            assertThat(node.node()).isPositive();
        }
    }

    @Test // what a dead node had: its range without those that were set apart
    void leaseOfDeadNode_hasNoJobsWithOrderKeys() {
        List<Long> ids = add(20);
        String lane = "(SELECT q.lane FROM howdah_internal.log_queue q)";
        assertThat(database.text(
                        "SELECT string_agg(c.job::text, ' ' ORDER BY c.job) FROM howdah_internal.log_claim(77, 5, "
                                + lane + ", 100, '{}') c WHERE c.job IS NOT NULL"))
                .isEqualTo(ids.get(9) + " " + ids.get(19));
        assertThat(database.number("SELECT count(*) FROM howdah_internal.ordered"))
                .isEqualTo(18);
        database.execute("SELECT howdah_internal.log_unpack_all(77, 10)");
        assertThat(database.text("SELECT b.ids::text FROM howdah_internal.batch b WHERE b.node = 77"))
                .isEqualTo("{" + ids.get(9) + "," + ids.get(19) + "}");
    }
}
