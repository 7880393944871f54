package dev.howdah.internal.run;

import dev.howdah.internal.error.ErrorText;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells listeners of the program what has happened, in a thread of its own. When they are slow, what is beyond a bound is left out: they never delay what
 * tells them. Safe for use by many threads.
 */
public final class ListenerQueue<T> {
    private static final Logger log = LoggerFactory.getLogger(ListenerQueue.class);
    private static final int MOST = 1_000;
    private static final long CLOSE_SECONDS = 5;

    private final String what;
    private final List<Consumer<T>> listeners;
    private final ThreadPoolExecutor thread;
    private final AtomicLong leftOut = new AtomicLong();

    /**
     * @param name of the thread
     * @param what they listen to, for the log: {@code failed jobs}
     */
    public ListenerQueue(String name, String what, List<Consumer<T>> listeners) {
        this.what = what;
        this.listeners = List.copyOf(listeners);
        this.thread = new ThreadPoolExecutor(
                1, 1, 10, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MOST), Threads.platform(name));
        thread.allowCoreThreadTimeOut(true);
    }

    /** Returns whether there are no listeners. */
    public boolean isEmpty() {
        return listeners.isEmpty();
    }

    /** That has happened. */
    public void tell(T event) {
        if (listeners.isEmpty()) return;
        try {
            thread.execute(() -> tellNow(event));
        } catch (RejectedExecutionException e) {
            if (leftOut.getAndIncrement() == 0)
                log.warn("the listeners of {} are slow: {} wait, more are left out", what, MOST);
        }
    }

    private void tellNow(T event) {
        long missed = leftOut.getAndSet(0);
        if (missed > 0) log.warn("{} {} were left out, since their listeners are slow", missed, what);
        for (Consumer<T> each : listeners) {
            try {
                each.accept(event);
            } catch (Throwable e) {
                log.warn("a listener of {} has thrown: {}", what, ErrorText.line(e));
            }
        }
    }

    /** Takes no more, and waits some seconds for the listeners. */
    public void close() {
        thread.shutdown();
        try {
            if (thread.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        int missed = thread.shutdownNow().size();
        if (missed > 0) log.warn("{} {} were left out: their listeners were not done at the end", missed, what);
    }
}
