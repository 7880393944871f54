package dev.howdah.job.internal.batch;

import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.run.Threads;
import dev.howdah.job.query.FailedJob;
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
 * Tells listeners of the program which jobs have failed for good, in a thread of its own. When they are slow what is beyond a bound is left out: they
 * never delay the writing of outcomes. Safe for use by many threads.
 */
public final class FailureDispatcher {
    private static final Logger log = LoggerFactory.getLogger(FailureDispatcher.class);
    private static final int MOST = 1_000;
    private static final long CLOSE_SECONDS = 5;

    private final List<Consumer<FailedJob>> listeners;
    private final ThreadPoolExecutor thread;
    private final AtomicLong leftOut = new AtomicLong();

    public FailureDispatcher(List<Consumer<FailedJob>> listeners) {
        this.listeners = List.copyOf(listeners);
        this.thread = new ThreadPoolExecutor(
                1, 1, 10, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MOST), Threads.platform("howdah-job-failed"));
        thread.allowCoreThreadTimeOut(true);
    }

    /** The failure of a job is durable. */
    void failed(ClaimedBatch batch, int i, String error) {
        if (listeners.isEmpty()) return;
        ClaimedJob job = batch.job(i);
        FailedJob failed = new FailedJob(
                job.id(), batch.lane().queue(), batch.kind(i), job.attempt() + 1, error, job.payload());
        try {
            thread.execute(() -> tell(failed));
        } catch (RejectedExecutionException e) {
            if (leftOut.getAndIncrement() == 0)
                log.warn("the listeners of failed jobs are slow: {} wait, more are left out", MOST);
        }
    }

    private void tell(FailedJob failed) {
        long missed = leftOut.getAndSet(0);
        if (missed > 0) log.warn("{} failed jobs were left out, since their listeners are slow", missed);
        for (Consumer<FailedJob> each : listeners) {
            try {
                each.accept(failed);
            } catch (Throwable e) {
                log.warn("a listener of failed jobs has thrown, for job {}: {}", failed.id(), ErrorText.line(e));
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
        if (missed > 0) log.warn("{} failed jobs were left out: their listeners were not done at the end", missed);
    }
}
