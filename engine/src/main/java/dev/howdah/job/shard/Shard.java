package dev.howdah.job.shard;

import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.error.OutageLog;
import dev.howdah.internal.run.Threads;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsBuilder;
import dev.howdah.job.JobsException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One of several databases: its {@link Jobs} as soon as the database can be used, which is tried again and again in a thread of its own. From then on these
 * reconnect by themselves. Safe for use by many threads.
 */
final class Shard {
    private static final Logger log = LoggerFactory.getLogger(Shard.class);
    private static final long AGAIN_MILLIS = 1_000;

    private final String name;
    private final JobsBuilder builder;
    private final OutageLog outage;
    private final CountDownLatch tried = new CountDownLatch(1);
    private final CountDownLatch closing = new CountDownLatch(1);
    private volatile @Nullable Jobs jobs;
    private volatile @Nullable RuntimeException failure;

    Shard(String name, JobsBuilder builder) {
        this.name = name;
        this.builder = builder;
        this.outage = new OutageLog(log, "shard " + name);
    }

    String name() {
        return name;
    }

    void begin() {
        Threads.daemon("howdah-shard-" + name, this::reach).start();
    }

    private void reach() {
        do {
            try {
                keep(builder.start());
                outage.worked();
                return;
            } catch (RuntimeException e) {
                failure = e;
                outage.failed("its jobs cannot be worked", ErrorText.line(e));
            } finally {
                tried.countDown();
            }
        } while (!isClosedWithin(AGAIN_MILLIS));
    }

    private boolean isClosedWithin(long millis) {
        try {
            return closing.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return true;
        }
    }

    private void keep(Jobs made) {
        synchronized (this) {
            if (closing.getCount() > 0) {
                jobs = made;
                return;
            }
        }
        made.close();
    }

    /** Waits for the first attempt to end, but not longer than until then. */
    void awaitTried(long nanos) throws InterruptedException {
        if (tried.await(Math.max(0, nanos), TimeUnit.NANOSECONDS)) return;
        log.warn("shard {}: its database has not answered yet; the others begin without it", name);
    }

    /** What the last attempt failed with; null: none has, or the database can be used. */
    @Nullable
    RuntimeException failure() {
        return jobs == null ? failure : null;
    }

    boolean isReached() {
        return jobs != null;
    }

    /** @throws JobsException if the database could not be used since the start */
    Jobs jobs() {
        Jobs reached = jobs;
        if (reached != null) return reached;
        RuntimeException why = failure;
        String message = "shard " + name + " has not been reached since the start";
        if (closing.getCount() == 0) message = "these jobs are closed, and " + message;
        throw why == null ? new JobsException(message) : new JobsException(message + ": " + why.getMessage(), why);
    }

    void close() {
        Jobs reached;
        synchronized (this) {
            closing.countDown();
            reached = jobs;
        }
        if (reached != null) reached.close();
    }
}
