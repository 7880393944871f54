package dev.howdah.sweep.internal.work;

import java.time.Duration;

/**
 * Who works on a sweep in this process.
 *
 * @param process what it is called
 * @param batch how many rows a worker takes at a time at most
 * @param attempts how often a row is tried
 * @param skipped for how long a row that has failed is passed over, the first time
 * @param mostFailures how many rows in a row may fail; 0: any number
 */
public record WorkerConfig(String process, int workers, int batch, int attempts, Duration skipped, int mostFailures) {
    /** How many rows may be locked at the same time. */
    public int locks() {
        return workers * batch;
    }
}
