package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.unique.Unique;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Rules of uniqueness hold whatever sessions do at the same time, while nodes work. */
@PostgresTest
@Tag("long")
class JobUniqueRaceTest {
    private static final int THREADS = 6;
    private static final int ADDS = 60;
    private static final int BOUND = 5;
    private static final Map<String, Unique> RULES = Map.of(
            "plain", Unique.byKey("x"),
            "replace", Unique.byKey("x").replacing(),
            "waiting", Unique.byKey("x").whileWaiting(),
            "waitingReplace", Unique.byKey("x").whileWaiting().replacing(),
            "window", Unique.byKey("x").within(Duration.ofHours(1)),
            "append", Unique.byKey("x").appending(BOUND));

    /** What a job carries: the rule, the key, and numbers that no other add has. */
    record Load(String rule, String key, int number) {}

    private static final Kind<Load> WORK = Kind.of("work", Load.class);
    private static final Kind<Load[]> MANY = Kind.of("many", Load[].class);

    private final TestDatabase raw;
    private final JobsDatabase database;
    private final Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
    private final Set<String> wrong = ConcurrentHashMap.newKeySet();
    private final Set<Long> handled = ConcurrentHashMap.newKeySet();
    private final List<Integer> appended = Collections.synchronizedList(new ArrayList<>());
    private final Set<Long> committed = ConcurrentHashMap.newKeySet();
    private final List<Integer> appendedCommitted = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger numbers = new AtomicInteger();

    JobUniqueRaceTest(TestDatabase database) {
        this.raw = database;
        this.database = JobsDatabase.in(database);
    }

    private static Unique rule(String name, String key) {
        return switch (name) {
            case "plain" -> Unique.byKey(key);
            case "replace" -> Unique.byKey(key).replacing();
            case "waiting" -> Unique.byKey(key).whileWaiting();
            case "waitingReplace" -> Unique.byKey(key).whileWaiting().replacing();
            case "window" -> Unique.byKey(key).within(Duration.ofHours(1));
            default -> Unique.byKey(key).appending(BOUND);
        };
    }

    private void work(Load load, Job job) throws InterruptedException {
        handled.add(job.id());
        boolean alone = load.rule().equals("plain") || load.rule().equals("replace");
        AtomicInteger now = running.computeIfAbsent(load.key(), key -> new AtomicInteger());
        if (now.incrementAndGet() > 1 && alone) wrong.add("two of " + load.key() + " run");
        Thread.onSpinWait();
        now.decrementAndGet();
    }

    private void add(Random random, Jobs jobs) throws Exception {
        List<NewJob<?>> some = new ArrayList<>();
        List<Integer> elements = new ArrayList<>();
        List<String> names = RULES.keySet().stream().sorted().toList();
        // Alone, or several in one call: these are all of one rule, so that sessions lock keys in one order.
        String name = names.get(random.nextInt(names.size()));
        int size = random.nextInt(3) == 0 ? 1 + random.nextInt(5) : 1;
        for (int i = 0; i < size; i++) {
            String key = name + " " + random.nextInt(3);
            Load load = new Load(name, key, numbers.incrementAndGet());
            if (name.equals("append")) {
                elements.add(load.number());
                some.add(NewJob.of(MANY, new Load[] {load}).unique(rule(name, key)));
            } else {
                some.add(NewJob.of(WORK, load).unique(rule(name, key)));
            }
        }
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            List<AddResult> results =
                    size == 1 ? List.of(jobs.add(connection, some.get(0))) : jobs.addEach(connection, some);
            if (random.nextInt(4) == 0) Thread.yield();
            if (random.nextInt(5) == 0) {
                connection.rollback();
                return;
            }
            connection.commit();
            for (AddResult each : results) if (each.added()) committed.add(each.id());
            appendedCommitted.addAll(elements);
        }
    }

    private Callable<Void> adder(long seed, Jobs jobs) {
        return () -> {
            Random random = new Random(seed);
            for (int i = 0; i < ADDS; i++) add(random, jobs);
            return null;
        };
    }

    @Test
    void rules_racedByManySessions_hold() throws Exception {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (Jobs jobs = database.jobs()
                .handle(WORK, this::work)
                .handle(MANY, (loads, job) -> {
                    handled.add(job.id());
                    if (loads.length > BOUND) wrong.add(loads.length + " elements");
                    for (Load each : loads) appended.add(each.number());
                })
                .start()) {
            List<Future<Void>> adders = IntStream.range(0, THREADS)
                    .mapToObj(i -> threads.submit(adder(seed + i, jobs)))
                    .toList();
            while (adders.stream().anyMatch(each -> !each.isDone())) {
                if (database.number("SELECT COALESCE(max(n), 0) FROM (SELECT count(*) AS n FROM howdah_internal.job"
                                + " WHERE more ->> 'key' LIKE 'waiting%' GROUP BY more ->> 'key') w")
                        > 1) wrong.add("two of a key wait");
            }
            for (Future<Void> each : adders) each.get();
            database.awaitEmpty();
            JobsDatabase.awaiting("nothing follows")
                    .until(() -> String.valueOf(raw.value("SELECT count(*) FROM howdah_internal.follower"))
                            .equals("0"));
            database.awaitEmpty();
            // Windows are remembered, nothing else is.
            JobsDatabase.awaiting("keys are free")
                    .until(() -> database.number("SELECT count(*) FROM howdah_internal.key"
                                    + " WHERE key NOT LIKE 'window%' OR ended IS NULL")
                            == 0);
        } finally {
            threads.shutdown();
        }
        assertThat(wrong).as("seed %s", seed).isEmpty();
        assertThat(handled).as("seed %s", seed).containsAll(committed);
        assertThat(appended).as("seed %s", seed).containsExactlyInAnyOrderElementsOf(appendedCommitted);
        assertThat(database.timesDone()).containsExactly("1");
        assertThat(database.number("SELECT COALESCE(max(n), 0) FROM (SELECT count(*) AS n FROM howdah.taken"
                        + " WHERE key LIKE 'window%' AND letter = 'd' GROUP BY key) w"))
                .isLessThanOrEqualTo(1);
    }
}
