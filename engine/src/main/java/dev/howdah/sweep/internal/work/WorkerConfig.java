package dev.howdah.sweep.internal.work;

import dev.howdah.spi.Metrics;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The workers of a sweep in this process.
 *
 * @param process the name of the process
 * @param batch the maximum number of rows that a worker takes at a time
 * @param retries decides when a row that has failed is tried again
 * @param mostFailures how many rows in a row may fail; 0: any number
 * @param mostFailed how many rows may fail for good, in all processes; 0: any number
 * @param maxOutage how long the receiver may be unavailable before the process leaves; null: without end
 */
public record WorkerConfig(
        String process,
        int workers,
        int batch,
        RetryPolicy retries,
        int mostFailures,
        long mostFailed,
        @Nullable Duration maxOutage,
        Metrics metrics) {
    /** How many rows may be locked at the same time. */
    public int locks() {
        return workers * batch;
    }
}
