package dev.howdah.job.internal.worker;

import dev.howdah.spi.JobDemand;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The room that a demand leaves: it counts the jobs between the start of their attempt and its end, of which the demand may not know yet. Safe for
 * use by many threads.
 */
final class DemandRoom {
    private final @Nullable JobDemand demand;
    private final AtomicInteger begun = new AtomicInteger();

    /** @param demand null: none, and the room is without bound */
    DemandRoom(@Nullable JobDemand demand) {
        this.demand = demand;
    }

    /** To be called before the job is taken from those that are ready. */
    void begins() {
        if (demand != null) begun.incrementAndGet();
    }

    /** To be called after the handler has returned, or if there was no job. */
    void ended() {
        if (demand != null) begun.decrementAndGet();
    }

    /** How many have begun and not ended; 0 without a demand. */
    int begun() {
        return begun.get();
    }

    /** To be called after the ready jobs are counted: a job on its way is then counted twice at most, and never left out. */
    int room() {
        if (demand == null) return Integer.MAX_VALUE;
        // In this order: a handler that ends in between makes the room smaller, and its worker asks again.
        int on = begun.get();
        return demand.wanted() - on;
    }
}
