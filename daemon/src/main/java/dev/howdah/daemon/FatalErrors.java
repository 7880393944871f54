package dev.howdah.daemon;

import dev.howdah.internal.run.Threads;
import java.io.PrintStream;

/**
 * Ends the process after an {@link Error} in any of its threads, at once and with a line: without memory, or without a class, it would live on and
 * do nothing. Its supervisor starts it again, and what it was about to do goes on elsewhere, as after a crash.
 */
final class FatalErrors {
    /** That of the JVM after an {@code OutOfMemoryError}, see {@code -XX:+ExitOnOutOfMemoryError}. */
    private static final int EXIT = 3;

    private FatalErrors() {}

    /** From now on. */
    static void endProgram(PrintStream err) {
        Threads.onError(e -> end(err, e));
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> {
            if (e instanceof Error error) end(err, error);
            Threads.failed(e);
        });
    }

    private static void end(PrintStream err, Error e) {
        try {
            err.println("howdah: ending after an error in thread "
                    + Thread.currentThread().getName() + ": " + e);
            e.printStackTrace(err);
            err.flush();
        } finally {
            // Not by way of the hooks: they would need what is missing.
            Runtime.getRuntime().halt(EXIT);
        }
    }
}
