package dev.howdah.console.internal.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RecentTest {
    private final AtomicLong now = new AtomicLong(-5);
    private final AtomicInteger reads = new AtomicInteger();

    @Test
    void value_isReadAgain_whenItIsTooOld() {
        Recent<Integer> recent = new Recent<>(Duration.ofNanos(10), reads::incrementAndGet, now::get);
        assertThat(recent.get()).isEqualTo(1);
        now.addAndGet(9);
        assertThat(recent.get()).isEqualTo(1);
        now.addAndGet(1);
        assertThat(recent.get()).isEqualTo(2);
        assertThat(recent.get()).isEqualTo(2);
    }

    @Test
    void read_thatFails_leavesNothingBehind() {
        Recent<Integer> recent = new Recent<>(
                Duration.ofNanos(10),
                () -> {
                    if (reads.incrementAndGet() == 2) throw new IllegalStateException("no answer");
                    return reads.get();
                },
                now::get);
        assertThat(recent.get()).isEqualTo(1);
        now.addAndGet(10);
        assertThatThrownBy(recent::get).hasMessage("no answer");
        assertThat(recent.get()).isEqualTo(3);
    }
}
