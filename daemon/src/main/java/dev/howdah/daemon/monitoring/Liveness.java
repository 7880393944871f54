package dev.howdah.daemon.monitoring;

import dev.howdah.internal.run.Threads;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/** Whether the process does its work, or is to be started again. */
final class Liveness {
    private Liveness() {}

    /** Why it is to be started again: threads wait for each other for ever, or one that never ends has ended; null: it is alive. */
    static @Nullable String obstacle() {
        if (ManagementFactory.getThreadMXBean().findDeadlockedThreads() != null)
            return "threads wait for each other for ever";
        return Threads.brokenLoop();
    }
}
