package dev.howdah.sweep.internal.work;

import dev.howdah.internal.error.ErrorText;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a user's retry policy about a row.
 *
 * @param delay until the next attempt; null: there is none
 * @param error of the row, and of the policy, if that has failed
 */
record RetryDelay(@Nullable Duration delay, ErrorText error) {
    /** @param attempt the number of attempts, the failed one included */
    static RetryDelay ask(RetryPolicy retries, int attempt, Throwable failure, ErrorText error) {
        try {
            Optional<Duration> delay = retries.delay(attempt, failure);
            return new RetryDelay(delay.map(RetryDelay::check).orElse(null), error);
        } catch (Throwable e) {
            return new RetryDelay(null, error.with("; and its retry policy failed: " + ErrorText.line(e)));
        }
    }

    private static Duration check(Duration delay) {
        if (delay.isNegative()) throw new IllegalArgumentException("a delay of " + delay + " is negative");
        return delay.compareTo(RetryPolicy.LONGEST) > 0 ? RetryPolicy.LONGEST : delay;
    }

    /** In seconds; null: there is no further attempt. */
    @Nullable
    Double seconds() {
        return delay == null ? null : delay.toMillis() / 1000.0;
    }
}
