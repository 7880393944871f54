package dev.howdah.console.internal.bulk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class BulkRunsTest {
    private final BulkRuns runs = BulkRuns.inMemory();

    private BulkRun.Status status(long id) {
        return Objects.requireNonNull(runs.find(id));
    }

    private long start(BulkRun.Work work) {
        return Objects.requireNonNull(runs.start("Retry", "/jobs", 100L, work))
                .status()
                .id();
    }

    @Test
    void run_stopped_endsAfterItsStep_andKeepsWhatIsDone() {
        CountDownLatch stopped = new CountDownLatch(1);
        long id = start(run -> {
            run.more(10, 1);
            uninterrupted(stopped);
            while (run.more(10, 0)) Thread.onSpinWait();
        });
        await().until(() -> status(id).done() == 10);
        assertThat(status(id).word()).isEqualTo("running");
        runs.stop(id);
        assertThat(status(id).word()).isEqualTo("stopping");
        stopped.countDown();
        await().until(() -> status(id).ended() != null);
        assertThat(status(id).word()).isEqualTo("stopped");
        assertThat(status(id).done()).isEqualTo(20);
        assertThat(status(id).left()).isEqualTo(1);
        runs.close();
    }

    @Test
    void run_fails_saysWhy_andTheNextOneBegins() {
        long failing = start(run -> {
            run.step(7, 0);
            throw new IllegalStateException("no connection");
        });
        long next = start(run -> run.step(3, 0));
        await().until(() -> status(next).ended() != null);
        assertThat(status(failing).word()).isEqualTo("failed");
        assertThat(status(failing).error()).isEqualTo("no connection");
        assertThat(status(failing).done()).isEqualTo(7);
        assertThat(status(next).word()).isEqualTo("done");
        assertThat(runs.list()).extracting(BulkRun.Status::id).containsExactly(next, failing);
        runs.close();
    }

    @Test
    void runs_tooManyWait_areRefused() {
        CountDownLatch end = new CountDownLatch(1);
        for (int i = 0; i < 10; i++) start(run -> uninterrupted(end));
        assertThat(runs.start("Retry", "/jobs", null, run -> {})).isNull();
        end.countDown();
        await().until(() -> runs.list().stream().allMatch(each -> each.ended() != null));
        start(run -> {});
        runs.close();
    }

    private static void uninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
