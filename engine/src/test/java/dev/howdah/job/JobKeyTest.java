package dev.howdah.job;

import static dev.howdah.job.JobsDatabase.awaitValue;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.job.internal.maintain.HistoryCleaner;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.sql.Savepoint;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Jobs with keys, and their versions. */
@PostgresTest
class JobKeyTest {
    private static final Kind<Integer> INDEX = Kind.of("index", Integer.class);
    private static final Kind<Integer> FLAKY = Kind.of("flaky", Integer.class);
    private static final Kind<Integer> OTHER = Kind.of("other", Integer.class);

    private static NewJob<Integer> document(int version) {
        return NewJob.of(INDEX, version).key("doc").version(Instant.ofEpochSecond(version));
    }

    /** A node whose handler of INDEX goes on when it is let, and says what it did. */
    private static final class Indexing implements AutoCloseable {
        final Semaphore begun = new Semaphore(0);
        final Semaphore go = new Semaphore(0);
        final List<Integer> indexed = Collections.synchronizedList(new ArrayList<>());
        final AtomicInteger others = new AtomicInteger();
        final Jobs jobs;

        Indexing(TestDatabase database) {
            jobs = Jobs.on(JobsDatabase.dataSource(database))
                    .handle(INDEX, (version, job) -> {
                        begun.release();
                        go.acquire();
                        indexed.add(version);
                    })
                    .handle(OTHER, (n, job) -> others.incrementAndGet())
                    .defaultRetries(RetryPolicy.after(Duration.ofHours(1)))
                    .handle(FLAKY, (version, job) -> {
                        begun.release();
                        go.acquire();
                        throw new IllegalStateException("no luck with " + version);
                    })
                    .start();
        }

        void awaitBegun() throws InterruptedException {
            assertThat(begun.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
        }

        void awaitIndexed(Integer... versions) {
            await().atMost(JobsDatabase.PATIENCE)
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> indexed.equals(List.of(versions)));
        }

        @Override
        public void close() {
            go.release(1000);
            jobs.close();
        }
    }

    @Test
    void add_keyOfJobThatWaits_changesNothingAndSaysSo(TestDatabase database) {
        try (Jobs jobs = Jobs.on(JobsDatabase.dataSource(database)).start()) {
            AddResult first = jobs.add(NewJob.of(OTHER, 1).key("a"));
            assertThat(first.added()).isTrue();
            assertThat(jobs.add(NewJob.of(OTHER, 2).key("a"))).isEqualTo(new AddResult(first.id(), false));
            assertThat(jobs.add(NewJob.of(OTHER, 3).key("a")).id()).isEqualTo(first.id());
            assertThat(jobs.addAll(
                            List.of(NewJob.of(OTHER, 4), NewJob.of(OTHER, 5).key("a"), NewJob.of(OTHER, 6))))
                    .hasSize(3)
                    .contains(first.id());
            assertThat(database.query("SELECT * FROM howdah.add('default', 'other', '7', key => 'a')"))
                    .containsExactly(List.of(String.valueOf(first.id()), "f"));
            // Another kind, another queue, another key.
            for (String other : List.of("'default', 'index', '8', key => 'a'", "'q', 'other', '8', key => 'a'"))
                assertThat(database.value("SELECT added FROM howdah.add(" + other + ")"))
                        .isEqualTo("t");
            assertThat(jobs.add(NewJob.of(OTHER, 8).key("A")).added()).isTrue();
            assertThat(database.value("SELECT string_agg(payload::text, ' ' ORDER BY id) FROM howdah_internal.job"))
                    .isEqualTo("1 4 6 8 8 8");
        }
    }

    @Test
    void add_keyOfJobThatRuns_isRefusedUntilItHasEnded(TestDatabase database) throws Exception {
        try (Indexing node = new Indexing(database)) {
            NewJob<Integer> job = NewJob.of(INDEX, 1).key("doc");
            AddResult first = node.jobs.add(job);
            node.awaitBegun();
            assertThat(node.jobs.add(job)).isEqualTo(new AddResult(first.id(), false));
            node.go.release();
            awaitValue(database, "SELECT count(*) FROM howdah_internal.key", "0");
            AddResult second = node.jobs.add(job);
            assertThat(second.added()).isTrue();
            assertThat(second.id()).isGreaterThan(first.id());
            node.go.release();
            node.awaitIndexed(1, 1);
        }
    }

    @Test
    void newerVersion_ofJobThatWaits_takesItsPlace(TestDatabase database) {
        try (Jobs jobs = Jobs.on(JobsDatabase.dataSource(database)).start()) {
            AddResult first = jobs.add(document(1).delay(Duration.ofHours(1)));
            assertThat(jobs.add(document(2).priority(7))).isEqualTo(first);
            assertThat(jobs.add(document(2))).isEqualTo(new AddResult(first.id(), false));
            assertThat(jobs.add(document(1))).isEqualTo(new AddResult(first.id(), false));
            assertThat(database.query("SELECT payload, priority, attempt, run_at <= now() FROM howdah_internal.job"))
                    .containsExactly(List.of("2", "7", "0", "t"));
        }
    }

    @Test
    void newerVersion_ofLargeJobThatWaits_leavesNoBodyBehind(TestDatabase database) {
        JobsDatabase.in(database);
        for (String payload : List.of("repeat('x', 9000)", "repeat('y', 9001)", "'z'"))
            database.execute("SELECT howdah.add('q', 'k', to_json(" + payload
                    + "::text), key => 'a', version => clock_timestamp())");
        assertThat(database.query(
                        "SELECT payload::text, (SELECT count(*) FROM howdah_internal.body) FROM howdah_internal.job"))
                .containsExactly(List.of("\"z\"", "0"));
    }

    @Test
    void newerVersion_ofJobThatRuns_runsOnceMoreWhenThatHasEnded(TestDatabase database) throws Exception {
        try (Indexing node = new Indexing(database)) {
            AddResult first = node.jobs.add(document(1));
            node.awaitBegun();
            AddResult second = node.jobs.add(document(2));
            assertThat(second.added()).isTrue();
            assertThat(second.id()).isNotEqualTo(first.id());
            assertThat(node.jobs.add(document(3))).isEqualTo(second);
            assertThat(node.jobs.add(document(3))).isEqualTo(new AddResult(second.id(), false));
            assertThat(node.begun.availablePermits()).isZero();
            node.go.release();
            node.awaitBegun();
            assertThat(node.indexed).containsExactly(1);
            node.go.release();
            node.awaitIndexed(1, 3);
            awaitValue(database, "SELECT (SELECT ended IS NOT NULL AND next IS NULL FROM howdah_internal.key)", "t");
            assertThat(node.jobs.add(document(3))).isEqualTo(new AddResult(second.id(), false));
            assertThat(node.jobs.add(document(2))).isEqualTo(new AddResult(second.id(), false));
            assertThat(node.jobs.add(document(4)).added()).isTrue();
            node.go.release();
            node.awaitIndexed(1, 3, 4);
        }
    }

    @Test
    void newerVersion_ofJobWhoseAttemptFails_takesThePlaceOfTheRetry(TestDatabase database) throws Exception {
        try (Indexing node = new Indexing(database)) {
            NewJob<Integer> job = NewJob.of(FLAKY, 1).key("doc").version(Instant.EPOCH);
            node.jobs.add(job);
            node.awaitBegun();
            AddResult second = node.jobs.add(NewJob.of(FLAKY, 2).key("doc").version(Instant.ofEpochSecond(2)));
            node.go.release();
            node.awaitBegun();
            awaitValue(database, "SELECT (SELECT error FROM howdah_internal.failed)", "a newer version took its place");
            node.go.release();
            awaitValue(
                    database,
                    "SELECT (SELECT id || ': ' || (more ->> 'error') || ', ' || attempt FROM howdah_internal.job)",
                    second.id() + ": java.lang.IllegalStateException: no luck with 2, 1");
            // It waits for its next attempt now: a newer one is due at once, as if it had never been tried.
            assertThat(node.jobs.add(NewJob.of(FLAKY, 3).key("doc").version(Instant.ofEpochSecond(3))))
                    .isEqualTo(second);
            node.awaitBegun();
        }
    }

    @Test
    void addThatIsHeldOpen_whileTheJobEnds_holdsUpNobody(TestDatabase database) throws Exception {
        try (Indexing node = new Indexing(database);
                Connection connection = database.connect()) {
            for (boolean commit : new boolean[] {false, true}) {
                node.indexed.clear();
                int version = commit ? 3 : 1;
                node.jobs.add(document(version));
                node.awaitBegun();
                connection.setAutoCommit(false);
                node.jobs.add(connection, document(version + 1));
                node.go.release();
                awaitValue(database, "SELECT count(*) FROM howdah_internal.key_late", "1");
                int before = node.others.get();
                for (int i = 0; i < 10; i++) node.jobs.add(NewJob.of(OTHER, i));
                await().atMost(JobsDatabase.PATIENCE).until(() -> node.others.get() == before + 10);
                if (commit) connection.commit();
                else connection.rollback();
                connection.setAutoCommit(true);
                if (commit) {
                    node.awaitBegun();
                    node.go.release();
                    node.awaitIndexed(3, 4);
                } else {
                    awaitValue(database, "SELECT count(*) FROM howdah_internal.key_late", "0");
                    assertThat(database.value("SELECT ended IS NOT NULL FROM howdah_internal.key"))
                            .isEqualTo("t");
                    assertThat(node.indexed).containsExactly(1);
                }
            }
        }
    }

    @Test
    void add_keyWhoseEndIsStillToBeNoted_isAdded(TestDatabase database) throws Exception {
        try (Indexing node = new Indexing(database);
                Connection connection = database.connect()) {
            NewJob<Integer> job = NewJob.of(INDEX, 1).key("doc");
            node.jobs.add(job);
            node.awaitBegun();
            connection.setAutoCommit(false);
            connection.createStatement().execute("SELECT FROM howdah_internal.key FOR UPDATE");
            node.go.release();
            awaitValue(database, "SELECT count(*) FROM howdah_internal.key_late", "1");
            connection.commit();
            assertThat(node.jobs.add(job).added()).isTrue();
            node.go.release();
            node.awaitIndexed(1, 1);
        }
    }

    @Test
    void job_inItsOwnTransaction_freesItsKeyWithIt(TestDatabase database) {
        AtomicInteger runs = new AtomicInteger();
        try (Jobs jobs = Jobs.on(JobsDatabase.dataSource(database))
                .handleInTransaction(INDEX, (n, job, connection) -> runs.incrementAndGet())
                .start()) {
            for (int i = 0; i < 3; i++) {
                jobs.add(NewJob.of(INDEX, i).key("doc"));
                awaitValue(database, "SELECT count(*) FROM howdah_internal.key", "0");
            }
            assertThat(runs).hasValue(3);
        }
    }

    /**
     * Many add versions of two keys, commit or roll back, wholly or to a savepoint, while a node works on them: never two at
     * once, never an older after a newer one, and the newest that was committed is run last.
     */
    @Test
    void versions_addedByManyWhileJobsRun_theNewestIsRunLast(TestDatabase database) throws Exception {
        long seed = Long.getLong("howdah.fuzz.seed", 1);
        AtomicLong clock = new AtomicLong();
        AtomicLong[] newest = {new AtomicLong(), new AtomicLong()};
        AtomicLong[] last = {new AtomicLong(), new AtomicLong()};
        AtomicInteger[] running = {new AtomicInteger(), new AtomicInteger()};
        List<String> wrong = Collections.synchronizedList(new ArrayList<>());
        Kind<Integer> kind = Kind.of("race", Integer.class);
        ExecutorService threads = Executors.newFixedThreadPool(6);
        try (Jobs jobs = Jobs.on(JobsDatabase.dataSource(database))
                .handle(kind, (payload, job) -> {
                    int key = payload % 2;
                    if (running[key].incrementAndGet() > 1) wrong.add("two at once");
                    long before = last[key].getAndSet(payload);
                    if (before >= payload) wrong.add(payload + " after " + before);
                    if (payload % 3 == 0) Thread.onSpinWait();
                    running[key].decrementAndGet();
                })
                .start()) {
            List<Future<?>> all = new ArrayList<>();
            for (int t = 0; t < 6; t++) {
                Random random = new Random(seed + t);
                all.add(threads.submit(() -> {
                    try (Connection connection = database.connect()) {
                        connection.setAutoCommit(false);
                        for (int i = 0; i < 120; i++) {
                            int version = (int) clock.incrementAndGet() * 2 + random.nextInt(2);
                            NewJob<Integer> job = NewJob.of(kind, version)
                                    .key("k" + version % 2)
                                    .version(Instant.ofEpochSecond(version));
                            Savepoint savepoint = connection.setSavepoint();
                            jobs.add(connection, job);
                            int end = random.nextInt(5);
                            if (end == 0) connection.rollback(savepoint);
                            if (end == 1) connection.rollback();
                            else connection.commit();
                            if (end > 1) newest[version % 2].accumulateAndGet(version, Math::max);
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> each : all) each.get(60, TimeUnit.SECONDS);
            awaitValue(database, "SELECT count(*) FROM howdah_internal.key WHERE ended IS NULL", "0");
            assertThat(wrong).as("seed %s", seed).isEmpty();
            for (int key = 0; key < 2; key++)
                assertThat(last[key].get()).as("key %s, seed %s", key, seed).isEqualTo(newest[key].get());
            // Notes of keys that somebody had locked are removed when nodes look for them.
            awaitValue(
                    database,
                    "SELECT (SELECT count(*) FROM howdah_internal.job) + (SELECT count(*) FROM howdah_internal.follower)"
                            + " + (SELECT count(*) FROM howdah_internal.key_late)",
                    "0");
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void versions_afterTheirTime_areForgotten(TestDatabase database) throws Exception {
        JobsDatabase.in(database);
        database.execute("SELECT howdah.add('q', 'k', key => k, version => now()) FROM unnest(ARRAY['a', 'b', 'c']) k");
        database.execute("UPDATE howdah_internal.key SET ended = now() - interval '30 days 1 hour' WHERE key = 'a'");
        database.execute("UPDATE howdah_internal.key SET ended = now() - interval '29 days 23 hours' WHERE key = 'b'");
        new HistoryCleaner(ConnectionSource.of(JobsDatabase.dataSource(database)), 7, 30).tidy();
        assertThat(database.value("SELECT string_agg(key, ' ' ORDER BY key) FROM howdah_internal.key"))
                .isEqualTo("b c");
    }
}
