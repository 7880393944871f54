package dev.howdah.spi;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * Retries after delays that grow by a factor. All delays are shorter than {@code longest}: when one would not be, there is no further retry.
 *
 * @param first the first delay, in whole seconds or finer
 * @param factor each delay is that many times the one before, rounded down to whole seconds from one second on
 * @param longest all delays are shorter
 * @param attempts the maximum, the first included
 * @param never reasons for which there is no retry
 */
public record Backoff(Duration first, double factor, Duration longest, int attempts, Set<String> never)
        implements RetryPolicy {
    /** The default: three attempts, 5 seconds apart. */
    public static final Backoff STANDARD =
            new Backoff(Duration.ofSeconds(5), 1.0, Duration.ofSeconds(Long.MAX_VALUE / 2), 3, Set.of());

    /** @throws IllegalArgumentException if a delay is negative, the factor less than 1, or there is no attempt */
    public Backoff {
        if (first.isNegative() || first.isZero())
            throw new IllegalArgumentException("a first delay of " + first + ": it has to be more than zero");
        if (!(factor >= 1)) throw new IllegalArgumentException("a factor of " + factor + ": 1 or more");
        if (attempts < 1) throw new IllegalArgumentException(attempts + " attempts: at least 1 is needed");
        never = Set.copyOf(never);
    }

    /** Makes a policy that retries after any reason. */
    public static Backoff of(Duration first, double factor, Duration longest, int attempts) {
        return new Backoff(first, factor, longest, attempts, Set.of());
    }

    /** Returns a copy that does not retry after these reasons, compared word for word. */
    public Backoff never(String... reasons) {
        return new Backoff(first, factor, longest, attempts, Set.of(reasons));
    }

    @Override
    public Optional<Duration> delay(int attempt, Throwable failure) {
        if (attempt >= attempts || never.contains(String.valueOf(failure.getMessage()))) return Optional.empty();
        Duration delay = first;
        for (int i = 1; i < attempt && delay.compareTo(longest) < 0; i++) delay = next(delay);
        return delay.compareTo(longest) < 0 ? Optional.of(delay) : Optional.empty();
    }

    private Duration next(Duration delay) {
        double seconds = (delay.getSeconds() + delay.getNano() / 1e9) * factor;
        if (seconds > longest.getSeconds()) return longest;
        if (first.compareTo(Duration.ofSeconds(1)) < 0) return Duration.ofNanos((long) (seconds * 1e9));
        return Duration.ofSeconds((long) Math.floor(seconds + 1e-9));
    }
}
