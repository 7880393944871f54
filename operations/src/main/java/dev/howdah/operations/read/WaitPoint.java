package dev.howdah.operations.read;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * How long jobs had been due when nodes took them, in a step of time from {@code time} on.
 *
 * @param claims how many claims that is of
 * @param waited half of them at most so long, 99 % of them at most so long
 */
public record WaitPoint(Instant time, long claims, List<Duration> waited) {
    /** How many claims of a step are looked at: the first ones. */
    public static final int CLAIMS = 200;

    public WaitPoint {
        waited = List.copyOf(waited);
    }
}
