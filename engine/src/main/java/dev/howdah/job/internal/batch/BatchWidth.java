package dev.howdah.job.internal.batch;

import java.util.concurrent.Semaphore;

/**
 * How many jobs of one claim run at the same time at most; all batches of the claim share it. A thread enters before it begins the next
 * job, and leaves when it begins no further one. Safe for use by many threads.
 */
public final class BatchWidth {
    private final int most;
    private final Semaphore places;

    /** @param most 1 or more */
    public BatchWidth(int most) {
        if (most < 1) throw new IllegalArgumentException("a width of " + most + ": it has to be 1 or more");
        this.most = most;
        this.places = new Semaphore(most);
    }

    public int most() {
        return most;
    }

    /** Takes a place if one is free. */
    boolean enter() {
        return places.tryAcquire();
    }

    /** Waits for a place. */
    void awaitPlace() throws InterruptedException {
        places.acquire();
    }

    void leave() {
        places.release();
    }

    /** How many places are free. */
    int free() {
        return places.availablePermits();
    }
}
