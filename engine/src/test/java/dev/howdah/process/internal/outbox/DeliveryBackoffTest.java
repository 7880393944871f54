package dev.howdah.process.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A receiver that asks for a pause longer than numbers of milliseconds or nanoseconds can say. */
class DeliveryBackoffTest {
    @Test
    void pause_ofAnyLength_isAPause() {
        for (long seconds : new long[] {1_000_000, 400L * 365 * 86_400, Long.MAX_VALUE}) {
            DeliveryBackoff backoff = new DeliveryBackoff();
            Duration asked = Duration.ofSeconds(seconds);
            assertThat(backoff.failed(Set.of("a", "b"), true, asked)).isGreaterThanOrEqualTo(1_000_000_000);
            backoff.failed(Set.of("a"), false, asked);
            assertThat(backoff.waiting(1_000).processes()).containsExactly("a");
        }
    }
}
