package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.error.RecordedLog;
import dev.howdah.spi.RecordedMetrics;
import dev.howdah.spi.RetryPolicy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Handlers that do not stop when they are interrupted: their places are given back, and what they do later counts for nothing. */
@PostgresTest
class JobAbandonTest {
    private static final Kind<Long> WORK = Kind.of("work", Long.class);
    private static final Kind<Long> QUICK = Kind.of("quick", Long.class);
    private static final Duration SOON = Duration.ofMillis(300);

    private final JobsDatabase database;
    private final AtomicBoolean free = new AtomicBoolean();
    private final RecordedLog log = new RecordedLog();

    JobAbandonTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    @AfterEach
    void letHandlersEnd() {
        free.set(true);
    }

    /** As a handler that computes: it looks at no interrupt. */
    private void spin() {
        while (!free.get()) Thread.onSpinWait();
    }

    private JobsBuilder jobs() {
        return database.jobs()
                .concurrency(1)
                .defaultTimeout(SOON)
                .abandonAfter(SOON, 1)
                .defaultRetries((attempt, failure) -> Optional.of(Duration.ofMillis(1)))
                .log(log.logger());
    }

    @Test
    void handler_spins_itsPlaceIsGivenBackAndTheJobRunsAgain() {
        RecordedMetrics metrics = new RecordedMetrics();
        try (Jobs jobs = jobs().metrics(metrics)
                .handle(WORK, (payload, job) -> {
                    if (job.attempt() == 1) spin();
                })
                .handle(QUICK, (payload, job) -> {}, options -> options.timeout(Duration.ZERO))
                .start()) {
            long id = jobs.add(WORK, 1L);
            database.awaitLetters(jobs.add(QUICK, 1L), "d");
            awaitRetriedAndDone(id);
            assertThat(database.text("SELECT details -> '" + id
                            + "' ->> 'error' FROM howdah_internal.batch WHERE details IS NOT NULL" + " AND details ? '"
                            + id + "' AND outcomes LIKE '%r%'"))
                    .startsWith("its time was over: its handler has not stopped 0.3 s after it was interrupted");
            assertThat(metrics.figures()).containsEntry("howdah_jobs_abandoned_total{kind=work, queue=default}", 1.0);
            JobsDatabase.awaiting("the gauge").until(() -> stillRunning(metrics) == 1);
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("is abandoned"))
                    .singleElement()
                    .asString()
                    .contains("job " + id + " (default, work)", "its time was over", "JobAbandonTest.spin");
            free.set(true);
            JobsDatabase.awaiting("it has ended").until(() -> stillRunning(metrics) == 0);
            assertThat(database.letters(id)).matches("r+d");
        }
    }

    /** On a busy machine the second attempt may take too long as well. */
    private void awaitRetriedAndDone(long id) {
        JobsDatabase.awaiting("job " + id + " is done")
                .until(() -> database.letters(id).matches("r+d"));
    }

    private static double stillRunning(RecordedMetrics metrics) {
        return metrics.figures().getOrDefault("howdah_jobs_abandoned_running{}", 0.0);
    }

    @Test
    void handler_readsFromASocket_otherJobsRun() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Jobs jobs = jobs().defaultRetries(RetryPolicy.never())
                        .handle(WORK, (payload, job) -> {
                            try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
                                assertThat(socket.getInputStream().read()).isEqualTo(-1);
                            }
                        })
                        .handle(QUICK, (payload, job) -> {}, options -> options.timeout(Duration.ZERO))
                        .start()) {
            long id = jobs.add(WORK, 1L);
            try (Socket silent = server.accept()) {
                database.awaitFailed(id);
                database.awaitLetters(jobs.add(QUICK, 1L), "d");
                assertThat(silent.isClosed()).isFalse();
            }
        }
    }

    @Test
    void handler_wasAbandoned_itsProgressLogResultAndStepsAreRefused() {
        List<Throwable> refused = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch over = new CountDownLatch(1);
        try (Jobs jobs = jobs().handle(WORK, (payload, job) -> {
                    if (job.attempt() > 1) {
                        job.result("right");
                        return;
                    }
                    spin();
                    List<Runnable> late =
                            List.of(() -> job.progress(0.5, "late"), () -> job.log("late"), () -> job.result("late"));
                    for (Runnable each : late) refused.add(thrownBy(each));
                    refused.add(thrownBy(() -> step(job)));
                    over.countDown();
                    throw new FatalException("late");
                })
                .handle(QUICK, (payload, job) -> {}, options -> options.timeout(Duration.ZERO))
                .start()) {
            long id = jobs.add(WORK, 1L);
            awaitRetriedAndDone(id);
            free.set(true);
            JobsDatabase.awaiting("the handler has ended").until(() -> over.getCount() == 0);
            assertThat(refused)
                    .hasSize(4)
                    .allSatisfy(each -> assertThat(each)
                            .isInstanceOf(JobsException.class)
                            .hasMessageContaining("attempt 1 of job " + id + " is over"));
            database.awaitLetters(jobs.add(QUICK, 1L), "d");
            assertThat(database.letters(id)).matches("r+d");
            assertThat(database.attempt(id, "result")).isEqualTo("\"right\"");
            assertThat(database.number("SELECT count(*) FROM howdah_internal.job_step"))
                    .isZero();
            assertThat(log.lines()).noneMatch(line -> line.contains("late"));
        }
    }

    private static void step(Job job) {
        try {
            job.step("late", Void.class, () -> null);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static Throwable thrownBy(Runnable work) {
        try {
            work.run();
            return new AssertionError("not refused");
        } catch (RuntimeException e) {
            return e;
        }
    }

    @Test
    void handlerInItsTransaction_spins_isRolledBackAndRunsAgain() {
        database.execute("CREATE TABLE effect (attempt integer)");
        CountDownLatch ended = new CountDownLatch(1);
        try (Jobs jobs = jobs().handleInTransaction(WORK, (payload, job, connection) -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("INSERT INTO effect VALUES (" + job.attempt() + ")");
                        if (job.attempt() == 1) spin();
                    } finally {
                        if (job.attempt() == 1) ended.countDown();
                    }
                })
                .start()) {
            long id = jobs.add(WORK, 1L);
            awaitRetriedAndDone(id);
            free.set(true);
            JobsDatabase.awaiting("the handler has ended").until(() -> ended.getCount() == 0);
            assertThat(database.rows("SELECT count(*), min(attempt) > 1 FROM effect"))
                    .containsExactly(List.of("1", "t"));
        }
    }

    @Test // a statement hears no interrupt: the server is told to end it
    void handlerInItsTransaction_waitsForAStatement_isRolledBackAndRunsAgain() {
        database.execute("CREATE TABLE effect (attempt integer)");
        try (Jobs jobs = jobs().handleInTransaction(WORK, (payload, job, connection) -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("INSERT INTO effect VALUES (" + job.attempt() + ")");
                        if (job.attempt() == 1) statement.execute("SELECT pg_sleep(3600)");
                    }
                })
                .start()) {
            awaitRetriedAndDone(jobs.add(WORK, 1L));
            assertThat(database.rows("SELECT count(*), min(attempt) > 1 FROM effect"))
                    .containsExactly(List.of("1", "t"));
        }
    }

    @Test
    void stepInATransaction_spins_isRolledBackAndRunsAgain() {
        database.execute("CREATE TABLE effect (attempt integer PRIMARY KEY)");
        try (Jobs jobs = jobs().handle(
                        WORK,
                        (payload, job) -> job.stepInTransaction("effect", Integer.class, connection -> {
                            try (Statement statement = connection.createStatement()) {
                                // The second attempt would wait for the row of the first.
                                statement.execute("INSERT INTO effect VALUES (1)");
                            }
                            if (job.attempt() == 1) spin();
                            return 1;
                        }))
                .start()) {
            awaitRetriedAndDone(jobs.add(WORK, 1L));
            assertThat(database.rows("SELECT attempt FROM effect")).containsExactly(List.of("1"));
        }
    }

    @Test
    void handler_isCancelledAndDoesNotStop_jobIsCancelled() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        try (Jobs jobs = jobs().defaultTimeout(Duration.ZERO)
                .handle(WORK, (payload, job) -> {
                    begun.countDown();
                    spin();
                })
                .handle(QUICK, (payload, job) -> {}, options -> options.timeout(Duration.ZERO))
                .start()) {
            long id = jobs.add(WORK, 1L);
            begun.await();
            jobs.admin().cancel(id);
            database.awaitLetters(id, "c");
            database.awaitLetters(jobs.add(QUICK, 1L), "d");
        }
    }

    @Test
    void abandonedHandlers_moreThanAllowed_keepTheirPlacesUntilTheyEnd() {
        try (Jobs jobs = jobs().concurrency(2)
                .defaultRetries(RetryPolicy.never())
                .handle(WORK, (payload, job) -> spin())
                .handle(QUICK, (payload, job) -> {}, options -> options.timeout(Duration.ZERO))
                .start()) {
            List<Long> stuck = jobs.addAll(
                    LongStream.range(0, 2).mapToObj(n -> NewJob.of(WORK, n)).toList());
            stuck.forEach(database::awaitFailed);
            database.awaitLetters(jobs.add(QUICK, 1L), "d");
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("is abandoned"))
                    .hasSize(2);
            long last = jobs.add(WORK, 2L);
            database.awaitFailed(last);
            // Nothing is claimed any more: one of three has another thread, the others have the two places.
            long waits = jobs.add(QUICK, 2L);
            JobsDatabase.awaiting("all jobs but one are settled")
                    .until(() ->
                            database.number("SELECT count(*) FROM howdah_internal.batch WHERE ended IS NULL") == 0);
            assertThat(database.letters(waits)).isEmpty();
            assertThat(database.waiting()).isEqualTo(1);
            free.set(true);
            database.awaitLetters(waits, "d");
            database.awaitLetters(jobs.add(QUICK, 3L), "d");
        }
    }

    @Test
    void node_stopsWithAbandonedHandlers_doesNotWaitForThem() {
        Jobs jobs = jobs().shutdownTimeout(Duration.ofHours(1))
                .defaultRetries(RetryPolicy.never())
                .handle(WORK, (payload, job) -> spin())
                .start();
        database.awaitFailed(jobs.add(WORK, 1L));
        jobs.close();
        assertThat(free).isFalse();
        assertThat(database.number("SELECT count(*) FROM howdah_internal.node")).isZero();
    }

    @Test
    void suspect_doesNotStop_theNextSuspectRuns() {
        try (Jobs producer = database.jobs().start()) {
            producer.add(WORK, 1L);
            producer.add(WORK, 2L);
        }
        database.execute("UPDATE howdah_internal.job SET deaths = 2");
        try (Jobs jobs = jobs().defaultRetries(RetryPolicy.never())
                .handle(WORK, (payload, job) -> {
                    if (payload == 1) spin();
                })
                .start()) {
            database.awaitEmpty();
            assertThat(database.ended("d")).isEqualTo(1);
            assertThat(database.ended("f")).isEqualTo(1);
            assertThat(jobs.node()).isPositive();
        }
    }

    @Test
    void neverAbandon_handlerReturnsLate_jobIsDone() {
        AtomicInteger runs = new AtomicInteger();
        try (Jobs jobs = jobs().neverAbandon()
                .handle(WORK, (payload, job) -> {
                    runs.incrementAndGet();
                    JobsDatabase.awaiting("its time is over").until(job::cancelled);
                    long until = System.nanoTime() + SOON.toNanos() * 8;
                    while (System.nanoTime() - until < 0) Thread.onSpinWait();
                })
                .start()) {
            database.awaitLetters(jobs.add(WORK, 1L), "d");
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    void handlersInVirtualThreads_doNotStop_otherJobsRun() {
        assumeTrue(Runtime.version().feature() >= 21, "this JDK has no virtual threads");
        CountDownLatch never = new CountDownLatch(1);
        try (Jobs jobs = jobs().virtualThreads()
                .defaultRetries(RetryPolicy.never())
                .handle(WORK, (payload, job) -> awaitUninterruptibly(never))
                .handle(QUICK, (payload, job) -> {}, options -> options.timeout(Duration.ZERO))
                .start()) {
            database.awaitFailed(jobs.add(WORK, 1L));
            database.awaitLetters(jobs.add(QUICK, 1L), "d");
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("is abandoned"))
                    .singleElement()
                    .asString()
                    .contains("JobAbandonTest.awaitUninterruptibly");
            never.countDown();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        while (true) {
            try {
                latch.await();
                return;
            } catch (InterruptedException e) {
                // As some libraries do.
            }
        }
    }

    @Test
    void abandonAfter_ofBadValues_isRefused() {
        assertThatThrownBy(() -> database.jobs().abandonAfter(SOON, -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("-1 abandoned handlers: it has to be 0 to 10000");
        assertThatThrownBy(() -> database.jobs().abandonAfter(Duration.ofSeconds(-1), 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("PT-1S is negative");
    }
}
