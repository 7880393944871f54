package dev.howdah.task.internal.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class OutputMemoryTest {
    private static final long MB = 1024 * 1024;

    @Test
    void take_smallOutputs_areNeverCounted() {
        OutputMemory memory = new OutputMemory(2 * MB, Duration.ZERO);
        OutputMemory.Outputs outputs = memory.new Outputs();
        for (int i = 0; i < 1000; i++)
            assertThat(outputs.begin(i).take(OutputMemory.FREE)).isNull();
    }

    @Test
    void take_moreThanOneMayHave_isRefusedAtOnce() {
        OutputMemory memory = new OutputMemory(8 * MB, Duration.ofDays(1));
        assertThat(memory.new Outputs().begin(1).take(4 * MB + 1))
                .isEqualTo("output is larger than 4 MB, the most that one task may have here");
    }

    @Test
    void take_noRoom_saysHowLongItWaitedAndForWhat() {
        OutputMemory memory = new OutputMemory(8 * MB, Duration.ZERO);
        OutputMemory.Outputs outputs = memory.new Outputs();
        for (int i = 0; i < 2; i++) {
            OutputMemory.Share full = outputs.begin(i);
            assertThat(full.take(4 * MB)).isNull();
            full.ended();
        }
        assertThat(outputs.begin(3).take(MB)).contains("those of all tasks may have 8 MB together");

        // Another scheduler of this program has the same memory, and gets it when the first has written its ends.
        assertThat(memory.new Outputs().begin(1).take(MB)).isNotNull();
        outputs.keepOnly(id -> id == 0);
        assertThat(memory.new Outputs().begin(1).take(MB)).isNull();
    }

    @Test
    void take_cancelledWhileItWaits_ends() throws Exception {
        OutputMemory memory = new OutputMemory(8 * MB, Duration.ofDays(1));
        OutputMemory.Outputs outputs = memory.new Outputs();
        for (int i = 0; i < 2; i++) {
            OutputMemory.Share full = outputs.begin(i);
            assertThat(full.take(4 * MB)).isNull();
            full.ended();
        }
        OutputMemory.Share waits = outputs.begin(3);
        CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> String.valueOf(waits.take(MB)));
        waits.giveUp();
        assertThat(answer.get(30, TimeUnit.SECONDS)).contains("cancelled");
    }

    /** Forty that grow piece by piece, all at once: each comes to its end, and never is more held than there is. */
    @Test
    void take_manyThatGrowTogether_allComeToTheirEnd() throws Exception {
        long all = 16 * MB;
        OutputMemory memory = new OutputMemory(all, Duration.ofMinutes(1));
        OutputMemory.Outputs outputs = memory.new Outputs();
        AtomicLong held = new AtomicLong();
        AtomicLong most = new AtomicLong();
        CyclicBarrier together = new CyclicBarrier(40);
        List<Thread> threads = new ArrayList<>();
        List<String> refusals = java.util.Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < 40; i++) {
            int id = i;
            threads.add(new Thread(() -> {
                OutputMemory.Share share = outputs.begin(id);
                try {
                    together.await();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
                for (long size = 256 * 1024; size <= 8 * MB; size += 256 * 1024) {
                    String refusal = share.take(size);
                    if (refusal != null) {
                        refusals.add(refusal);
                        return;
                    }
                    most.accumulateAndGet(held.addAndGet(256 * 1024), Math::max);
                }
                share.ended();
                held.addAndGet(-8 * MB);
                outputs.keepOnly(each -> each != id);
            }));
        }
        threads.forEach(Thread::start);
        for (Thread each : threads) each.join(TimeUnit.MINUTES.toMillis(1));
        assertThat(refusals).isEmpty();
        assertThat(held).hasValue(0);
        assertThat(most.get()).isLessThanOrEqualTo(all);
    }
}
