package dev.howdah.sweep.internal.work;

import dev.howdah.spi.Metrics;
import dev.howdah.spi.RetryPolicy;

/**
 * The workers of a sweep in this process.
 *
 * @param process the name of the process
 * @param batch the maximum number of rows that a worker takes at a time
 * @param retries decides when a row that has failed is tried again
 * @param mostFailures how many rows in a row may fail; 0: any number
 * @param mostFailed how many rows may fail for good, in all processes; 0: any number
 */
public record WorkerConfig(
        String process,
        int workers,
        int batch,
        RetryPolicy retries,
        int mostFailures,
        long mostFailed,
        Metrics metrics) {
    /** How many rows may be locked at the same time. */
    public int locks() {
        return workers * batch;
    }
}
