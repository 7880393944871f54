package dev.howdah.job;

import dev.howdah.internal.run.Threads;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The workers of a node: a fixed number of threads that run jobs, virtual ones where the JDK has them. Jobs of one lease
 * are spread over all of them, so that a slow one holds up nobody. Safe for use by many threads.
 */
final class Crew {
    private static final Logger log = LoggerFactory.getLogger(Crew.class);
    /** Work for so long is kept ready, so that nobody waits for the database. */
    private static final long AHEAD_NANOS = 20_000_000;

    private static final int AHEAD_MOST = 1000;

    private final int size;
    private final JobRunner runner;
    private final Consumer<Lease> ended;
    private final Runnable hungry;
    private final ExecutorService threads = Threads.perTask("howdah-job");
    private final Queue<Lease> leases = new ConcurrentLinkedQueue<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition offered = lock.newCondition();
    private volatile int idle;
    private volatile boolean closing;
    private volatile boolean stopped;
    private volatile int ahead;
    private long meanNanos = AHEAD_NANOS;

    /**
     * @param ended called in a worker's thread with a lease whose last job has ended
     * @param hungry called in a worker's thread when few jobs are left
     */
    Crew(int size, JobRunner runner, Consumer<Lease> ended, Runnable hungry) {
        this.size = size;
        this.runner = runner;
        this.ended = ended;
        this.hungry = hungry;
        this.ahead = ahead();
    }

    private int ahead() {
        return (int) Math.min(size * AHEAD_NANOS / Math.max(meanNanos, 1), AHEAD_MOST);
    }

    void start() {
        for (int i = 0; i < size; i++) threads.execute(this::work);
    }

    /** How many more jobs it would like to have. */
    int room() {
        int room = idle + ahead;
        for (Lease lease : leases) room -= lease.waiting();
        return room;
    }

    void offer(Lease lease) {
        leases.add(lease);
        if (closing) giveBack();
        else wakeOne();
    }

    private void wakeOne() {
        lock.lock();
        try {
            offered.signal();
        } finally {
            lock.unlock();
        }
    }

    private void work() {
        JobRunner.Seat seat = runner.seat();
        try {
            for (Lease lease = next(); lease != null; lease = next()) {
                int i = lease.begin();
                if (i < 0) {
                    leases.remove(lease);
                    continue;
                }
                int left = lease.waiting();
                if (left > 0 && idle > 0) wakeOne();
                if (left == 0 || left == lease.size() / 2) hungry.run();
                if (runner.run(seat, lease, i)) done(lease);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            log.error("a worker has ended", e);
            throw e;
        } finally {
            runner.leave(seat);
        }
    }

    /** So long a job took; of a job that still runs, so long it took until now. */
    void measured(long nanos) {
        lock.lock();
        try {
            meanNanos = (meanNanos + nanos) / 2;
            ahead = ahead();
        } finally {
            lock.unlock();
        }
    }

    private void done(Lease lease) {
        measured(lease.meanNanos());
        ended.accept(lease);
    }

    /** A lease that may have jobs to begin; waits for one, null when stopped. */
    private @Nullable Lease next() throws InterruptedException {
        Lease lease = leases.peek();
        if (lease != null && !stopped) return lease;
        lock.lock();
        try {
            while (true) {
                if (stopped) return null;
                lease = leases.peek();
                if (lease != null) return lease;
                idle++;
                try {
                    hungry.run();
                    offered.await();
                } finally {
                    idle--;
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Begins nothing more: what has not begun is given back. */
    void giveBack() {
        closing = true;
        for (Lease lease = leases.poll(); lease != null; lease = leases.poll()) {
            if (lease.giveBack()) ended.accept(lease);
        }
    }

    /** Ends the threads as soon as what they run has ended. */
    void stop() {
        stopped = true;
        lock.lock();
        try {
            offered.signalAll();
        } finally {
            lock.unlock();
        }
        threads.shutdown();
    }
}
