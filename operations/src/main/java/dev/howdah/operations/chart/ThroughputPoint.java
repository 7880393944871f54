package dev.howdah.operations.chart;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that ended in a step of time from {@code time} on.
 *
 * @param run how long those ran that are done, in all
 * @param longest the longest of them
 */
public record ThroughputPoint(Instant time, long done, long retried, long failed, Duration run, Duration longest) {
    /** One in which none ended. */
    static ThroughputPoint none(Instant time) {
        return new ThroughputPoint(time, 0, 0, 0, Duration.ZERO, Duration.ZERO);
    }

    /** How long a job that is done ran on average; null: none is. */
    public @Nullable Duration average() {
        return done == 0 ? null : run.dividedBy(done);
    }
}
