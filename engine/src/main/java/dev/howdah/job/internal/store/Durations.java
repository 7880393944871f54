package dev.howdah.job.internal.store;

import java.time.Duration;
import java.time.Instant;

/** Delays, times and retentions of jobs: checked and converted. */
public final class Durations {
    /** PostgreSQL's time ends in the year 294276; no job is planned for that year. */
    public static final Duration LONGEST = Duration.ofDays(366L * 1000);

    private static final Duration LONGEST_RETENTION = Duration.ofDays(100_000);
    private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59Z");

    private Durations() {}

    /** @throws IllegalArgumentException if it is null, negative or longer than a thousand years */
    @SuppressWarnings("ConstantValue") // callers may be without null checks
    public static Duration check(Duration delay) {
        if (delay == null) throw new IllegalArgumentException("a delay is needed, not null");
        if (delay.isNegative()) throw new IllegalArgumentException("a delay of " + delay + " is negative");
        if (delay.compareTo(LONGEST) > 0)
            throw new IllegalArgumentException("a delay of " + delay + " is longer than a thousand years");
        return delay;
    }

    /**
     * Returns the moment.
     *
     * @param what the beginning of the message
     * @throws IllegalArgumentException if it is outside the years that PostgreSQL and JSON can both say
     */
    public static Instant checkMoment(String what, Instant moment) {
        if (moment.isBefore(FIRST) || moment.isAfter(LAST))
            throw new IllegalArgumentException(what + moment + ": it has to be in the years 1 to 9999");
        return moment;
    }

    /** As far as nanoseconds reach, which is 292 years. */
    public static long nanos(Duration delay) {
        return delay.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0 ? Long.MAX_VALUE : delay.toNanos();
    }

    /** A thousand years at most. */
    public static Duration ofSeconds(double seconds) {
        return seconds > LONGEST.toSeconds()
                ? LONGEST
                : Duration.ofNanos((long) (seconds % 1 * 1e9)).plusSeconds((long) seconds);
    }

    public static long micros(Duration delay) {
        return delay.toSeconds() * 1_000_000 + delay.toNanosPart() / 1000;
    }

    /**
     * A retention in whole days; a part of a day counts as a day.
     *
     * @throws IllegalArgumentException if it is negative or longer than 100,000 days
     */
    public static int days(Duration retention) {
        if (retention.isNegative() || retention.compareTo(LONGEST_RETENTION) > 0)
            throw new IllegalArgumentException(
                    "a retention of " + retention + ": it has to be zero to " + LONGEST_RETENTION.toDays() + " days");
        return (int) retention.plusDays(1).minusNanos(1).toDays();
    }
}
