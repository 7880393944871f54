package dev.howdah.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {
    private static final Throwable FAILURE = new IllegalStateException("no");
    private static final Duration HUGE = Duration.ofSeconds(Long.MAX_VALUE);

    private static Duration delay(RetryPolicy policy, int attempt) {
        return policy.delay(attempt, FAILURE).orElseThrow();
    }

    @Test
    void never_hasNoRetry() {
        assertThat(RetryPolicy.never().delay(1, FAILURE)).isEmpty();
    }

    @Test
    void linear_growsByItsStep_untilItsAttemptsAreUsedUp() {
        RetryPolicy policy = RetryPolicy.linear(Duration.ofSeconds(3), 4);
        assertThat(delay(policy, 1)).isEqualTo(Duration.ofSeconds(3));
        assertThat(delay(policy, 3)).isEqualTo(Duration.ofSeconds(9));
        assertThat(policy.delay(4, FAILURE)).isEmpty();
        assertThat(RetryPolicy.linear(Duration.ZERO, 1).delay(1, FAILURE)).isEmpty();
        assertThat(delay(RetryPolicy.linear(HUGE, Integer.MAX_VALUE), 1_000_000))
                .isEqualTo(RetryPolicy.LONGEST);
    }

    @Test
    void exponential_doubles_withATenthMoreOrLess() {
        RetryPolicy policy = RetryPolicy.exponential(Duration.ofSeconds(1), Duration.ofHours(1), 25);
        for (int attempt = 1; attempt < 25; attempt++) {
            double expected = Math.min(Math.pow(2, attempt - 1.0), 3_600);
            Set<Duration> seen = new HashSet<>();
            for (int i = 0; i < 200; i++) seen.add(delay(policy, attempt));
            assertThat(seen)
                    .hasSizeGreaterThan(1)
                    .allSatisfy(each -> assertThat(each.toNanos() / 1e9).isBetween(expected * 0.899, expected * 1.101));
            assertThat(seen).anyMatch(each -> each.toNanos() / 1e9 < expected * 0.97);
            assertThat(seen).anyMatch(each -> each.toNanos() / 1e9 > expected * 1.03);
        }
        assertThat(policy.delay(25, FAILURE)).isEmpty();
        assertThat(policy.delay(Integer.MAX_VALUE, FAILURE)).isEmpty();
    }

    @Test
    void exponential_atItsBounds_doesNotOverflow() {
        RetryPolicy endless = RetryPolicy.exponential(Duration.ofSeconds(1), HUGE, Integer.MAX_VALUE);
        assertThat(delay(endless, Integer.MAX_VALUE - 1))
                .isBetween(
                        RetryPolicy.LONGEST.multipliedBy(89).dividedBy(100),
                        RetryPolicy.LONGEST.multipliedBy(111).dividedBy(100));
        assertThat(delay(RetryPolicy.exponential(HUGE, Duration.ofSeconds(10), 2), 1))
                .isBetween(Duration.ofSeconds(9), Duration.ofSeconds(11));
        assertThat(delay(RetryPolicy.exponential(Duration.ofNanos(500_000), Duration.ofSeconds(1), 2), 1))
                .isBetween(Duration.ofNanos(449_000), Duration.ofNanos(551_000));
        assertThat(delay(RetryPolicy.exponential(Duration.ZERO, HUGE, 2), 1)).isZero();
    }

    @Test
    void standard_has25Attempts() {
        assertThat(delay(RetryPolicy.standard(), 1)).isBetween(Duration.ofMillis(899), Duration.ofMillis(1_101));
        assertThat(RetryPolicy.standard().delay(24, FAILURE)).isPresent();
        assertThat(RetryPolicy.standard().delay(25, FAILURE)).isEmpty();
    }

    @Test
    void after_hasOneRetryForEachDelay() {
        RetryPolicy policy = RetryPolicy.after(Duration.ofSeconds(1), Duration.ofSeconds(5));
        assertThat(delay(policy, 2)).isEqualTo(Duration.ofSeconds(5));
        assertThat(policy.delay(3, FAILURE)).isEmpty();
        assertThat(RetryPolicy.after().delay(1, FAILURE)).isEmpty();
    }

    @Test
    void arguments_thatMakeNoSense_areRefused() {
        Duration negative = Duration.ofSeconds(-1);
        assertThatThrownBy(() -> RetryPolicy.linear(negative, 1)).hasMessageContaining("negative");
        assertThatThrownBy(() -> RetryPolicy.exponential(Duration.ZERO, negative, 1))
                .hasMessageContaining("negative");
        assertThatThrownBy(() -> RetryPolicy.exponential(Duration.ZERO, Duration.ZERO, 0))
                .hasMessageContaining("0 attempts");
        assertThatThrownBy(() -> RetryPolicy.after(negative)).hasMessageContaining("negative");
    }
}
