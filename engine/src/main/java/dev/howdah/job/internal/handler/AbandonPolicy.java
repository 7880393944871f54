package dev.howdah.job.internal.handler;

import java.time.Duration;

/**
 * When a handler that does not stop is abandoned.
 *
 * @param graceNanos how long after its interrupt; {@link Long#MAX_VALUE}: never
 * @param most so many abandoned handlers get another thread in their place at a time
 */
public record AbandonPolicy(long graceNanos, int most) {
    /** How long after the interrupt unless a program says otherwise. */
    public static final Duration GRACE = Duration.ofSeconds(30);

    /** Handlers keep their threads for as long as they like. */
    public static AbandonPolicy never() {
        return new AbandonPolicy(Long.MAX_VALUE, 0);
    }
}
