package dev.howdah.job.internal.claim;

import dev.howdah.job.internal.attempt.ClaimedJob;
import dev.howdah.job.internal.batch.ClaimedBatch;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Routes cancellations to the jobs that this node has. A cancellation may be heard of before the claim of its job is answered, and between
 * two claims of it: it is remembered until the look at the table of cancellations that comes each second. Safe for use by many threads.
 */
public final class CancelRouter {
    /** For some of those looks. */
    private static final long REMEMBERED_NANOS = Duration.ofSeconds(10).toNanos();

    /** Any role that may connect can send notifications; if more come all jobs are taken to be cancelled until one has asked. */
    private static final int MOST_REMEMBERED = 1000;

    private final OpenBatches batches;
    private final Consumer<Set<ClaimedJob>> interrupts;
    private final LongSupplier clock;
    private final Map<Long, Long> heardAt = new ConcurrentHashMap<>();
    private volatile long overflowAt;
    private Set<ClaimedJob> cancelled = Set.of();

    /** @param interrupts told which of the node's jobs are cancelled */
    CancelRouter(OpenBatches batches, Consumer<Set<ClaimedJob>> interrupts) {
        this(batches, interrupts, System::nanoTime);
    }

    /** The same; {@code clock}: of nanoseconds. */
    CancelRouter(OpenBatches batches, Consumer<Set<ClaimedJob>> interrupts, LongSupplier clock) {
        this.batches = batches;
        this.interrupts = interrupts;
        this.clock = clock;
        this.overflowAt = clock.getAsLong() - REMEMBERED_NANOS;
    }

    /** Cancels those of these jobs that this node has claimed and that have not ended. */
    public synchronized void cancel(Set<Long> jobs) {
        // Not by their ids: a job that is retried has another attempt, which is not cancelled.
        Set<ClaimedJob> mine = Collections.newSetFromMap(new IdentityHashMap<>());
        for (ClaimedBatch batch : batches.open())
            for (int i = 0; i < batch.size(); i++) {
                ClaimedJob job = batch.job(i);
                if (batch.result(i) == null && (jobs.contains(job.id()) || cancelled.contains(job))) mine.add(job);
            }
        cancelled = mine;
        interrupts.accept(mine);
    }

    /**
     * A notification says that the cancellation of these jobs stands in the table.
     *
     * @return whether this node has one of them
     */
    public boolean heard(Set<Long> jobs) {
        long now = clock.getAsLong();
        heardAt.values().removeIf(at -> now - at >= REMEMBERED_NANOS);
        for (Long job : jobs) {
            if (heardAt.size() < MOST_REMEMBERED) heardAt.put(job, now);
            else overflowAt = now;
        }
        for (ClaimedBatch batch : batches.open())
            for (int i = 0; i < batch.size(); i++)
                if (jobs.contains(batch.job(i).id())) return true;
        return false;
    }

    /** The jobs of these batches that may have been cancelled before the batches were open: the table knows. */
    Set<Long> askedOf(Collection<ClaimedBatch> opened) {
        long now = clock.getAsLong();
        boolean any = now - overflowAt < REMEMBERED_NANOS;
        if (!any && heardAt.isEmpty()) return Set.of();
        Set<Long> asked = new HashSet<>();
        for (ClaimedBatch batch : opened)
            for (int i = 0; i < batch.size(); i++) {
                Long job = batch.job(i).id();
                Long at = heardAt.get(job);
                if (any || at != null && now - at < REMEMBERED_NANOS) asked.add(job);
            }
        return asked;
    }
}
