package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.spi.RetryPolicy;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What becomes of a job whose attempt did not simply succeed. */
@PostgresTest
class JobOutcomeTest {
    private static final Kind<Long> WORK = Kind.of("work", Long.class);
    private static final Duration SOON = Duration.ofMillis(5);

    private final JobsDatabase database;

    JobOutcomeTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    @Test
    void job_failsTwice_comesBackByThePolicy() {
        AtomicInteger attempts = new AtomicInteger();
        try (Jobs jobs = database.jobs()
                .defaultRetries(RetryPolicy.linear(SOON, 5))
                .handle(WORK, (payload, job) -> {
                    if (job.attempt() < 3) throw new IllegalStateException("attempt " + job.attempt());
                    attempts.set(job.attempt());
                })
                .start()) {
            long id = jobs.add(WORK, 1L);
            database.awaitLetters(id, "rrd");
            assertThat(attempts).hasValue(3);
            assertThat(database.text("SELECT string_agg(details -> ids[1]::text ->> 'error', ', ' ORDER BY id)"
                            + " FROM howdah_internal.batch WHERE details IS NOT NULL"))
                    .matches(
                            "(?s)java.lang.IllegalStateException: attempt 1\n\tat .*, java.lang.IllegalStateException: attempt 2\n\tat .*");
        }
    }

    @Test
    void job_lastAttemptFails_isKeptAsFailedWithItsError() {
        try (Jobs jobs = database.jobs()
                .defaultRetries(RetryPolicy.after(SOON, SOON))
                .handle(WORK, (payload, job) -> {
                    throw new IllegalStateException("no luck \0 " + job.attempt());
                })
                .start()) {
            long id = jobs.add(WORK, 1L);
            database.awaitFailed(id);
            assertThat(database.letters(id)).isEqualTo("rrf");
            assertThat(database.failed(
                            id, "state || ' ' || attempt || ' ' || split_part(error, E'\\n', 1) || ' ' || payload"))
                    .isEqualTo("failed 3 java.lang.IllegalStateException: no luck \uFFFD 3 1");
        }
    }

    @Test
    void job_fatal_failsAtOnce() {
        try (Jobs jobs = database.jobs()
                .handle(WORK, (payload, job) -> {
                    throw new FatalException("no such account");
                })
                .start()) {
            long id = jobs.add(WORK, 1L);
            database.awaitFailed(id);
            assertThat(database.failed(id, "attempt || ' ' || error")).startsWith("1 no such account\n\tat ");
        }
    }

    @Test // the handler's own answers
    void handler_decides_jobFollows() {
        Kind<String> told = Kind.of("told", String.class);
        try (Jobs jobs = database.jobs()
                .defaultRetries(RetryPolicy.after(Duration.ofDays(1)))
                .handleWithOutcome(told, (payload, job) -> {
                    if (job.attempt() > 1) return Outcome.done();
                    return switch (payload) {
                        case "retry" -> Outcome.retry(SOON, "later");
                        case "fail" -> Outcome.fail("never");
                        case "nothing" -> job.attempt() == 1 ? nothing() : Outcome.done();
                        default -> Outcome.done();
                    };
                })
                .start()) {
            long retried = jobs.add(told, "retry");
            long failed = jobs.add(told, "fail");
            long nothing = jobs.add(told, "nothing");
            database.awaitLetters(retried, "rd");
            database.awaitFailed(failed);
            database.awaitLetters(nothing, "r");
            assertThat(database.failed(failed, "error")).isEqualTo("never");
            assertThat(database.attempt(nothing, "a.error")).contains("null");
        }
    }

    @Test
    void handler_cancelsItsJob_noOtherAttemptFollows_andWhatItWroteIsUndone() {
        Kind<Long> booked = Kind.of("booked", Long.class);
        database.execute("CREATE TABLE booking (id bigint)");
        try (Jobs jobs = database.jobs()
                .handleWithOutcome(WORK, (payload, job) -> Outcome.cancel(payload == 1 ? "not wanted" : null))
                .handleInTransactionWithOutcome(booked, (payload, job, connection) -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("INSERT INTO booking VALUES (1)");
                    }
                    return Outcome.cancel("not wanted");
                })
                .start()) {
            long[] ids = {jobs.add(WORK, 1L), jobs.add(WORK, 2L), jobs.add(booked, 3L)};
            for (long id : ids) {
                database.awaitFailed(id);
                assertThat(database.letters(id)).isEqualTo("c");
                assertThat(database.failed(id, "state || ': ' || error"))
                        .isEqualTo("cancelled: " + (id == ids[1] ? "cancelled by its handler" : "not wanted"));
            }
            assertThat(database.number("SELECT count(*) FROM booking")).isZero();
        }
    }

    @Test
    void handler_isToldWhyItShallStop() throws InterruptedException {
        Map<Long, Job.StopReason> reasons = new ConcurrentHashMap<>();
        CountDownLatch begun = new CountDownLatch(3);
        Jobs jobs = database.jobs()
                .shutdownTimeout(SOON)
                .handle(WORK, (payload, job) -> {
                    assertThat(job.stopReason()).isEmpty();
                    begun.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } finally {
                        reasons.put(payload, job.stopReason().orElseThrow());
                    }
                })
                .start();
        try (jobs) {
            jobs.add(NewJob.of(WORK, 1L).timeout(Duration.ofMillis(20)).maxAttempts(1));
            long cancelled = jobs.add(WORK, 2L);
            jobs.add(WORK, 3L);
            begun.await();
            JobsDatabase.awaiting("its time is over").until(() -> reasons.containsKey(1L));
            assertThat(jobs.admin().cancel(cancelled)).isEqualTo(CancelResult.ASKED);
            JobsDatabase.awaiting("it was cancelled").until(() -> reasons.containsKey(2L));
        }
        assertThat(reasons)
                .containsEntry(1L, Job.StopReason.TIMEOUT)
                .containsEntry(2L, Job.StopReason.CANCELLED)
                .containsEntry(3L, Job.StopReason.NODE_STOPPING);
    }

    @SuppressWarnings({"NullAway", "DataFlowIssue"}) // what code without null checks may do
    private static Outcome nothing() {
        return null;
    }

    @Test
    void handler_snoozes_noAttemptIsSpent() {
        AtomicInteger calls = new AtomicInteger();
        try (Jobs jobs = database.jobs()
                .defaultRetries(RetryPolicy.never())
                .handleWithOutcome(WORK, (payload, job) -> {
                    if (calls.incrementAndGet() <= 3) return Outcome.snooze(SOON);
                    return job.attempt() == 1 ? Outcome.done() : Outcome.fail("attempt " + job.attempt());
                })
                .start()) {
            database.awaitLetters(jobs.add(WORK, 1L), "sssd");
        }
    }

    @Test
    void job_pastItsTime_isInterruptedAndCountsAsFailed() {
        try (Jobs jobs = database.jobs()
                .defaultRetries(RetryPolicy.after(SOON))
                .defaultTimeout(Duration.ofMillis(50))
                .handle(WORK, (payload, job) -> new CountDownLatch(1).await())
                .start()) {
            long id = jobs.add(WORK, 1L);
            database.awaitFailed(id);
            assertThat(database.letters(id)).isEqualTo("rf");
            assertThat(database.failed(id, "error")).startsWith("its time was over");
        }
    }

    @Test
    void handler_throwsError_jobFailsAndWorkersStay() {
        try (Jobs jobs = database.jobs()
                .concurrency(1)
                .defaultRetries(RetryPolicy.never())
                .handle(WORK, (payload, job) -> {
                    if (payload == 1) throw new StackOverflowError();
                    if (payload == 2) throw new OutOfMemoryError("not really");
                    if (payload == 3) Thread.currentThread().interrupt();
                })
                .start()) {
            List<Long> ids = jobs.addAll(
                    LongStream.range(1, 5).mapToObj(n -> NewJob.of(WORK, n)).toList());
            database.awaitFailed(ids.get(0));
            database.awaitFailed(ids.get(1));
            database.awaitLetters(ids.get(2), "d");
            database.awaitLetters(ids.get(3), "d");
            database.awaitLetters(jobs.add(WORK, 5L), "d");
            assertThat(database.failed(ids.get(0), "error")).startsWith("java.lang.StackOverflowError");
            assertThat(database.failed(ids.get(1), "error")).startsWith("java.lang.OutOfMemoryError: not really");
        }
    }

    @Test
    void handler_neverReturns_othersOfItsBatchAreWrittenAndRunOn() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        try (Jobs jobs = database.jobs()
                .concurrency(2)
                .handle(WORK, (payload, job) -> {
                    if (payload != 7) return;
                    long token = job.fencingToken();
                    begun.countDown();
                    end.await();
                    if (job.fencingToken() != token) throw new IllegalStateException("another token");
                })
                .start()) {
            List<Long> ids = jobs.addAll(
                    LongStream.range(0, 20).mapToObj(n -> NewJob.of(WORK, n)).toList());
            begun.await();
            JobsDatabase.awaiting("19 are done").until(() -> database.ended("d") == 19);
            jobs.add(WORK, 100L);
            JobsDatabase.awaiting("20 are done").until(() -> database.ended("d") == 20);
            assertThat(database.letters(ids.get(7))).matches("m*\\?");
            end.countDown();
            database.awaitEmpty();
            assertThat(database.ended("d")).isEqualTo(21);
            assertThat(database.timesDone()).containsExactly("1");
        }
    }

    @Test // the splitting of a batch meets the end of its last job in every possible way
    void batches_ofJobsThatTakeAsLongAsASplit_areAllWritten() {
        try (Jobs jobs = database.jobs()
                .concurrency(32)
                .handle(
                        WORK,
                        (payload, job) -> new CountDownLatch(1)
                                .await(
                                        payload % 2 == 0 ? 0 : 190 + payload % 32,
                                        java.util.concurrent.TimeUnit.MILLISECONDS))
                .start()) {
            for (int round = 0; round < 8; round++)
                jobs.addAll(LongStream.range(0, 64)
                        .mapToObj(n -> NewJob.of(WORK, n))
                        .toList());
            JobsDatabase.awaiting("all are done").until(() -> database.ended("d") == 512);
        }
        assertThat(database.ended("d")).isEqualTo(512);
        assertThat(database.timesDone()).containsExactly("1");
        assertThat(database.waiting()).isZero();
    }

    @Test
    void job_ofUnknownKind_waitsInALaneOfItsOwnForANodeWithAHandler() {
        Kind<Long> strange = Kind.of("strange", Long.class);
        try (Jobs jobs = database.jobs().handle(WORK, (payload, job) -> {}).start()) {
            long unknown = jobs.add(NewJob.of(strange, 1L).priority(3)).id();
            long known = jobs.add(WORK, 2L);
            database.awaitLetters(known, "d");
            database.awaitLetters(unknown, "u");
            assertThat(database.text("SELECT l.queue || ' ' || l.kind || ' ' || j.priority || ' ' || j.attempt"
                            + " FROM howdah_internal.job j JOIN howdah_internal.lane l ON l.id = j.lane"))
                    .isEqualTo("default strange 3 0");
            try (Jobs other =
                    database.jobs().handle(strange, (payload, job) -> {}).start()) {
                database.awaitLetters(unknown, "ud");
                // From now on it goes straight there.
                assertThat(database.letters(other.add(strange, 3L))).doesNotContain("u");
            }
        }
    }

    @Test
    void payload_thatDoesNotParse_failsWithTheParsersWords() {
        try (Jobs jobs = database.jobs()
                .defaultRetries(RetryPolicy.after(Duration.ZERO))
                .handle(WORK, (payload, job) -> {})
                .start()) {
            long id =
                    jobs.add(NewJob.of(Kind.of("work", String.class), "seven")).id();
            database.awaitFailed(id);
            assertThat(database.failed(id, "attempt || ' ' || error"))
                    .startsWith(
                            "2 its payload is no Long: Cannot deserialize value of type `java.lang.Long` from String");
        }
    }

    @Test
    void job_ofManyAttempts_goesOnAtTheLargestNumber() {
        try (Jobs jobs = database.jobs()
                .defaultRetries((attempt, failure) -> java.util.Optional.of(SOON))
                .handle(WORK, (payload, job) -> {
                    throw new IllegalStateException("again");
                })
                .start()) {
            long id = jobs.add(NewJob.of(WORK, 1L).delay(Duration.ofHours(1))).id();
            database.execute("UPDATE howdah_internal.job SET attempt = 32766");
            assertThat(jobs.admin().runNow(id)).isTrue(); // who sleeps is told
            JobsDatabase.awaiting("several attempts more")
                    .until(() -> database.letters(id).startsWith("rrrr"));
        }
    }
}
