package dev.howdah.daemon.serve;

import dev.howdah.internal.run.Threads;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Gives memory back to the machine. A task with a large output makes the heap grow, and an idle JVM never looks at it
 * again: without this a daemon that once handled 100 MB would keep a gigabyte until another program needs it.
 */
final class HeapTrimmer {
    private static final Duration PERIOD = Duration.ofSeconds(15);
    private static final long SMALL_BYTES = 128L * 1024 * 1024;

    private long acceptable = SMALL_BYTES;

    private HeapTrimmer() {}

    /** Watches the heap from now on, in a thread that does not keep the program alive. */
    static void start() {
        Threads.daemon("howdah-heap", new HeapTrimmer()::watch).start();
    }

    private void watch() {
        while (!Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(PERIOD.toNanos());
            if (Runtime.getRuntime().totalMemory() > acceptable) collect();
        }
    }

    /** What is really in use may double before the next collection is worth its while. */
    private void collect() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        acceptable = Math.max(SMALL_BYTES, 2 * (runtime.totalMemory() - runtime.freeMemory()));
    }
}
