package dev.howdah.job.internal.batch;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.job.internal.attempt.AttemptResult;
import dev.howdah.job.internal.attempt.ClaimedJob;
import dev.howdah.job.internal.attempt.OrderRuns;
import dev.howdah.job.internal.lane.Lane;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Runs of a batch whose jobs end in several threads, while others write it. */
class BatchRunsTest {
    /** Two jobs of each of so many keys. */
    private static List<ClaimedJob> jobs(int keys) {
        List<ClaimedJob> jobs = new ArrayList<>();
        for (long head = 1; head < 2L * keys; head += 2) {
            jobs.add(ClaimedJob.of(head, "1", null, "{\"m\": {\"ordered\": \"k\"}}"));
            jobs.add(ClaimedJob.of(head + 1, "1", null, "{\"m\": {\"ordered\": \"k\"}, \"h\": " + head + "}"));
        }
        return jobs;
    }

    private static ClaimedBatch batch(int keys) {
        return new ClaimedBatch(1, new ClaimId(1, 1), new Lane(1, "default", null), "work", jobs(keys));
    }

    private static void end(ClaimedBatch batch, int i, AttemptResult result) {
        batch.end(i, result, System.nanoTime(), System.nanoTime());
    }

    @Test
    void turns_areWrittenOneAfterTheOther() {
        ClaimedBatch batch = batch(2);
        AtomicInteger told = new AtomicInteger();
        batch.whenTurned(told::incrementAndGet);
        assertThat(List.of(batch.begin(), batch.begin())).containsExactly(0, 2);
        end(batch, 0, AttemptResult.DONE);
        OrderRuns.Turns first = requireNonNull(batch.turns());
        end(batch, 2, AttemptResult.DONE);
        assertThat(batch.turns()).as("what would overtake the first").isNull();
        assertThat(told).hasValue(1);
        assertThat(batch.pass(first)).isTrue();
        assertThat(batch.begin()).isEqualTo(1);
        assertThat(told).as("the second is written now").hasValue(2);
        OrderRuns.Turns second = requireNonNull(batch.turns());
        assertThat(second.done()).isEqualTo("\\x05");
        batch.notPassed();
        assertThat(told).as("and once more").hasValue(3);
        assertThat(batch.pass(requireNonNull(batch.turns()))).isTrue();
        assertThat(batch.begin()).isEqualTo(3);
        assertThat(told).hasValue(3);
    }

    /** A thread that writes the batch would take a job for running that has neither begun nor a result. */
    @Test
    void jobsBehindACut_areGivenBack_beforeAnotherThreadLearnsOfIt() throws Exception {
        OrderRuns runs = requireNonNull(OrderRuns.of(jobs(1)));
        assertThat(runs.begin()).isZero();
        Thread other = new Thread(() -> runs.close(place -> {}));
        runs.cut(0, behind -> {
            assertThat(behind).isEqualTo(1);
            other.start();
            await().atMost(Patience.LIMIT).until(() -> other.getState() == Thread.State.BLOCKED || !other.isAlive());
            assertThat(other.isAlive()).isTrue();
        });
        other.join();
        assertThat(runs.waiting()).isZero();
    }
}
