package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Batches whose handlers tell the result of each row. */
@PostgresTest
@Tag("long")
class SweepBatchResultsTest {
    private static final int ROWS = 200;

    private final SweepDatabase database;
    private final Map<Long, AtomicInteger> calls = new ConcurrentHashMap<>();

    SweepBatchResultsTest(TestDatabase database) {
        this.database = SweepDatabase.in(database, ROWS);
    }

    private long call(SweepRow row) {
        long id = row.getLong("id");
        calls.computeIfAbsent(id, any -> new AtomicInteger()).incrementAndGet();
        return id;
    }

    private Map<String, String> errors() {
        return Sweeps.on(database.dataSource()).errors("mailing", 1_000).stream()
                .collect(Collectors.toMap(each -> each.key().get(0), each -> each.attempts() + " " + each.error()));
    }

    private SweepBuilder mailing() {
        return database.mailing().retries(RetryPolicy.linear(Duration.ofMillis(10), 3));
    }

    @Test
    void results_ofRows_areTheirsAlone() throws InterruptedException {
        try (Sweep sweep = mailing()
                .batch(50)
                .forEachBatchWithResults((rows, results) -> {
                    for (SweepRow row : rows) {
                        long id = call(row);
                        if (id % 10 == 1) results.done(row);
                        if (id % 10 == 2) results.failed(row, "no mailbox " + id);
                        if (id % 10 == 3) results.failedForGood(row, "no such user\nat " + id);
                    }
                })
                .start()) {
            SweepProgress end = sweep.join();
            assertThat(end.state()).isEqualTo(SweepState.DONE);
            assertThat(end.done()).isEqualTo(ROWS * 8 / 10);
            assertThat(end.failed()).isEqualTo(ROWS * 2 / 10);
        }
        assertThat(errors())
                .hasSize(ROWS * 2 / 10)
                .containsEntry("2", "3 no mailbox 2")
                .containsEntry("193", "1 no such user\nat 193");
        assertThat(calls.get(1L)).hasValue(1);
        assertThat(calls.get(2L)).hasValue(3);
        assertThat(calls.get(3L)).hasValue(1);
        assertThat(database.number("SELECT count(*) FROM subscription WHERE mails = 1 AND id % 10 NOT IN (2, 3)"))
                .isEqualTo(ROWS * 8 / 10);
    }

    @Test
    void receiver_unavailableForSomeRows_costsThemNoAttempt() throws InterruptedException {
        AtomicInteger later = new AtomicInteger();
        try (Sweep sweep = mailing()
                .retries(RetryPolicy.never())
                .workers(1)
                .forEachBatchWithResults((rows, results) -> {
                    for (SweepRow row : rows) {
                        long id = call(row);
                        if (id > 50 && later.incrementAndGet() <= 30) results.unavailable(row, "greylisted", null);
                        else results.done(row);
                    }
                })
                .start()) {
            assertThat(sweep.join().done()).isEqualTo(ROWS);
        }
        assertThat(errors()).isEmpty();
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
        assertThat(calls.get(1L)).hasValue(1);
    }

    @Test
    void handler_thatThrows_failsRowsWithoutAResultOnly() throws InterruptedException {
        try (Sweep sweep = mailing()
                .retries(RetryPolicy.never())
                .batch(20)
                .forEachBatchWithResults((rows, results) -> {
                    for (SweepRow row : rows) {
                        long id = call(row);
                        if (id == 7) throw new IllegalStateException("seven");
                        results.done(row);
                    }
                })
                .start()) {
            SweepProgress end = sweep.join();
            assertThat(end.state()).isEqualTo(SweepState.DONE);
            assertThat(end.done() + end.failed()).isEqualTo(ROWS);
            assertThat(end.failed()).isBetween(1L, 20L);
        }
        assertThat(errors())
                .containsKey("7")
                .doesNotContainKey("1")
                .allSatisfy((key, error) -> assertThat(error).startsWith("1 java.lang.IllegalStateException: seven"));
        assertThat(calls.values()).allSatisfy(each -> assertThat(each).hasValue(1));
    }

    @Test
    void result_ofARowOfAnotherBatch_isRefused() throws InterruptedException {
        try (Sweep sweep = mailing()
                .retries(RetryPolicy.never())
                .forEachBatchWithResults((rows, results) -> results.done(new SweepRow(List.of("1000"), "{}")))
                .maxFailures(0)
                .start()) {
            assertThat(sweep.join().done()).isZero();
        }
        assertThat(errors().get("1"))
                .startsWith("1 java.lang.IllegalArgumentException: the row 1000 is not one of the batch: ");
        assertThat(database.mails()).isEqualTo("0:" + ROWS);
    }

    @Test // with what it has told until then
    void handler_interruptedAtTheEnd_marksWhatIsDone_andLeavesTheRest() throws InterruptedException {
        CountDownLatch inWork = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        try (Sweep sweep = mailing()
                .workers(1)
                .batch(10)
                .shutdownTimeout(Duration.ofMillis(1))
                .forEachBatchWithResults((rows, results) -> {
                    results.done(rows.get(0));
                    if (rows.size() == 1) return;
                    inWork.countDown();
                    never.await();
                })
                .start()) {
            inWork.await();
        }
        assertThat(database.mails()).isEqualTo("0:" + (ROWS - 2) + " 1:2");
        assertThat(errors()).isEmpty();
    }
}
