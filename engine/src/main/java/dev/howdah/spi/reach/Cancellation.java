package dev.howdah.spi.reach;

import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says that a task is to stop, and stops what waits. Safe for use by many threads. */
public final class Cancellation {
    private static final Logger log = LoggerFactory.getLogger(Cancellation.class);

    private final List<Runnable> actions = new ArrayList<>();
    private boolean cancelled;

    /** Returns whether the task is to stop. */
    public synchronized boolean isCancelled() {
        return cancelled;
    }

    /**
     * Does that when the task is to stop, in the thread that says so; at once where that has been said. It must not wait: it closes what the
     * task waits for.
     */
    public void onCancel(Runnable action) {
        synchronized (this) {
            if (!cancelled) {
                actions.add(action);
                return;
            }
        }
        run(action);
    }

    /** The task is to stop. A second call does nothing. */
    public void cancel() {
        List<Runnable> all;
        synchronized (this) {
            if (cancelled) return;
            cancelled = true;
            all = List.copyOf(actions);
            actions.clear();
        }
        all.forEach(Cancellation::run);
    }

    private static void run(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            log.warn("a task could not be stopped", e);
        }
    }
}
