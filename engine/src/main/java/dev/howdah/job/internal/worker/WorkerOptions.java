package dev.howdah.job.internal.worker;

import dev.howdah.internal.run.Threads;
import dev.howdah.job.internal.handler.AbandonPolicy;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.spi.JobDemand;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/** The options of a node's workers: how many jobs run at a time, in which threads, and when a handler is abandoned. Not safe for use by many threads. */
public final class WorkerOptions {
    private static final int MOST_THREADS = 10_000;

    private @Nullable JobDemand demand;
    private int concurrency = 10;
    private WorkerThreads.Maker threads = prefix -> WorkerThreads.of(Threads.platform(prefix));
    private @Nullable Duration abandonAfter = AbandonPolicy.GRACE;
    /** Negative: as many as jobs run at a time. */
    private int mostAbandoned = -1;

    /** @throws IllegalArgumentException if it is not 1 to 10,000 */
    public void concurrency(int jobs) {
        if (jobs < 1 || jobs > MOST_THREADS)
            throw new IllegalArgumentException("a concurrency of " + jobs + ": it has to be 1 to " + MOST_THREADS);
        concurrency = jobs;
    }

    public int concurrency() {
        return concurrency;
    }

    public void demand(JobDemand of) {
        demand = Objects.requireNonNull(of, "a demand is needed, not null");
    }

    /** What is wanted of the node; null: as much as it can do. */
    public @Nullable JobDemand demand() {
        return demand;
    }

    /** @throws UnsupportedOperationException before JDK 21 */
    public void virtualThreads() {
        Threads.requireVirtual();
        threads = prefix -> WorkerThreads.of(Threads.virtual(prefix));
    }

    public void threadFactory(ThreadFactory factory) {
        Objects.requireNonNull(factory, "a thread factory is needed, not null");
        threads = prefix -> WorkerThreads.of(factory);
    }

    public void executor(Executor executor) {
        Objects.requireNonNull(executor, "an executor is needed, not null");
        threads = prefix -> WorkerThreads.lent(executor);
    }

    public WorkerThreads.Maker threads() {
        return threads;
    }

    /** @throws IllegalArgumentException if the grace is negative or longer than a thousand years, or {@code most} is not 0 to 10,000 */
    public void abandonAfter(Duration grace, int most) {
        if (most < 0 || most > MOST_THREADS)
            throw new IllegalArgumentException(most + " abandoned handlers: it has to be 0 to " + MOST_THREADS);
        abandonAfter = Durations.check(grace);
        mostAbandoned = most;
    }

    public void neverAbandon() {
        abandonAfter = null;
    }

    public AbandonPolicy abandonPolicy() {
        return abandonAfter == null
                ? AbandonPolicy.never()
                : new AbandonPolicy(Durations.nanos(abandonAfter), mostAbandoned < 0 ? concurrency : mostAbandoned);
    }
}
