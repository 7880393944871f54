package dev.howdah.embedded.internal.server;

import dev.howdah.embedded.internal.system.ExternalCommand;
import dev.howdah.embedded.internal.system.IoErrors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running server process and the thread that started it. The thread does nothing but wait for it, because its own
 * end is what makes the kernel stop the server: the "parent" of a death signal is a thread, not a process.
 */
public final class Postmaster {
    private static final Logger LOG = LoggerFactory.getLogger(Postmaster.class);

    private final CompletableFuture<Process> started = new CompletableFuture<>();
    private final CompletableFuture<Integer> exited = new CompletableFuture<>();
    private final AtomicBoolean closing = new AtomicBoolean();

    private Postmaster() {}

    static Postmaster spawn(List<String> command, Path log) throws IOException {
        Postmaster postmaster = new Postmaster();
        Thread thread = new Thread(() -> postmaster.live(command, log), "howdah-postgres");
        thread.setDaemon(true);
        thread.start();
        try {
            postmaster.started.join();
        } catch (CompletionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IOException(command.get(0) + " could not be started: " + IoErrors.of(cause), cause);
        }
        return postmaster;
    }

    private void live(List<String> command, Path log) {
        try {
            Process process = ExternalCommand.builder(command)
                    .redirectInput(ExternalCommand.NOTHING)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            started.complete(process);
            exited.complete(await(process));
        } catch (IOException e) {
            started.completeExceptionally(e);
        }
    }

    private static int await(Process process) {
        while (true) {
            try {
                return process.waitFor();
            } catch (InterruptedException e) {
                LOG.debug("not ending before PostgreSQL does", e);
            }
        }
    }

    public long pid() {
        return started.join().pid();
    }

    /** Waits for the process to end, at most so long. */
    boolean ended(long millis) throws InterruptedException {
        return started.join().waitFor(millis, TimeUnit.MILLISECONDS);
    }

    /** Runs it once when the process ends by itself, at once if it has; not if {@link #stop} ended it. */
    public void onExit(Runnable action) {
        var unused = exited.thenAccept(code -> {
            if (!closing.get()) {
                try {
                    action.run();
                } catch (RuntimeException e) {
                    LOG.error("What was to be done at the end of PostgreSQL failed", e);
                }
            }
        });
    }

    public void stop() {
        closing.set(true);
        Process process = started.join();
        if (process.isAlive()) {
            Shutdown.of(process.toHandle());
        }
    }
}
