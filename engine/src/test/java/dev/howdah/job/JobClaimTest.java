package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Claims stay apart when a failover or a restore in place makes sequences give the same numbers again (faults A). */
@Tag("long")
@PostgresTest
class JobClaimTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final Kind<String> COMMIT = Kind.of("commit", String.class);

    /** In microseconds since 1970, in the year 2255: a sequence that is ahead of the clock gives numbers one after the other. */
    private static final long AHEAD = 9_000_000_000_000_000L;

    private final JobsDatabase database;
    private final Map<Long, CountDownLatch> mayEnd = new ConcurrentHashMap<>();

    JobClaimTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private Outcome work(String payload, Job job) throws InterruptedException {
        database.execute("INSERT INTO run VALUES (" + job.id() + ", " + job.fencingToken() + ")");
        mayEnd.computeIfAbsent(job.id(), id -> new CountDownLatch(1)).await();
        return switch (payload) {
            case "retry" -> Outcome.retry(Duration.ofHours(1), "again");
            case "fail" -> Outcome.fail("no");
            case "snooze" -> Outcome.snooze(Duration.ofHours(1));
            default -> Outcome.done();
        };
    }

    private void end(long job) {
        mayEnd.computeIfAbsent(job, id -> new CountDownLatch(1)).countDown();
    }

    private JobsBuilder jobs() {
        database.execute("CREATE TABLE IF NOT EXISTS run (job bigint, token bigint)");
        return database.jobs().defaultRetries(RetryPolicy.never()).handleWithOutcome(WORK, this::work);
    }

    private long token(long job) {
        JobsDatabase.awaiting("job " + job + " runs")
                .until(() -> database.number("SELECT count(*) FROM run WHERE job = " + job) == 1);
        return database.number("SELECT token FROM run WHERE job = " + job);
    }

    @ParameterizedTest // a promoted standby without the last transactions knows neither the first job nor its batch
    @ValueSource(strings = {"done", "fail", "retry", "snooze"})
    void batchNumber_isGivenTwiceToTheSameNode_noJobEndsByTheRunOfAnother(String end) {
        try (Jobs jobs = jobs().start()) {
            database.execute("SELECT setval('howdah_internal.batch_id_seq', " + AHEAD + ")");
            long first = jobs.add(WORK, end);
            long number = token(first);
            assertThat(number).isEqualTo(AHEAD + 1);
            database.execute(
                    "DELETE FROM howdah_internal.batch; SELECT setval('howdah_internal.batch_id_seq', " + AHEAD + ")");
            long second = jobs.add(WORK, end.equals("done") ? "fail" : "done");
            assertThat(token(second)).isEqualTo(number);
            end(first);
            // What has ended is written down in its order: after this the end of the first one has been refused.
            long third = jobs.add(WORK, "done");
            end(third);
            database.awaitLetters(third, "d");
            assertThat(database.letters(second)).isEqualTo("?");
            assertThat(database.number("SELECT count(*) FROM howdah_internal.job"))
                    .isZero();
            end(second);
            database.awaitLetters(second, end.equals("done") ? "f" : "d");
            assertThat(database.number("SELECT count(*) FROM howdah_internal.failed WHERE id = " + first))
                    .isZero();
        }
    }

    @Test // the jobs that go on of a batch whose part is written, and jobs in their own transactions
    void batch_ofAnotherClaim_isNeitherSplitNorBegunNorGivenBack() throws SQLException {
        try (Jobs jobs = jobs().concurrency(2)
                .handleInTransaction(COMMIT, (payload, job, connection) -> work(payload, job))
                .start()) {
            long slow = jobs.addAll(List.of(NewJob.of(WORK, "done"), NewJob.of(WORK, "done")))
                    .get(0);
            token(slow);
            token(slow + 1);
            // Another claim has the number now, with other jobs.
            database.execute("UPDATE howdah_internal.batch SET token = token + 1, ids = '{1001,1002}', first_id = 1001,"
                    + " last_id = 1002 WHERE ended IS NULL");
            end(slow);
            long own = jobs.add(COMMIT, "done");
            end(own);
            database.awaitLetters(own, "d");
            // Nobody works what that claim has, so the node gives it back, uncounted.
            JobsDatabase.awaiting("it is given back")
                    .until(() -> database.letters(1001).startsWith("x"));
            assertThat(database.letters(1002)).startsWith("x");
            assertThat(database.letters(slow)).isEmpty();
            end(1001);
            end(1002);
            database.awaitLetters(1001, "xd");
            database.awaitLetters(1002, "xd");
            end(slow + 1);
        }
    }

    @Test
    void fencingToken_sequenceOrClockGoBack_grows() {
        try (Jobs jobs = jobs().start()) {
            long before = jobs.add(WORK, "done");
            end(before);
            long token = token(before);
            database.awaitLetters(before, "d");
            assertThat(token)
                    .isBetween(
                            database.number("SELECT (extract(epoch FROM now() - interval '1 h') * 1e6)::bigint"),
                            database.number("SELECT (extract(epoch FROM now() + interval '1 h') * 1e6)::bigint"));
            // As after a failover or a restore.
            database.execute("DELETE FROM howdah_internal.batch; ALTER SEQUENCE howdah_internal.batch_id_seq RESTART");
            long after = jobs.add(WORK, "done");
            end(after);
            assertThat(token(after)).isGreaterThan(token);
            // As after the clock was set back.
            database.execute("SELECT setval('howdah_internal.batch_id_seq', " + AHEAD + ")");
            for (int i = 1; i <= 3; i++) {
                long later = jobs.add(WORK, "done");
                end(later);
                assertThat(token(later)).isEqualTo(AHEAD + i);
                database.awaitLetters(later, "d");
            }
        }
    }

    @Test
    void batchNumber_manyAtOnce_areAllDifferent() throws Exception {
        database.execute("CREATE TABLE number (number bigint)");
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 8; i++)
                all.add(threads.submit(() -> {
                    for (int n = 0; n < 20; n++)
                        database.execute(
                                "INSERT INTO number SELECT howdah_internal.batch_number() FROM generate_series(1, 50)");
                }));
            for (Future<?> each : all) each.get();
        } finally {
            threads.shutdownNow();
        }
        assertThat(database.text("SELECT count(*) || ' ' || count(DISTINCT number) FROM number"))
                .isEqualTo("8000 8000");
    }

    @Test
    void batchNumber_lockIsKeptByAnotherSession_isDrawnNevertheless() throws SQLException {
        try (Connection other = database.connect();
                Statement statement = other.createStatement()) {
            statement.execute("SELECT pg_advisory_lock(1215264876, 4)");
            assertThat(database.text(
                            "SELECT count(DISTINCT howdah_internal.batch_number()) FROM generate_series(1, 3)"))
                    .isEqualTo("3");
        }
    }
}
