package dev.howdah.spi;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/** Decides whether, and after which delay, a failed job, step of a process or row of a sweep is retried. Has to be safe for use by many threads. */
@FunctionalInterface
public interface RetryPolicy {
    /**
     * Returns the delay of the next attempt.
     *
     * @param attempt the number of attempts, the failed one included; at least 1
     * @param failure the exception of that attempt
     * @return the delay; empty: there is no next attempt, the job or row has failed
     */
    Optional<Duration> delay(int attempt, Throwable failure);

    /** The longest delay of the policies here, except for the tenth of {@link #exponential}: 800 years of 365 days. */
    Duration LONGEST = Duration.ofDays(365L * 800);

    /** A policy without retries. */
    static RetryPolicy never() {
        return (attempt, failure) -> Optional.empty();
    }

    /**
     * A policy whose n-th delay is n times {@code step}.
     *
     * @param attempts the maximum, the first included; at least 1
     */
    static RetryPolicy linear(Duration step, int attempts) {
        check(step, attempts);
        return (attempt, failure) -> {
            if (attempt >= attempts) return Optional.empty();
            boolean fits = step.compareTo(LONGEST.dividedBy(attempt)) <= 0;
            return Optional.of(fits ? step.multipliedBy(attempt) : LONGEST);
        };
    }

    /**
     * A policy whose first delay is {@code first}; each further one is twice as long. Each is varied by up to a tenth,
     * so that jobs that failed together are not retried together.
     *
     * @param longest the longest delay, before that variation
     * @param attempts the maximum, the first included; at least 1
     */
    static RetryPolicy exponential(Duration first, Duration longest, int attempts) {
        check(first, attempts);
        check(longest, attempts);
        return (attempt, failure) -> {
            if (attempt >= attempts) return Optional.empty();
            double most = Math.min(seconds(longest), LONGEST.toSeconds());
            double delay = Math.min(seconds(first) * Math.pow(2, attempt - 1.0), most);
            double jittered = delay * (0.9 + ThreadLocalRandom.current().nextDouble() * 0.2);
            long whole = (long) jittered;
            return Optional.of(Duration.ofSeconds(whole, (long) ((jittered - whole) * 1e9)));
        };
    }

    /** A policy with one retry after each of these delays. */
    static RetryPolicy after(Duration... delays) {
        List<Duration> list = List.of(delays);
        list.forEach(delay -> check(delay, 1));
        return (attempt, failure) -> attempt > list.size() ? Optional.empty() : Optional.of(list.get(attempt - 1));
    }

    /** The default policy: exponential from one second to one hour, 25 attempts (about 13 hours). */
    static RetryPolicy standard() {
        return exponential(Duration.ofSeconds(1), Duration.ofHours(1), 25);
    }

    private static double seconds(Duration duration) {
        return duration.toSeconds() + duration.toNanosPart() / 1e9;
    }

    private static void check(Duration delay, int attempts) {
        if (delay.isNegative()) throw new IllegalArgumentException("a delay of " + delay + " is negative");
        if (attempts < 1) throw new IllegalArgumentException(attempts + " attempts: at least 1 is needed");
    }
}
