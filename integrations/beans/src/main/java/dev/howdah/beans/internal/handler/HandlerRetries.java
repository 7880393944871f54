package dev.howdah.beans.internal.handler;

import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * What the annotation of a handler says of retries.
 *
 * @param attempts the maximum; 0: it says nothing
 * @param first the first delay; null: it says nothing
 * @param longest the longest delay
 * @param never exceptions after which there is none
 */
record HandlerRetries(
        int attempts, @Nullable Duration first, Duration longest, List<Class<? extends Throwable>> never) {
    /** @throws IllegalArgumentException if it cannot be */
    HandlerRetries {
        if (attempts < 0)
            throw new IllegalArgumentException("attempts are 1 or more; 0 is as the defaults say, not " + attempts);
        if (first != null && first.compareTo(longest) > 0)
            throw new IllegalArgumentException("a backoff of " + first + " is longer than the longest one, " + longest);
    }

    boolean setsDelays() {
        return attempts > 0 || first != null;
    }

    /**
     * The policy of the handler; null: the one that it has without an annotation.
     *
     * @param ofKind that of its kind; null: it has none
     * @param bounded the application's policy with that maximum number of attempts
     * @param usual the maximum of handlers that set none
     */
    @Nullable
    RetryPolicy policy(@Nullable RetryPolicy ofKind, IntFunction<RetryPolicy> bounded, int usual) {
        if (!setsDelays() && never.isEmpty()) return null;
        int most = attempts > 0 ? attempts : usual;
        RetryPolicy delays = first != null
                ? RetryPolicy.exponential(first, longest, most)
                : ofKind != null && attempts == 0 ? ofKind : bounded.apply(most);
        return (attempt, failure) -> isFinal(failure) ? Optional.empty() : delays.delay(attempt, failure);
    }

    private boolean isFinal(Throwable failure) {
        return never.stream().anyMatch(each -> each.isInstance(failure));
    }
}
