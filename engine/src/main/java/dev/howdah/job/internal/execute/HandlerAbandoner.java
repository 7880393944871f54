package dev.howdah.job.internal.execute;

import dev.howdah.internal.run.Threads;
import dev.howdah.job.JobsException;
import dev.howdah.job.internal.attempt.AttemptResult;
import dev.howdah.job.internal.batch.BatchMetrics;
import dev.howdah.job.internal.handler.HandlerRegistration;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.util.Map;
import org.slf4j.Logger;

/**
 * Ends the attempts of handlers that have not stopped some time after their interrupt: their threads are left alone, and what they do later
 * counts for nothing. Safe for use by many threads.
 */
final class HandlerAbandoner {
    private static final int FRAMES = 50;

    private final RunningJobs running;
    private final Map<String, HandlerRegistration<?>> works;
    private final AttemptResolver resolver;
    private final BatchMetrics metrics;
    private final Logger log;
    /** How many abandoned handlers run, as the metric says. */
    private int told;

    /** @param log where failed attempts are logged */
    HandlerAbandoner(
            RunningJobs running,
            Map<String, HandlerRegistration<?>> works,
            AttemptResolver resolver,
            BatchMetrics metrics,
            Logger log) {
        this.log = log;
        this.running = running;
        this.works = works;
        this.resolver = resolver;
        this.metrics = metrics;
    }

    /** Abandons those that have had their grace. What takes longer is done in other threads. */
    synchronized void abandonStuck() {
        tell();
        running.abandonStuck((seat, run) -> {
            Thread thread = Threads.daemon("howdah-job-abandoned", () -> end(seat, run));
            try {
                thread.start();
            } catch (Throwable e) {
                // Such as no memory for its stack.
                end(seat, run);
            }
        });
    }

    private void tell() {
        int now = running.abandoned();
        if (now == told) return;
        told = now;
        metrics.abandonedRunning(now);
    }

    private void end(RunningJobs.Seat seat, RunningJob run) {
        Duration grace = Duration.ofNanos(running.policy().graceNanos());
        try {
            metrics.abandoned(run.queue(), run.kind());
            log.warn(
                    "the handler of job {} ({}, {}) has not stopped {} after it was interrupted ({}) and is abandoned; its thread \"{}\" is at{}",
                    run.id(),
                    run.queue(),
                    run.kind(),
                    grace,
                    run.words(),
                    run.thread().getName(),
                    stack(run.thread()));
        } catch (Throwable e) {
            // An appender has thrown: it is no reason to keep the place.
        }
        // Else the outcome would wait for the locks of the transaction.
        run.connection().abort();
        seat.owner()
                .ended(run.batch(), run.batch().end(run.index(), result(run, grace), run.began(), System.nanoTime()));
    }

    private AttemptResult result(RunningJob run, Duration grace) {
        JobsException stuck = new JobsException("its handler has not stopped " + grace.toMillis() / 1000.0 + " s"
                + " after it was interrupted, and may still be running");
        HandlerRegistration<?> work = works.get(run.kind());
        RetryPolicy retries = work == null ? RetryPolicy.standard() : work.retries();
        try {
            return resolver.failure(stuck, retries, run.claimed(), run);
        } catch (Throwable e) {
            return AttemptResult.UNEXPECTED;
        }
    }

    private static String stack(Thread thread) {
        StringBuilder text = new StringBuilder();
        StackTraceElement[] frames = thread.getStackTrace();
        for (int i = 0; i < frames.length && i < FRAMES; i++)
            text.append("\n\tat ").append(frames[i]);
        return text.isEmpty() ? " (its stack is not known)" : text.toString();
    }
}
