package dev.howdah.job.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.json.JacksonCodec;
import dev.howdah.job.Handler;
import dev.howdah.job.JobsDatabase;
import dev.howdah.job.Kind;
import dev.howdah.job.Outcome;
import dev.howdah.job.internal.attempt.ClaimedJob;
import dev.howdah.job.internal.attempt.OpenWait;
import dev.howdah.job.internal.attempt.RecordRoom;
import dev.howdah.job.internal.batch.BatchMetrics;
import dev.howdah.job.internal.batch.BatchWidth;
import dev.howdah.job.internal.batch.ClaimId;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.execute.JobExecutor;
import dev.howdah.job.internal.handler.AbandonPolicy;
import dev.howdah.job.internal.handler.HandlerRegistration;
import dev.howdah.job.internal.handler.ResumeOptions;
import dev.howdah.job.internal.insert.AddInterceptors;
import dev.howdah.job.internal.insert.InsertRowFactory;
import dev.howdah.job.internal.insert.JobInserter;
import dev.howdah.job.internal.lane.Lane;
import dev.howdah.job.internal.lane.LaneRegistry;
import dev.howdah.job.internal.store.JobMetrics;
import dev.howdah.spi.JobDemand;
import dev.howdah.spi.Metrics;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** The worker threads of a node: started when there is work, replaced when they end. */
class WorkerPoolTest {
    private static final Kind<Long> WORK = Kind.of("work", Long.class);

    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();
    private final Semaphore ended = new Semaphore(0);
    private Handler<Long> handler = (payload, job) -> {};
    private final WorkerPool workers = workers(null);

    private WorkerPool workers(@Nullable JobDemand demand) {
        ConnectionSource none = ConnectionSource.of(new PGSimpleDataSource());
        HandlerRegistration<Long> work = new HandlerRegistration<>(
                WORK,
                (payload, job, connection) -> {
                    handler.handle(payload, job);
                    return Outcome.done();
                },
                RetryPolicy.never(),
                Duration.ZERO,
                new ResumeOptions(
                        List.of(), false, new OpenWait.Waiting(null, null, false, false), RecordRoom.Limits.USUAL),
                false,
                1,
                null);
        LaneRegistry lanes = new LaneRegistry(none);
        JacksonCodec codec = new JacksonCodec();
        JobMetrics metrics = new JobMetrics(Metrics.none());
        JobExecutor runner = new JobExecutor(
                none,
                codec,
                Map.of("work", work),
                lanes,
                new JobInserter(
                        none,
                        none,
                        new InsertRowFactory(lanes, codec, (job, payload) -> {}),
                        metrics,
                        1,
                        new AddInterceptors(List.of()),
                        null),
                new BatchMetrics(metrics),
                org.slf4j.LoggerFactory.getLogger(WorkerPoolTest.class),
                AbandonPolicy.never(),
                null);
        ThreadFactory factory = body -> {
            if (refused.getAndUpdate(n -> Math.max(0, n - 1)) > 0) throw new OutOfMemoryError("no native thread");
            Thread thread = new Thread(body, "crew-test");
            thread.setDaemon(true);
            threads.add(thread);
            return thread;
        };
        return new WorkerPool(
                4,
                WorkerThreads.of(factory),
                runner,
                batch -> {
                    ended.release();
                    if (failures.getAndUpdate(n -> Math.max(0, n - 1)) > 0) throw new NoClassDefFoundError("a/B");
                },
                () -> {},
                demand);
    }

    @AfterEach
    void stop() {
        workers.stop();
    }

    private static ClaimedBatch batch(int jobs) {
        return batch(jobs, null);
    }

    private static ClaimedBatch batch(int jobs, @Nullable BatchWidth width) {
        List<ClaimedJob> taken = LongStream.range(0, jobs)
                .mapToObj(n -> new ClaimedJob(n, Long.toString(n), null, null, false))
                .toList();
        return new ClaimedBatch(1, new ClaimId(1, 1), new Lane(1, "default", null), "work", taken, width);
    }

    private long alive() {
        return threads.stream().filter(Thread::isAlive).count();
    }

    @Test
    void threads_areStartedWhenThereIsWork() throws InterruptedException {
        assertThat(threads).isEmpty();
        assertThat(workers.room()).isGreaterThanOrEqualTo(4);
        workers.offer(batch(1));
        ended.acquire();
        assertThat(threads).hasSize(1);
    }

    @Test
    void demand_ofOneJob_leavesNoRoomFromItsClaimUntilItsEnd() throws InterruptedException {
        OneJob one = new OneJob();
        WorkerPool bound = workers(one);
        CountDownLatch began = new CountDownLatch(1);
        CountDownLatch on = new CountDownLatch(1);
        CountDownLatch handed = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        handler = (payload, job) -> {
            began.countDown();
            on.await();
            // As one that waits for what a request says: it counts as one of those that are wanted.
            handed.countDown();
            go.await();
            one.wanted = 0;
        };
        assertThat(bound.room()).isEqualTo(1);
        bound.offer(batch(1));
        began.await();
        assertThat(bound.room()).as("the demand does not know of it yet").isZero();
        on.countDown();
        handed.await();
        assertThat(bound.room()).as("it was handed on").isZero();
        go.countDown();
        ended.acquire();
        JobsDatabase.awaiting("the attempt has ended").until(() -> bound.room() == 0 && bound.idle() == 4);
        one.wanted = 2;
        assertThat(bound.room()).isEqualTo(2);
        bound.stop();
    }

    /** A demand for one job, until it was handed on. */
    private static final class OneJob implements JobDemand {
        private volatile int wanted = 1;

        @Override
        public void started(Node node) {}

        @Override
        public int wanted() {
            return wanted;
        }

        @Override
        public void written(long job, boolean accepted) {}
    }

    @Test
    void leasesOfOneJob_offeredAtOnce_runAtTheSameTime() throws InterruptedException {
        CountDownLatch together = new CountDownLatch(4);
        handler = (payload, job) -> {
            together.countDown();
            together.await();
        };
        for (int i = 0; i < 4; i++) workers.offer(batch(1));
        ended.acquire(4);
        for (int i = 0; i < 1_000; i++) {
            CountDownLatch again = new CountDownLatch(4);
            handler = (payload, job) -> {
                again.countDown();
                again.await();
            };
            for (int j = 0; j < 2; j++) workers.offer(batch(2));
            ended.acquire(2);
        }
        assertThat(threads).hasSize(4);
    }

    @Test
    void worker_ends_anotherTakesItsPlace() throws InterruptedException {
        failures.set(3);
        for (int i = 0; i < 8; i++) workers.offer(batch(2));
        ended.acquire(8);
        workers.offer(batch(100));
        ended.acquire();
        JobsDatabase.awaiting("three workers have ended").until(() -> threads.size() - alive() == 3);
        assertThat(alive()).isBetween(1L, 4L);
        CountDownLatch together = new CountDownLatch(4);
        handler = (payload, job) -> {
            together.countDown();
            together.await();
        };
        workers.offer(batch(4));
        ended.acquire();
        assertThat(alive()).isEqualTo(4);
    }

    @Test
    void thread_cannotBeStarted_isTriedAgain() throws InterruptedException {
        refused.set(2);
        workers.offer(batch(1));
        workers.offer(batch(1));
        assertThat(threads).isEmpty();
        workers.offer(batch(1));
        ended.acquire(3);
    }

    @Test
    void worker_isInterruptedFromOutside_goesOn() throws InterruptedException {
        workers.offer(batch(1));
        ended.acquire();
        JobsDatabase.awaiting("the worker waits")
                .until(() -> threads.iterator().next().getState() == Thread.State.WAITING);
        Thread worker = threads.iterator().next();
        worker.interrupt();
        workers.offer(batch(1));
        ended.acquire();
        // Another one may have begun: the first was not waiting while it was interrupted.
        JobsDatabase.awaiting("the worker waits again").until(() -> worker.getState() == Thread.State.WAITING);
    }

    /** Runs batches of one claim; returns how many of their jobs ran at the same time. */
    private int mostAtOnce(int batches, int jobs, int width) throws InterruptedException {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(width);
        handler = (payload, job) -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            all.countDown();
            all.await();
            running.decrementAndGet();
        };
        BatchWidth shared = new BatchWidth(width);
        for (int i = 0; i < batches; i++) workers.offer(batch(jobs, shared));
        ended.acquire(batches);
        return most.get();
    }

    @Test
    void batch_withAWidth_runsThatManyJobsAtOnce() throws InterruptedException {
        for (int width = 1; width <= 4; width++)
            assertThat(mostAtOnce(1, 500, width)).isEqualTo(width);
    }

    @Test
    void batches_ofOneClaim_shareItsWidth() throws InterruptedException {
        for (int width = 1; width <= 4; width++)
            assertThat(mostAtOnce(100, 1, width)).isEqualTo(width);
        assertThat(mostAtOnce(10, 10, 3)).isEqualTo(3);
    }

    @Test
    void batch_thatIsFull_keepsNoOtherBatchWaiting() throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch began = new CountDownLatch(1);
        handler = (payload, job) -> {
            began.countDown();
            go.await();
        };
        ClaimedBatch full = batch(50, new BatchWidth(1));
        workers.offer(full);
        JobsDatabase.awaiting("it is full").until(full::isFull);
        assertThat(workers.room()).as("jobs that cannot begin take no room").isGreaterThanOrEqualTo(3);
        began.await();
        assertThat(full.waiting()).isEqualTo(49);
        handler = (payload, job) -> {};
        for (int i = 0; i < 20; i++) workers.offer(batch(10));
        ended.acquire(20);
        assertThat(full.waiting()).isEqualTo(49);
        go.countDown();
        ended.acquire();
    }

    @Test
    void place_thatIsFreedByAnotherThread_isTakenAgain() throws InterruptedException {
        BatchWidth width = new BatchWidth(1);
        ClaimedBatch apart = batch(1, width);
        assertThat(apart.enter()).isTrue();
        workers.offer(batch(1, width));
        workers.offer(batch(1));
        ended.acquire();
        JobsDatabase.awaiting("the workers wait")
                .until(() -> threads.stream().allMatch(each -> each.getState() == Thread.State.WAITING));
        apart.leave();
        workers.placeIsFree();
        ended.acquire();
    }
}
