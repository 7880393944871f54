package dev.howdah.embedded.internal.server;

import dev.howdah.embedded.internal.system.ExternalCommand;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The end of a server: fast (SIGINT), after 30 s immediate (SIGQUIT), after 5 s more by force. */
public final class Shutdown {
    private static final Logger LOG = LoggerFactory.getLogger(Shutdown.class);
    private static final Duration FAST = Duration.ofSeconds(30);
    private static final Duration IMMEDIATE = Duration.ofSeconds(5);

    private Shutdown() {}

    /** Returns when the process is gone; an interrupt does not hasten it and is kept for the caller. */
    static void of(ProcessHandle process) {
        boolean interrupted = Thread.interrupted();
        try {
            ExternalCommand.signal(process, "INT");
            if (!ended(process, FAST)) {
                LOG.warn("PostgreSQL (process {}) did not stop in {} s: ending it", process.pid(), FAST.toSeconds());
                ExternalCommand.signal(process, "QUIT");
                if (!ended(process, IMMEDIATE)) {
                    process.destroyForcibly();
                    ended(process, IMMEDIATE);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static boolean ended(ProcessHandle process, Duration limit) {
        CompletableFuture<ProcessHandle> exit = process.onExit();
        long deadline = System.nanoTime() + limit.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    exit.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
                    return true;
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (TimeoutException e) {
                    return !process.isAlive();
                } catch (ExecutionException e) {
                    throw new IllegalStateException(e);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
