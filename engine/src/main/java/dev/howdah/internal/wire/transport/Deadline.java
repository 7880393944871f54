package dev.howdah.internal.wire.transport;

import dev.howdah.internal.run.Threads;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Closes a socket unless this is closed first: a limit for everything that waits on that socket. */
public final class Deadline implements AutoCloseable {
    private static final ScheduledThreadPoolExecutor WATCH = watch();

    private final @Nullable ScheduledFuture<?> future;
    private volatile boolean passed;

    /** @param limit zero for none */
    public Deadline(Duration limit, Closeable watched) {
        future = limit.isZero() ? null : WATCH.schedule(() -> pass(watched), limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void pass(Closeable watched) {
        passed = true;
        try {
            watched.close();
        } catch (IOException e) {
            // The thread that waits on it sees it closed all the same.
        }
    }

    /** Returns whether the time was up. */
    public boolean passed() {
        return passed;
    }

    @Override
    public void close() {
        if (future != null) future.cancel(false);
    }

    private static ScheduledThreadPoolExecutor watch() {
        ScheduledThreadPoolExecutor watch = Threads.clock("howdah-wire-deadline", 1);
        watch.setKeepAliveTime(10, TimeUnit.SECONDS);
        watch.allowCoreThreadTimeOut(true);
        return watch;
    }
}
