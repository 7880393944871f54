package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.unique.Unique;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many jobs with keys at a time: as if each were added by itself. */
@Tag("long")
@PostgresTest
class JobKeyManyTest {
    private static final Kind<String> INDEX = Kind.of("index", String.class);
    private static final Kind<String> OTHER = Kind.of("other", String.class);

    private final JobsDatabase database;

    JobKeyManyTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private static NewJob<String> keyed(int number) {
        return NewJob.of(INDEX, "payload " + number).key("key " + number);
    }

    private static List<NewJob<String>> keyed(int from, int to) {
        return IntStream.range(from, to).mapToObj(JobKeyManyTest::keyed).toList();
    }

    @Test
    void addEach_keysThatAreNewAndKeysThatAreHeld_saysWhichAreAdded() {
        try (Jobs jobs = database.jobs().start()) {
            long held = jobs.add(keyed(2)).id();
            List<AddResult> results =
                    jobs.addEach(List.of(keyed(1), keyed(2), NewJob.of(INDEX, "without"), keyed(1), keyed(3)));
            assertThat(results.stream().map(AddResult::added)).containsExactly(true, false, true, false, true);
            assertThat(results.get(1).id()).isEqualTo(held);
            assertThat(results.get(3).id()).isEqualTo(results.get(0).id());
            assertThat(jobs.addAll(List.of(keyed(3), keyed(4), keyed(1))))
                    .startsWith(results.get(4).id())
                    .endsWith(results.get(0).id());
            assertThat(database.rows("SELECT payload #>> '{}' FROM howdah_internal.job ORDER BY id"))
                    .containsExactly(
                            List.of("payload 2"),
                            List.of("payload 1"),
                            List.of("without"),
                            List.of("payload 3"),
                            List.of("payload 4"));
            assertThat(jobs.addEach(List.of())).isEmpty();
            assertThat(jobs.addEach(List.of(NewJob.of(INDEX, "a"), NewJob.of(INDEX, "b"))))
                    .allMatch(AddResult::added);
        }
    }

    /** A job for the queue {@code prefix + ...}: all but the queue depends on the numbers alone. */
    private static NewJob<String> random(Random random, String prefix) {
        String payload = random.nextInt(8) == 0 ? "x".repeat(8_000 + random.nextInt(400)) : "p" + random.nextInt();
        NewJob<String> job =
                NewJob.of(random.nextBoolean() ? INDEX : OTHER, payload).queue(prefix + random.nextInt(2));
        if (random.nextInt(4) == 0) job = job.priority(random.nextInt(3) - 1);
        if (random.nextInt(5) == 0) job = job.delay(Duration.ofMinutes(1 + random.nextInt(100)));
        else if (random.nextInt(5) == 0) job = job.runAt(Instant.ofEpochSecond(4_000_000_000L + random.nextInt(100)));
        if (random.nextInt(6) == 0) job = job.maxAttempts(1 + random.nextInt(5));
        if (random.nextInt(6) == 0) job = job.timeout(Duration.ofMillis(1 + random.nextInt(100_000)));
        int what = random.nextInt(20);
        if (what == 0) return job.orderKey("order " + random.nextInt(3));
        if (what == 1) return job;
        job = job.key("key " + random.nextInt(6));
        return random.nextBoolean() ? job : job.version(Instant.ofEpochSecond(random.nextInt(8)));
    }

    private static List<NewJob<?>> randoms(long seed, String prefix) {
        Random random = new Random(seed);
        List<NewJob<?>> jobs = new ArrayList<>();
        int size = random.nextInt(40);
        if (random.nextInt(3) == 0) return alike(random, prefix, size);
        for (int i = 0; i < size; i++) jobs.add(random(random, prefix));
        return jobs;
    }

    /** Jobs that differ in their payloads and keys, most of which are new. */
    private static List<NewJob<?>> alike(Random random, String prefix, int size) {
        boolean unique = random.nextInt(4) == 0;
        boolean versions = !unique && random.nextInt(3) == 0;
        int delay = random.nextInt(3) * 60;
        int attempts = random.nextInt(3);
        int few = random.nextBoolean() ? 20 : 2_000;
        List<NewJob<?>> jobs = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            NewJob<String> job = NewJob.of(INDEX, "x".repeat(random.nextInt(12) == 0 ? 9_000 : 3))
                    .queue(prefix + 0)
                    .delay(Duration.ofSeconds(delay));
            if (attempts > 0) job = job.maxAttempts(attempts);
            String key = "key " + random.nextInt(few);
            if (unique) job = job.unique(Unique.byKey(key).within(Duration.ofHours(1)));
            else if (random.nextInt(20) > 0)
                job = versions ? job.key(key).version(Instant.ofEpochSecond(random.nextInt(8))) : job.key(key);
            jobs.add(job);
        }
        return jobs;
    }

    /** What nodes do with the jobs of one key, and how it was, in words of SQL. */
    private static final String[] MOVES = {
        // A node takes it.
        """
        WITH gone AS (DELETE FROM howdah_internal.job j USING mine m WHERE j.id = m.job RETURNING j.*)
        INSERT INTO howdah_internal.batch (node, lane, begun, alone, jobs, first_id, last_id, ids, run_at, kind, payloads)
        SELECT 1, lane, true, false, 1, id, id, ARRAY[id], run_at, kind, ARRAY[payload] FROM gone""",
        // It ends.
        """
        WITH waits AS (DELETE FROM howdah_internal.job j USING mine m WHERE j.id = m.job),
        runs AS (UPDATE howdah_internal.batch b SET ended = now() FROM mine m WHERE b.first_id = m.job)
        DELETE FROM howdah_internal.body b USING mine m WHERE b.job = m.job;
        SELECT howdah_internal.keys_settle(ARRAY(SELECT job FROM mine WHERE ended IS NULL), true)""",
        // It ends while the key is locked.
        """
        WITH waits AS (DELETE FROM howdah_internal.job j USING mine m WHERE j.id = m.job),
        runs AS (UPDATE howdah_internal.batch b SET ended = now() FROM mine m WHERE b.first_id = m.job),
        bodies AS (DELETE FROM howdah_internal.body b USING mine m WHERE b.job = m.job)
        INSERT INTO howdah_internal.key_late SELECT job FROM mine WHERE ended IS NULL"""
    };

    private static void move(Statement statement, String prefix, int move, int key) throws SQLException {
        statement.execute(
                "CREATE TEMP TABLE mine ON COMMIT DROP AS SELECT k.* FROM howdah_internal.key k JOIN howdah_internal.lane l"
                        + " ON l.id = k.queue WHERE l.queue LIKE '" + prefix + "%' AND k.key = 'key " + key + "'");
        statement.execute(MOVES[move]);
        statement.execute("DROP TABLE mine");
    }

    /** All rows of the queues with that prefix; ids are replaced by their places in the order of ids. */
    private List<String> state(Connection connection, String prefix, List<AddResult> results) throws SQLException {
        String lane = " JOIN howdah_internal.lane l ON l.queue LIKE '" + prefix + "%' AND l.id = ";
        String queue = "substr(l.queue, " + (prefix.length() + 1) + ") || COALESCE(l.kind, '-')";
        // Seconds have more zeros since PostgreSQL 14.
        String due = "run_at, priority, x.kind, md5(payload::text),"
                + " more || jsonb_strip_nulls(jsonb_build_object('timeout', (more ->> 'timeout')::float8))";
        List<List<String>> rows = new ArrayList<>();
        Set<Long> ids = new TreeSet<>();
        for (String sql : List.of(
                "SELECT 'job', x.id, NULL, " + queue + ", attempt, deaths, " + due + " FROM howdah_internal.job x"
                        + lane + "x.lane",
                "SELECT 'follower', x.id, NULL, " + queue + ", " + due + " FROM howdah_internal.follower x" + lane
                        + "x.lane",
                "SELECT 'ordered', x.id, NULL, " + queue + ", x.key, " + due + " FROM howdah_internal.ordered x" + lane
                        + "x.lane",
                "SELECT 'batch', x.first_id, NULL, x.ended IS NULL FROM howdah_internal.batch x" + lane + "x.lane",
                "SELECT 'key', x.job, x.next, " + queue + ", x.kind, x.key, x.version, x.ended IS NULL"
                        + " FROM howdah_internal.key x" + lane + "x.queue",
                "SELECT 'late', x.job, NULL, count(*) FROM howdah_internal.key_late x JOIN howdah_internal.key k ON k.job = x.job"
                        + lane + "k.queue GROUP BY x.job",
                "SELECT 'body', x.job, NULL, md5(x.payload::text) FROM howdah_internal.body x"
                        + " JOIN (SELECT id, lane FROM howdah_internal.job UNION ALL SELECT id, lane FROM howdah_internal.follower"
                        + " UNION ALL SELECT first_id, lane FROM howdah_internal.batch"
                        + " UNION ALL SELECT id, lane FROM howdah_internal.ordered) o ON o.id = x.job" + lane
                        + "o.lane",
                "SELECT 'priority', NULL, NULL, " + queue + ", x.priority FROM howdah_internal.lane_priority x" + lane
                        + "x.lane"))
            try (Statement statement = connection.createStatement();
                    var row = statement.executeQuery(sql)) {
                while (row.next()) {
                    List<String> all = new ArrayList<>();
                    for (int i = 1; i <= row.getMetaData().getColumnCount(); i++)
                        all.add(String.valueOf(row.getString(i)));
                    rows.add(all);
                }
            }
        for (AddResult each : results) rows.add(0, Arrays.asList("result", each.id() + "", "null", each.added() + ""));
        for (List<String> each : rows)
            for (int i = 1; i <= 2; i++) if (!each.get(i).equals("null")) ids.add(Long.parseLong(each.get(i)));
        List<Long> order = new ArrayList<>(ids);
        List<String> state = new ArrayList<>();
        int results0 = results.size();
        for (List<String> each : rows) {
            for (int i = 1; i <= 2; i++)
                if (!each.get(i).equals("null")) each.set(i, "#" + order.indexOf(Long.parseLong(each.get(i))));
            state.add(String.join(" | ", each));
        }
        Collections.sort(state.subList(results0, state.size()));
        return state;
    }

    private static List<String> without(List<String> all, List<String> others) {
        List<String> rest = new ArrayList<>(all);
        rest.removeAll(others);
        return rest;
    }

    @Test
    void addEach_anyKeysAndVersions_isAsEachByItself() throws SQLException {
        long first = Long.getLong("howdah.fuzz.seed", 1);
        int seeds = Integer.getInteger("howdah.fuzz.seeds", 20);
        Set<Integer> kinds = new HashSet<>();
        try (Jobs jobs = database.jobs().start();
                Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (long seed = first; seed < first + seeds; seed++) {
                Random random = new Random(seed);
                List<AddResult> one = new ArrayList<>();
                List<AddResult> all = new ArrayList<>();
                for (int round = 0; round < 4; round++) {
                    for (int i = 0; i < 4; i++) {
                        int move = random.nextInt(MOVES.length);
                        int key = random.nextInt(6);
                        move(statement, "one" + seed + "_", move, key);
                        move(statement, "all" + seed + "_", move, key);
                    }
                    long step = random.nextLong();
                    // In one transaction, so that it is the same time for both.
                    for (NewJob<?> each : randoms(step, "one" + seed + "_")) one.add(jobs.add(connection, each));
                    List<NewJob<?>> many = randoms(step, "all" + seed + "_");
                    if (random.nextInt(3) > 0) all.addAll(jobs.addEach(connection, many));
                    else
                        for (long id : jobs.addAll(connection, many))
                            all.add(new AddResult(id, one.get(all.size()).added()));
                    List<String> expected = state(connection, "one" + seed + "_", one);
                    List<String> state = state(connection, "all" + seed + "_", all);
                    assertThat(without(state, expected))
                            .as("seed %s, round %s", seed, round)
                            .isEqualTo(without(expected, state));
                    assertThat(state).as("seed %s, round %s", seed, round).isEqualTo(expected);
                    if (random.nextBoolean()) connection.commit();
                }
                connection.commit();
                for (AddResult each : all) kinds.add(each.added() ? 1 : 0);
            }
        }
        assertThat(kinds).containsExactlyInAnyOrder(0, 1);
    }

    @Test // ends of jobs remove keys meanwhile, which the other call then adds anew
    void addEach_sameKeysInOppositeOrders_neverDeadlocks() throws Exception {
        int rounds = 25;
        AtomicInteger ran = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try (Jobs jobs = database.jobs()
                .handle(INDEX, (payload, job) -> ran.incrementAndGet())
                .start()) {
            AtomicInteger clock = new AtomicInteger();
            List<Future<Integer>> all = new ArrayList<>();
            for (int t = 0; t < 3; t++) {
                Random random = new Random(t);
                boolean backwards = t == 1;
                all.add(threads.submit(() -> {
                    int added = 0;
                    for (int round = 0; round < rounds; round++) {
                        List<NewJob<?>> many = new ArrayList<>();
                        for (NewJob<String> each : keyed(0, 300))
                            many.add(
                                    random.nextInt(3) == 0
                                            ? each.version(Instant.ofEpochSecond(clock.incrementAndGet()))
                                            : each);
                        if (backwards) Collections.reverse(many);
                        else if (round % 2 == 0) Collections.shuffle(many, random);
                        for (AddResult each : jobs.addEach(many)) if (each.added()) added++;
                    }
                    return added;
                }));
            }
            int added = 0;
            for (Future<Integer> each : all) added += each.get(120, TimeUnit.SECONDS);
            assertThat(added).isGreaterThan(300);
            database.awaitEmpty();
        } finally {
            threads.shutdownNow();
        }
        assertThat(ran.get()).isPositive();
    }

    @Test
    void addEach_anotherIsAddingTheSameNewKey_waitsForItsEnd() throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (Jobs jobs = database.jobs().start();
                Connection other = database.connect()) {
            other.setAutoCommit(false);
            for (boolean commit : new boolean[] {false, true}) {
                int from = commit ? 100 : 0;
                List<AddResult> theirs = jobs.addEach(other, keyed(from, from + 3));
                Future<List<AddResult>> ours = thread.submit(() -> jobs.addEach(keyed(from + 2, from + 6)));
                JobsDatabase.awaiting("a session waits for the key")
                        .until(() ->
                                database.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                                + " AND datname = current_database()")
                                        == 1);
                if (commit) other.commit();
                else other.rollback();
                assertThat(ours.get(20, TimeUnit.SECONDS).stream().map(AddResult::added))
                        .containsExactly(!commit, true, true, true);
                if (commit)
                    assertThat(ours.get().get(0).id()).isEqualTo(theirs.get(2).id());
            }
        } finally {
            thread.shutdownNow();
        }
    }

    @Test
    void addEach_transactionIsRolledBack_leavesNothing() throws SQLException {
        try (Jobs jobs = database.jobs().start();
                Connection connection = database.connect()) {
            jobs.add(keyed(0).version(Instant.EPOCH));
            String all =
                    "SELECT (SELECT jsonb_agg(k) FROM howdah_internal.key k)::text || (SELECT jsonb_agg(j) FROM howdah_internal.job j)"
                            + " || (SELECT count(*) FROM howdah_internal.body) || (SELECT count(*) FROM howdah_internal.follower)";
            List<List<@Nullable String>> before = database.rows(all);
            connection.setAutoCommit(false);
            List<NewJob<?>> many = new ArrayList<>(keyed(0, 100));
            many.add(keyed(0).version(Instant.ofEpochSecond(1)));
            many.add(NewJob.of(INDEX, "x".repeat(10_000)).key("large"));
            assertThat(jobs.addEach(connection, many)).hasSize(102);
            connection.rollback();
            assertThat(database.rows(all)).isEqualTo(before);
            assertThat(jobs.addEach(keyed(1, 100))).allMatch(AddResult::added);
        }
    }

    @Test
    void addEach_oneIsRefused_addsNone() throws SQLException {
        try (Jobs jobs = database.jobs().start()) {
            database.execute("ALTER TABLE howdah_internal.job ADD CHECK (payload #>> '{}' <> 'payload 7')");
            assertThatThrownBy(() -> jobs.addEach(keyed(0, 10)))
                    .isInstanceOf(JobsException.class)
                    .hasMessageStartingWith("10 jobs could not be added: ");
            assertThat(database.waiting()).isZero();
            assertThat(database.number("SELECT count(*) FROM howdah_internal.key"))
                    .isZero();
        }
    }

    @Test
    void addEach_thousandsOfJobs_isOneStatement() throws SQLException {
        AtomicInteger statements = new AtomicInteger();
        try (Jobs jobs = database.jobs().start();
                Connection connection = database.connect()) {
            Connection counting = (Connection) Proxy.newProxyInstance(
                    Connection.class.getClassLoader(),
                    new Class<?>[] {Connection.class},
                    (proxy, method, arguments) -> {
                        if (method.getName().equals("prepareStatement")) statements.incrementAndGet();
                        try {
                            return method.invoke(connection, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
            List<NewJob<?>> many = new ArrayList<>(keyed(0, 7_000));
            for (int i = 5; i < many.size(); i += 10) many.set(i, NewJob.of(OTHER, "without a key " + i));
            assertThat(jobs.addEach(counting, many)).hasSize(7_000).allMatch(AddResult::added);
            // One more asks for the queue, which is new.
            assertThat(statements).hasValue(2);
            assertThat(jobs.addAll(counting, many)).hasSize(7_000);
            assertThat(statements).hasValue(3);
            assertThat(database.number("SELECT count(*) FROM howdah_internal.key"))
                    .isEqualTo(6_300);
        }
    }

    @Test
    void addEach_moreThanOneStatementTakes_addsAll() {
        try (Jobs jobs = database.jobs().start()) {
            List<AddResult> results = jobs.addEach(keyed(0, 50_001));
            assertThat(results).hasSize(50_001).allMatch(AddResult::added);
            assertThat(results.stream().map(AddResult::id)).isSorted().doesNotHaveDuplicates();
            assertThat(jobs.addEach(keyed(49_998, 50_003)).stream().map(AddResult::added))
                    .containsExactly(false, false, false, true, true);
        }
    }

    @Test // a key that is held and stays so is not waited for, nor locked
    void addEach_nothingNewForAKeyThatIsLocked_doesNotWait() throws SQLException {
        try (Jobs jobs = database.jobs().start();
                Connection other = database.connect()) {
            long held = jobs.add(keyed(5)).id();
            other.setAutoCommit(false);
            other.createStatement().execute("SELECT FROM howdah_internal.key FOR UPDATE");
            List<AddResult> results = jobs.addEach(keyed(0, 10));
            assertThat(results.get(5)).isEqualTo(new AddResult(held, false));
            assertThat(results.stream().filter(AddResult::added)).hasSize(9);
            other.rollback();
        }
    }

    @Test
    void addKeyedMany_inSql_isAsEachByItself() {
        database.execute("SELECT howdah.add('q', 'k', '0', key => 'b')");
        assertThat(database.rows("SELECT added FROM howdah.add_keyed_many('q', 'k',"
                        + " ARRAY['1', '2', '3', '4']::json[], ARRAY['a', 'b', 'a', NULL])"))
                .containsExactly(List.of("t"), List.of("f"), List.of("f"), List.of("t"));
        assertThat(database.rows("SELECT added FROM howdah.add_keyed_many('q', 'k', ARRAY['5', '6'], ARRAY['a', 'c'],"
                        + " ARRAY[now(), now()], priority => 3)"))
                .containsExactly(List.of("t"), List.of("t"));
        assertThat(database.rows("SELECT payload, priority, more ->> 'key' FROM howdah_internal.job ORDER BY id"))
                .containsExactly(
                        List.of("0", "0", "b"),
                        List.of("5", "3", "a"),
                        Arrays.asList("4", "0", null),
                        List.of("6", "3", "c"));
        assertThat(database.rows("SELECT id FROM howdah.add_keyed_many('q', 'k', '{}'::jsonb[], '{}')"))
                .isEmpty();
    }

    @Test
    void addKeyedMany_badInput_saysWhatIsWrong() {
        for (List<String> each : List.of(
                List.of("'{1,2}'::json[], '{a}'", "2 payloads, 1 keys and no versions: there has to be one of each"),
                List.of("'{1}'::json[], '{a}', '{}'", "1 payloads, 1 keys and 0 versions"),
                List.of("NULL::json[], '{a}'", "payloads is NULL: it has to be an array"),
                List.of("'{1}'::json[], NULL", "keys is NULL: it has to be an array"),
                List.of("'{1}'::json[], '{\"\"}'", "a key has 1 to 400 characters, not 0"),
                List.of("'{1}'::json[], ARRAY[repeat('x', 401)]", "a key has 1 to 400 characters, not 401"),
                List.of("'{1}'::json[], '{NULL}', '{2020-01-01}'", "without a key"),
                List.of("'{1}'::json[], '{a}', '{infinity}'", "version infinity: it has to be a moment"),
                List.of("'{1}'::json[], '{a}', priority => 101", "a priority of 101")))
            assertThatThrownBy(() -> database.rows("SELECT howdah.add_keyed_many('q', 'k', " + each.get(0) + ")"))
                    .as(each.get(0))
                    .hasStackTraceContaining(each.get(1));
    }
}
