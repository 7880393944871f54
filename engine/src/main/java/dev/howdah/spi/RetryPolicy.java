package dev.howdah.spi;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/** Whether, and after how long, a failed job is tried again. Has to be safe for use by many threads. */
@FunctionalInterface
public interface RetryPolicy {
    /**
     * @param attempt how many attempts have been made, the one that has just failed included; at least 1
     * @param failure why it failed
     * @return how long to wait before the next attempt; empty: there is none, the job has failed
     */
    Optional<Duration> delay(int attempt, Throwable failure);

    /** No delay of the policies here is longer, but for the tenth of {@link #exponential}: 800 years of 365 days. */
    Duration LONGEST = Duration.ofDays(365L * 800);

    /** One attempt, no more. */
    static RetryPolicy never() {
        return (attempt, failure) -> Optional.empty();
    }

    /**
     * The n-th retry after n times {@code step}.
     *
     * @param attempts at most, the first included; at least 1
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
     * The first retry after {@code first}, each further one after twice as long, with up to a tenth more or less so that
     * what has failed together does not come back together.
     *
     * @param longest no delay is longer than this, but for that tenth
     * @param attempts at most, the first included; at least 1
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

    /** One retry after each of these. */
    static RetryPolicy after(Duration... delays) {
        List<Duration> list = List.of(delays);
        list.forEach(delay -> check(delay, 1));
        return (attempt, failure) -> attempt > list.size() ? Optional.empty() : Optional.of(list.get(attempt - 1));
    }

    /** What is used unless another is given: exponential from one second to one hour, 25 attempts (some 15 hours). */
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
