package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node that stops loses nothing, and nothing counts as failed. */
@Tag("long")
@PostgresTest
class JobStopTest {
    private static final Kind<Long> WORK = Kind.of("work", Long.class);

    private final JobsDatabase database;

    JobStopTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private static List<NewJob<Long>> jobs(int count) {
        return LongStream.range(0, count).mapToObj(n -> NewJob.of(WORK, n)).toList();
    }

    @Test
    void node_stops_whatRunsEndsAndTheRestGoesBackUncounted() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(2);
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger ran = new AtomicInteger();
        Jobs jobs = database.jobs()
                .concurrency(2)
                .handle(WORK, (payload, job) -> {
                    begun.countDown();
                    end.await();
                    ran.incrementAndGet();
                })
                .start();
        jobs.addAll(jobs(50));
        begun.await();
        Thread stopping = new Thread(jobs::close);
        stopping.start();
        JobsDatabase.awaiting("it waits for what runs, and what has not begun is back")
                .until(() -> stopping.getState() == Thread.State.TIMED_WAITING && database.waiting() == 48);
        end.countDown();
        stopping.join();
        assertThat(ran).hasValue(2);
        assertThat(database.ended("d")).isEqualTo(2);
        assertThat(database.waiting()).isEqualTo(48);
        assertNothingCounted();
    }

    @Test
    void node_isAboutToStop_handlersThatAskKnow_beforeTheyAreInterrupted() {
        CountDownLatch begun = new CountDownLatch(1);
        Jobs jobs = database.jobs()
                .handleWithOutcome(WORK, (payload, job) -> {
                    assertThat(job.nodeIsStopping()).isFalse();
                    begun.countDown();
                    JobsDatabase.awaiting("the node stops").until(job::nodeIsStopping);
                    assertThat(job.cancelled()).isFalse();
                    return Outcome.snooze(Duration.ZERO);
                })
                .start();
        long id = jobs.add(WORK, 1L);
        JobsDatabase.awaiting("it runs").until(() -> begun.getCount() == 0);
        jobs.close();
        assertThat(database.waiting()).isEqualTo(1);
        assertThat(database.number("SELECT attempt FROM howdah.jobs WHERE id = " + id))
                .isZero();
    }

    @Test
    void node_stopsAndHandlersGoOn_areInterruptedAndGoBackUncounted() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(3);
        Jobs jobs = database.jobs()
                .concurrency(3)
                .shutdownTimeout(Duration.ofMillis(50))
                .handle(WORK, (payload, job) -> {
                    begun.countDown();
                    new CountDownLatch(1).await();
                })
                .start();
        jobs.addAll(jobs(3));
        begun.await();
        jobs.close();
        jobs.close();
        assertThat(database.waiting()).isEqualTo(3);
        assertThat(database.ended("g")).isGreaterThanOrEqualTo(3);
        assertNothingCounted();
    }

    @Test
    void node_stopsAndAHandlerDoesNotListen_itsJobGoesBackUncounted() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        AtomicInteger over = new AtomicInteger();
        Jobs jobs = database.jobs()
                .shutdownTimeout(Duration.ofMillis(10))
                .handle(WORK, (payload, job) -> {
                    begun.countDown();
                    while (over.get() == 0) Thread.onSpinWait();
                })
                .start();
        jobs.addAll(jobs(1));
        begun.await();
        jobs.close();
        over.set(1);
        assertThat(database.waiting()).isEqualTo(1);
        assertNothingCounted();
    }

    @Test
    void nodes_stopAndStartUnderLoad_eachJobRunsOnce() {
        AtomicInteger ran = new AtomicInteger();
        int count = 4000;
        try (Jobs producer = database.jobs().start()) {
            producer.addAll(jobs(count));
        }
        for (int round = 0; ran.get() < count; round++) {
            int until = Math.min(ran.get() + 400, count);
            try (Jobs jobs = database.jobs()
                    .handle(WORK, (payload, job) -> ran.incrementAndGet())
                    .start()) {
                JobsDatabase.awaiting("some have run").until(() -> ran.get() >= until);
            }
            assertThat(database.number("SELECT count(*) FROM howdah_internal.batch WHERE ended IS NULL"))
                    .as("open after round %s", round)
                    .isZero();
            assertThat(database.ended("d")).isEqualTo(ran.get());
        }
        assertThat(ran).hasValue(count);
        assertThat(database.timesDone()).containsExactly("1");
        assertNothingCounted();
    }

    private void assertNothingCounted() {
        assertThat(database.ended("rfx")).isZero();
        assertThat(database.number("SELECT count(*) FROM howdah_internal.job WHERE attempt + deaths > 0"))
                .isZero();
        assertThat(database.number("SELECT count(*) FROM howdah_internal.failed"))
                .isZero();
        assertThat(database.number("SELECT count(*) FROM howdah_internal.node")).isZero();
        assertThat(database.number("SELECT count(*) FROM howdah_internal.batch WHERE ended IS NULL"))
                .isZero();
    }
}
