package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TcpProxy;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.spi.JacksonPayloadCodec;
import dev.howdah.spi.PayloadCodec;
import java.net.URI;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Adding without waiting: futures complete when jobs are durable, or say why they are not. */
@PostgresTest
@Tag("long")
class JobAddAsyncTest {
    private static final Kind<String> TEXT = Kind.of("text", String.class);

    private final JobsDatabase database;

    JobAddAsyncTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private static <T> List<T> joined(List<CompletableFuture<T>> futures) {
        List<T> all = new ArrayList<>();
        for (CompletableFuture<T> each : futures) all.add(each.join());
        return all;
    }

    @Test
    void jobs_ofOneThread_areDurableWhenTheyComplete_andInItsOrder() {
        try (Jobs jobs = database.jobs().start()) {
            List<CompletableFuture<Long>> futures = new ArrayList<>();
            for (int i = 0; i < 5_000; i++) futures.add(jobs.addAsync(TEXT, Integer.toString(i)));
            List<Long> ids = joined(futures);
            assertThat(ids).isSorted().doesNotHaveDuplicates().hasSize(5_000);
            assertThat(database.rows("SELECT payload::text FROM howdah_internal.job ORDER BY id"))
                    .hasSize(5_000)
                    .startsWith(List.of("\"0\""), List.of("\"1\""))
                    .endsWith(List.of("\"4999\""));
            long last = ids.get(4_999);
            assertThat(database.text("SELECT payload::text FROM howdah_internal.job WHERE id = " + last))
                    .isEqualTo("\"4999\"");
        }
    }

    @Test // in other queues, large, with an order key, planned
    void jobs_ofAllSorts_areAsIfAddedOneByOne() {
        try (Jobs jobs = database.jobs().start()) {
            joined(List.of(
                    jobs.addAsync(NewJob.of(TEXT, "a").queue("new").priority(-5)),
                    jobs.addAsync(NewJob.of(TEXT, "b").orderKey("o")),
                    jobs.addAsync(NewJob.of(TEXT, "c".repeat(20_000))),
                    jobs.addAsync(
                            NewJob.of(TEXT, "d").delay(Duration.ofHours(1)).maxAttempts(2))));
            assertThat(database.rows(
                            "SELECT queue, count(*) FROM howdah.jobs WHERE state <> 'done' GROUP BY 1 ORDER BY 1"))
                    .containsExactly(List.of("default", "3"), List.of("new", "1"));
            assertThat(database.number("SELECT count(*) FROM howdah_internal.body"))
                    .isEqualTo(1);
        }
    }

    /** Says what is no JSON. */
    private static final class Careless implements PayloadCodec {
        private final PayloadCodec json = JacksonPayloadCodec.of(new ObjectMapper());

        @Override
        public String encode(Object payload) {
            return payload.equals("bad") ? "{bad" : json.encode(payload);
        }

        @Override
        public <T> T decode(String text, Class<T> type) {
            return json.decode(text, type);
        }
    }

    @Test
    void job_thatIsRefused_failsAlone() {
        try (Jobs jobs = database.jobs().codec(new Careless()).start()) {
            List<CompletableFuture<Long>> good = new ArrayList<>();
            List<CompletableFuture<Long>> bad = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                if (i % 100 == 50) bad.add(jobs.addAsync(TEXT, "bad"));
                else good.add(jobs.addAsync(TEXT, "fine"));
            }
            Kind<Object> any = Kind.of("any", Object.class);
            assertThatThrownBy(() -> jobs.addAsync(any, new Object()).join())
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(IllegalArgumentException.class);
            assertThat(joined(good)).hasSize(297);
            for (CompletableFuture<Long> each : bad)
                assertThatThrownBy(each::join)
                        .hasCauseInstanceOf(JobsException.class)
                        .hasMessageContaining("a job text could not be added to queue default");
            assertThat(database.waiting()).isEqualTo(297);
        }
    }

    @Test
    void jobsWithAKey_waitForOthersWithoutKeepingJobsWithoutOne() throws Exception {
        try (Jobs jobs = database.jobs().start();
                Connection other = database.connect()) {
            other.setAutoCommit(false);
            jobs.add(other, NewJob.of(TEXT, "first").key("k"));
            CompletableFuture<AddResult> second =
                    jobs.addAsync(NewJob.of(TEXT, "second").key("k"));
            assertThat(jobs.addAsync(TEXT, "plain").join()).isPositive();
            assertThat(jobs.addAsync(NewJob.of(TEXT, "other").key("other"))
                            .join()
                            .added())
                    .isTrue();
            assertThat(second).isNotDone();
            other.commit();
            assertThat(second.join().added()).isFalse();
        }
    }

    @Test
    void completion_thatBlocks_keepsNoJobFromBeingWritten() throws InterruptedException {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        try (Jobs jobs = database.jobs().start()) {
            CompletableFuture<Void> first = jobs.addAsync(TEXT, "0").thenAccept(id -> {
                blocked.countDown();
                awaitUninterruptibly(go);
            });
            blocked.await();
            for (int i = 0; i < 100; i++) jobs.addAsync(TEXT, "more");
            JobsDatabase.awaiting("all are written").until(() -> database.waiting() == 101);
            assertThat(first).isNotDone();
            go.countDown();
            first.join();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test // more than the bound, each added by what depends on the one before
    void completion_thatAdds_doesNotWaitForItself() {
        AtomicInteger added = new AtomicInteger();
        CompletableFuture<Void> end = new CompletableFuture<>();
        AtomicReference<Runnable> again = new AtomicReference<>(() -> {});
        try (Jobs jobs = database.jobs().start()) {
            again.set(() -> {
                int n = added.incrementAndGet();
                if (n > 200) end.complete(null);
                else jobs.addAsync(TEXT, "next").thenRun(again.get());
            });
            Objects.requireNonNull(again.get()).run();
            end.join();
        }
        assertThat(database.waiting()).isEqualTo(200);
    }

    @Test
    void jobsBeyondTheBound_waitUntilOthersAreCompleted() throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger added = new AtomicInteger();
        try (Jobs jobs = database.jobs().start()) {
            CompletableFuture<Void> first = jobs.addAsync(TEXT, "0").thenAccept(id -> {
                blocked.countDown();
                awaitUninterruptibly(go);
            });
            blocked.await();
            Thread adder = new Thread(() -> {
                for (int i = 0; i < 12_000; i++) {
                    jobs.addAsync(TEXT, "x");
                    added.incrementAndGet();
                }
            });
            adder.start();
            JobsDatabase.awaiting("it waits for room")
                    .until(() -> adder.getState() == Thread.State.WAITING && added.get() > 9_000);
            assertThat(added.get()).isLessThan(10_000);
            go.countDown();
            adder.join();
            first.join();
        }
        assertThat(database.waiting()).isEqualTo(12_001);
    }

    @Test
    void close_completesAllThatWereAdded_andRefusesLaterOnes() {
        Jobs jobs = database.jobs().start();
        List<CompletableFuture<Long>> futures = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) futures.add(jobs.addAsync(TEXT, "x"));
        jobs.close();
        assertThat(futures).allMatch(CompletableFuture::isDone);
        Set<Long> ids = new HashSet<>(joined(futures));
        assertThat(ids).hasSize(3_000);
        assertThat(database.waiting()).isEqualTo(3_000);
        assertThatThrownBy(() -> jobs.addAsync(TEXT, "late").join())
                .hasCauseInstanceOf(JobsException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void close_whenAJobCannotBeWrittenInTime_failsIt() throws Exception {
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        try (Connection other = database.connect()) {
            Jobs jobs = database.jobs().shutdownTimeout(Duration.ofMillis(50)).start();
            other.setAutoCommit(false);
            jobs.add(other, NewJob.of(TEXT, "first").key("k"));
            CompletableFuture<AddResult> second =
                    jobs.addAsync(NewJob.of(TEXT, "second").key("k"));
            second.whenComplete((result, failure) -> failures.add(failure));
            jobs.close();
            assertThat(second).isCompletedExceptionally();
            JobsDatabase.awaiting("its failure is told").until(() -> !failures.isEmpty());
            assertThat(failures).singleElement().isInstanceOf(JobsException.class);
            assertThat(failures.peek()).hasMessageContaining("before jobs were closed");
            other.rollback();
        }
    }

    @Test
    void server_isAway_allFailAndLaterOnesAreAdded() {
        URI uri = URI.create(database.uri());
        try (TcpProxy proxy = TcpProxy.to(uri.getHost(), uri.getPort())) {
            PGSimpleDataSource source = database.source();
            source.setPortNumbers(new int[] {proxy.port()});
            try (Jobs jobs = Jobs.on(source).start()) {
                jobs.addAsync(TEXT, "before").join();
                proxy.refuse();
                proxy.cut();
                List<CompletableFuture<Long>> futures = new ArrayList<>();
                for (int i = 0; i < 100; i++) futures.add(jobs.addAsync(TEXT, "lost"));
                for (CompletableFuture<Long> each : futures)
                    assertThatThrownBy(each::join).hasCauseInstanceOf(JobsException.class);
                proxy.accept();
                jobs.addAsync(TEXT, "after").join();
            }
        }
        assertThat(database.rows("SELECT payload::text FROM howdah_internal.job ORDER BY id"))
                .containsExactly(List.of("\"before\""), List.of("\"after\""));
    }
}
