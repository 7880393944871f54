package dev.howdah.operations.read;

import java.time.Duration;
import java.util.List;

/**
 * How long the newest attempts of jobs that have ended waited after they were due, and how long they ran: the 50th, 95th and 99th percentile.
 *
 * @param attempts how many there are; 0: the lists are empty
 */
public record JobLatency(long attempts, List<Duration> waited, List<Duration> ran) {
    /** About so many attempts are read, of this many of the newest claims at most. */
    static final int ATTEMPTS = 5_000;

    static final int CLAIMS = 2_000;

    public JobLatency {
        waited = List.copyOf(waited);
        ran = List.copyOf(ran);
    }
}
