package dev.howdah.job.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TcpProxy;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsException;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.query.JobState;
import dev.howdah.spi.Metrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Jobs in four databases, that one program works. */
@PostgresTest
@Tag("long")
class ShardedJobsTest {
    private static final Kind<String> MAIL = Kind.of("mail", String.class);
    private static final List<String> NAMES = List.of("a", "b", "c", "d");

    private final Map<String, TestDatabase> databases = new TreeMap<>();
    private final Queue<String> worked = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void create() {
        for (String name : NAMES) {
            TestDatabase database = TestDatabase.create();
            // Four databases without tables may take longer than a program waits for the first of them.
            database.fill(
                    "jobs",
                    made -> Jobs.on(source(made.server().port(), made.name()))
                            .start()
                            .close());
            databases.put(name, database);
        }
    }

    @AfterEach
    void drop() {
        databases.values().forEach(TestDatabase::close);
    }

    private static PGSimpleDataSource source(int port, String database) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL("jdbc:postgresql://127.0.0.1:" + port + "/" + database + "?user=postgres");
        return source;
    }

    private TestDatabase database(String name) {
        return Objects.requireNonNull(databases.get(name));
    }

    private DataSource source(String name) {
        TestDatabase database = database(name);
        return source(database.server().port(), database.name());
    }

    private Map<String, DataSource> sources(String... names) {
        Map<String, DataSource> sources = new HashMap<>();
        for (String name : names) sources.put(name, source(name));
        return sources;
    }

    private ShardedJobsBuilder builder() {
        return working(Jobs.on(sources("a", "b", "c", "d")));
    }

    private ShardedJobsBuilder working(ShardedJobsBuilder builder) {
        return builder.configure(shard -> shard.concurrency(3)
                .shutdownTimeout(Duration.ofSeconds(5))
                .handle(MAIL, (payload, job) -> worked.add(payload)));
    }

    private static ConditionFactory awaiting(String what) {
        return await(what).atMost(Patience.LIMIT).pollInterval(Duration.ofMillis(10));
    }

    private static List<String> keys(int count) {
        return IntStream.range(0, count).mapToObj(i -> "customer-" + i).toList();
    }

    /** A key that belongs to that shard. */
    private static String keyOf(ShardedJobs jobs, String shard) {
        return keys(1_000).stream()
                .filter(key -> jobs.shardOf(key).equals(shard))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void jobs_ofFourDatabases_areEachWorkedOnceFromWhereTheirKeyBelongs() {
        List<String> keys = keys(400);
        Map<String, ShardJobId> ids = new HashMap<>();
        try (ShardedJobs jobs = builder().start()) {
            assertThat(jobs.shards()).containsExactly("a", "b", "c", "d");
            assertThat(jobs.notReached()).isEmpty();
            for (String key : keys) ids.put(key, jobs.add(key, MAIL, key));
            awaiting("all are worked").until(worked::size, size -> size >= keys.size());
            for (String key : keys.subList(0, 20)) {
                ShardJobId id = Objects.requireNonNull(ids.get(key));
                assertThat(id.shard()).isEqualTo(jobs.shardOf(key));
                awaiting("job " + id + " is done")
                        .until(() -> jobs.find(id).orElseThrow().state(), JobState.DONE::equals);
            }
        }
        assertThat(worked).containsExactlyInAnyOrderElementsOf(keys);
        Map<String, Long> counts =
                ids.values().stream().collect(Collectors.groupingBy(ShardJobId::shard, Collectors.counting()));
        assertThat(counts).hasSize(4);
        String done = "SELECT count(*) FROM howdah.taken WHERE letter = 'd'";
        counts.forEach((name, count) -> assertThat(database(name).value(done))
                .as("jobs of shard " + name)
                .isEqualTo(count.toString()));
        // Each database has its own sequence.
        assertThat(ids.values().stream().map(ShardJobId::id).distinct().count()).isLessThan(keys.size());
    }

    @Test // any program in any language can add to the right database
    void shardOf_computedBySql_isTheSame() {
        try (ShardedJobs jobs = Jobs.on(sources("a", "b", "c", "d")).start()) {
            for (String key : List.of("customer-7", "Größe", "a/b", "'; --", "x".repeat(400)))
                assertThat(database("a")
                                .value("SELECT shard FROM unnest(ARRAY['a', 'b', 'c', 'd']) AS shard ORDER BY"
                                        + " sha256(convert_to(shard || '/' || '" + key.replace("'", "''")
                                        + "', 'UTF8')) DESC LIMIT 1"))
                        .isEqualTo(jobs.shardOf(key));
        }
    }

    @Test
    void uniqueKey_ofTheSameShardKey_isHeldOnceAmongAllDatabases() throws Exception {
        try (ShardedJobs jobs = Jobs.on(sources("a", "b", "c", "d")).start()) {
            for (String key : keys(12)) {
                NewJob<String> job = NewJob.of(MAIL, "x").key(key);
                ShardAddResult first = jobs.add(key, job);
                assertThat(first.added()).isTrue();
                assertThat(jobs.add(key, job)).isEqualTo(new ShardAddResult(first.id(), false));
            }
            try (ShardedJobs workers = builder().start()) {
                String key = keyOf(workers, "c");
                ShardJobId id = workers.add(key, MAIL, "waited for");
                assertThat(workers.await(id, Duration.ofSeconds(60)).state()).isEqualTo(JobState.DONE);
            }
        }
    }

    @Test // the path to one database is cut while the program runs, and comes back
    void database_thatCannotBeReached_stopsNoOtherOneAndLosesNothing() {
        TestDatabase far = database("b");
        try (TcpProxy proxy = TcpProxy.to("127.0.0.1", far.server().port())) {
            Map<String, DataSource> sources = sources("a", "c", "d");
            sources.put("b", source(proxy.port(), far.name()));
            List<String> keys = keys(200);
            try (ShardedJobs jobs = working(Jobs.on(sources)).start()) {
                String down = keyOf(jobs, "b");
                ShardJobId before = jobs.add(down, MAIL, "before");
                awaiting("the first is done")
                        .until(() -> jobs.find(before).orElseThrow().state(), JobState.DONE::equals);
                proxy.refuse();
                proxy.cut();
                List<String> added = new ArrayList<>();
                for (String key : keys) {
                    if (!jobs.shardOf(key).equals("b")) {
                        jobs.add(key, MAIL, key);
                        added.add(key);
                    }
                }
                assertThatThrownBy(() -> jobs.add(down, MAIL, "refused"))
                        .isInstanceOf(JobsException.class)
                        .hasMessageStartingWith("shard b: ");
                awaiting("those of the others are worked").until(worked::size, size -> size == 1 + added.size());
                // Another program adds to it meanwhile.
                try (ShardedJobs other = Jobs.on(sources("a", "b", "c", "d")).start()) {
                    other.add(down, MAIL, "meanwhile");
                }
                proxy.accept();
                awaiting("it is worked again").until(() -> worked.contains("meanwhile"));
                jobs.add(down, MAIL, "after");
                awaiting("the last is worked").until(() -> worked.contains("after"));
                assertThat(worked).doesNotHaveDuplicates().hasSize(3 + added.size());
            }
        }
    }

    @Test // one database is not there yet when the program starts
    void start_withoutOneDatabase_beginsWithTheOthersAndGetsItLater() {
        String missing = database("d").name();
        database("d").close();
        try (ShardedJobs jobs = builder().start()) {
            assertThat(jobs.notReached()).containsExactly("d");
            jobs.add(keyOf(jobs, "a"), MAIL, "to a");
            awaiting("it is worked").until(() -> worked.contains("to a"));
            String key = keyOf(jobs, "d");
            assertThatThrownBy(() -> jobs.add(key, MAIL, "to d"))
                    .isInstanceOf(JobsException.class)
                    .hasMessageStartingWith("shard d has not been reached since the start: ")
                    .hasMessageContaining("does not exist");
            assertThat(jobs.shardOf(key)).isEqualTo("d");
            database("a").execute("CREATE DATABASE " + missing);
            awaiting("it is reached").until(jobs::notReached, Set::isEmpty);
            jobs.add(key, MAIL, "to d");
            awaiting("it is worked").until(() -> worked.contains("to d"));
        } finally {
            awaiting("no session is left").untilAsserted(() -> database("a").execute("DROP DATABASE " + missing));
        }
    }

    @Tag("long") // a start waits ten seconds for it
    @Test // a server that takes connections and never answers
    void start_withAFrozenServer_beginsWithTheOthers() {
        try (TcpProxy proxy = TcpProxy.to("127.0.0.1", database("b").server().port())) {
            proxy.freeze();
            Map<String, DataSource> sources = sources("a");
            sources.put("b", source(proxy.port(), database("b").name()));
            try (ShardedJobs jobs = working(Jobs.on(sources)).start()) {
                assertThat(jobs.notReached()).containsExactly("b");
                jobs.add(keyOf(jobs, "a"), MAIL, "x");
                awaiting("it is worked").until(() -> worked.contains("x"));
                proxy.thaw();
                awaiting("it is reached").until(jobs::notReached, Set::isEmpty);
            }
        }
    }

    @Test
    void start_withNoDatabaseAtAll_saysWhy() {
        Map<String, DataSource> sources = new HashMap<>();
        for (String name : List.of("nowhere-1", "nowhere-2"))
            sources.put(name, source(database("a").server().port(), "no_" + name));
        assertThatThrownBy(() -> Jobs.on(sources).start())
                .isInstanceOf(JobsException.class)
                .hasMessageStartingWith("shard nowhere-1: ")
                .hasMessageContaining("\"no_nowhere-1\" does not exist");
        awaiting("its threads have ended")
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(each -> each.getName().startsWith("howdah-shard-nowhere")));
    }

    @Test // first only worked, then keys belong to it; no job is lost or done twice
    void shard_thatIsAdded_isDrainedBeforeKeysGoThere() {
        List<String> keys = keys(100);
        try (ShardedJobs three = Jobs.on(sources("a", "b", "c")).start()) {
            for (String key : keys) three.add(key, MAIL, "before " + key);
            try (ShardedJobs workers = builder().drain("d").start()) {
                for (String key : keys) {
                    assertThat(workers.shardOf(key)).isEqualTo(three.shardOf(key));
                    workers.add(key, MAIL, "between " + key);
                }
                try (ShardedJobs four = Jobs.on(sources("a", "b", "c", "d")).start()) {
                    long moved = keys.stream()
                            .filter(key -> !four.shardOf(key).equals(three.shardOf(key)))
                            .peek(key -> assertThat(four.shardOf(key)).isEqualTo("d"))
                            .count();
                    assertThat(moved).isBetween(10L, 45L);
                    for (String key : keys) four.add(key, MAIL, "after " + key);
                }
                awaiting("all are worked").until(worked::size, size -> size == 3 * keys.size());
            }
        }
        assertThat(worked).doesNotHaveDuplicates().hasSize(3 * keys.size());
    }

    @Test // a handler of one database that never ends takes no place of another one
    void concurrency_isThatOfEachDatabase() throws Exception {
        AtomicInteger running = new AtomicInteger();
        CountDownLatch over = new CountDownLatch(1);
        ShardedJobsBuilder builder = Jobs.on(sources("a", "b"))
                .configure((name, shard) -> shard.concurrency(2).handle(MAIL, (payload, job) -> {
                    running.incrementAndGet();
                    if (payload.equals("slow")) over.await();
                    worked.add(name + " " + payload);
                }));
        try (ShardedJobs jobs = builder.start()) {
            String slow = keyOf(jobs, "a");
            for (int i = 0; i < 5; i++) jobs.add(slow, MAIL, "slow");
            awaiting("two run").until(running::get, count -> count == 2);
            jobs.add(keyOf(jobs, "b"), MAIL, "quick");
            awaiting("the other one is worked").until(() -> worked.contains("b quick"));
            assertThat(running.get()).isEqualTo(3);
            over.countDown();
            awaiting("all are worked").until(worked::size, size -> size == 6);
        } finally {
            over.countDown();
        }
    }

    @Test // the grace of all passes at once, and then all are interrupted
    void close_withHandlersThatRun_waitsForAllAtOnce() throws Exception {
        CountDownLatch begun = new CountDownLatch(4);
        CountDownLatch interrupted = new CountDownLatch(4);
        ShardedJobs jobs = Jobs.on(sources("a", "b", "c", "d"))
                .configure(shard -> shard.shutdownTimeout(Duration.ofSeconds(1)).handle(MAIL, (payload, job) -> {
                    begun.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        interrupted.countDown();
                        // In one close after the other the first handler would wait in vain.
                        worked.add(interrupted.await(4, TimeUnit.SECONDS) ? "together" : "alone");
                        throw e;
                    }
                }))
                .start();
        for (String name : NAMES) jobs.add(keyOf(jobs, name), MAIL, "x");
        assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
        jobs.close();
        jobs.close();
        assertThat(worked).containsExactly("together", "together", "together", "together");
        for (String name : NAMES)
            assertThat(database(name).value("SELECT count(*) FROM howdah_internal.job"))
                    .as("given back by shard " + name)
                    .isEqualTo("1");
    }

    @Test
    void metrics_ofSeveralDatabases_haveTheShardAsLabel() {
        Set<String> shards = ConcurrentHashMap.newKeySet();
        Metrics metrics = new Metrics() {
            @Override
            public Counter counter(String name, String help, Map<String, String> labels) {
                shards.add(String.valueOf(labels.get("shard")));
                return count -> {};
            }

            @Override
            public Timer timer(String name, String help, Map<String, String> labels) {
                return nanos -> {};
            }

            @Override
            public Gauge gauge(String name, String help, Map<String, String> labels) {
                return value -> {};
            }
        };
        try (ShardedJobs jobs =
                working(Jobs.on(sources("a", "b"))).metrics(metrics).start()) {
            for (String name : jobs.shards()) jobs.add(keyOf(jobs, name), MAIL, name);
            awaiting("both are worked").until(worked::size, size -> size == 2);
        }
        assertThat(shards).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void settings_thatAreWrong_areRefused() {
        assertThatThrownBy(() -> Jobs.on(Map.of())).hasMessage("at least one database is needed, not none");
        DataSource source = source("a");
        assertThatThrownBy(() -> Jobs.on(Map.of("a/b", source))).hasMessageContaining("has no slash");
        assertThatThrownBy(() -> Jobs.on(Map.of("", source))).hasMessageContaining("a shard needs a name");
        assertThatThrownBy(() -> Jobs.on(new TreeMap<>(Map.of("a", source, "b", source))))
                .hasMessage("shards a and b have the same data source: each needs its own database");
        assertThatThrownBy(() -> Jobs.on(sources("a", "b")).drain("c")).hasMessage("there is no shard c but [a, b]");
        assertThatThrownBy(() -> Jobs.on(sources("a", "b")).drain("b").drain("a"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("all shards are drained, so that no key belongs to one: [a, b]");
        try (ShardedJobs jobs = Jobs.on(sources("a")).start()) {
            assertThatThrownBy(() -> jobs.shard("z")).hasMessage("there is no shard z but [a]");
            assertThatThrownBy(() -> jobs.find(new ShardJobId("z", 1))).hasMessage("there is no shard z but [a]");
        }
    }
}
