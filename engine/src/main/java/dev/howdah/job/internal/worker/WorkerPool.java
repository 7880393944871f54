package dev.howdah.job.internal.worker;

import dev.howdah.internal.error.ErrorText;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.execute.JobExecutor;
import dev.howdah.job.internal.execute.RunningJobs;
import dev.howdah.spi.JobDemand;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The workers of a node: as many threads as it has to run jobs at a time, started when there is work for them. Jobs of one batch
 * are spread over all of them, so that a slow job delays no other. A worker that ends is replaced. Safe for use by many threads.
 */
public final class WorkerPool implements RunningJobs.Owner {
    private static final Logger log = LoggerFactory.getLogger(WorkerPool.class);
    /** How much work is kept ready, so that no worker waits for the database. */
    private static final long AHEAD_NANOS = 20_000_000;

    private static final int AHEAD_MOST = 4000;

    /** A thread of the program that has no work goes back after this time. */
    private static final long LENT_NANOS = 1_000_000_000;

    /** After an error that is none of a job's, so long before the next worker begins. */
    private static final long PAUSE_MILLIS = 100;

    private final int size;
    private final WorkerThreads threads;
    private final JobExecutor runner;
    private final Consumer<ClaimedBatch> ended;
    private final Runnable hungry;
    private final DemandRoom demand;
    private final Queue<ClaimedBatch> batches = new ConcurrentLinkedQueue<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition offered = lock.newCondition();
    private volatile int idle;
    private volatile boolean closing;
    private volatile boolean stopped;
    private volatile int ahead;
    private long meanNanos = AHEAD_NANOS;
    /** How many threads there are. */
    private int started;
    /** How many of them wait for work, and how many of those are told already that there is some. */
    private int waiting;

    private int told;

    /**
     * @param ended called in a worker's thread with a batch whose last job has ended
     * @param hungry called in a worker's thread when few jobs are left
     * @param demand bounds how many jobs are claimed; null: none does
     */
    public WorkerPool(
            int size,
            WorkerThreads threads,
            JobExecutor runner,
            Consumer<ClaimedBatch> ended,
            Runnable hungry,
            @Nullable JobDemand demand) {
        this.demand = new DemandRoom(demand);
        this.size = size;
        this.threads = threads;
        this.runner = runner;
        this.ended = ended;
        this.hungry = hungry;
        this.ahead = ahead();
        this.idle = size;
        runner.running().whenAbandonedEnds(this::placeIsBack);
    }

    private int ahead() {
        return (int) Math.min(size * AHEAD_NANOS / Math.max(meanNanos, 1), AHEAD_MOST);
    }

    /** How many more jobs it would like to have. */
    public int room() {
        if (places() == 0) return 0;
        int ready = ready();
        return Math.min(idle + ahead, demand.room()) - ready;
    }

    private int ready() {
        int ready = 0;
        for (ClaimedBatch batch : batches) ready += batch.ready();
        return ready;
    }

    /** How many jobs of a demand are ready, or have begun and not ended. */
    public int jobs() {
        int ready = ready();
        return ready + demand.begun();
    }

    /** How many workers do nothing; some of them may be about to begin a job of a batch that was offered. */
    public int idle() {
        return idle;
    }

    /** How many threads may run jobs: fewer than its size while too many abandoned handlers run. */
    private int places() {
        return Math.max(0, size - runner.running().lostPlaces());
    }

    public void offer(ClaimedBatch batch) {
        batches.add(batch);
        if (closing) giveBack();
        else wakeOne();
    }

    /** A place in the width of a batch became free without a worker that would take it. */
    public void placeIsFree() {
        if (!batches.isEmpty()) wakeOne();
    }

    private void wakeOne() {
        lock.lock();
        try {
            if (waiting > told) {
                told++;
                offered.signal();
            } else if (started < places() && !stopped) {
                startOne();
            }
        } finally {
            lock.unlock();
        }
    }

    private void startOne() {
        started++;
        count();
        try {
            threads.executor().execute(this::work);
        } catch (Throwable e) {
            // Such as no memory for its stack: those that there are go on, and it is tried again with the next batch.
            started--;
            count();
            log.error("worker {} could not be started: {}", started + 1, ErrorText.line(e));
        }
    }

    private void count() {
        idle = waiting + Math.max(0, places() - started);
    }

    private void work() {
        RunningJobs.Seat seat = runner.running().seat(this);
        try {
            runJobs(seat);
        } catch (Throwable e) {
            died(e);
        } finally {
            if (seat.isAbandoned()) {
                runner.running().abandonedEnded();
            } else {
                runner.running().leave(seat);
                replace();
            }
        }
    }

    private void runJobs(RunningJobs.Seat seat) {
        for (ClaimedBatch batch = next(); batch != null; batch = next()) {
            try {
                runJobs(seat, batch);
            } finally {
                if (!seat.isAbandoned()) batch.leave();
            }
            if (seat.isAbandoned()) return;
        }
    }

    /** One job, or all that the batch still has if it has a width: the place of this thread is used until no job is left for it. */
    private void runJobs(RunningJobs.Seat seat, ClaimedBatch batch) {
        do {
            demand.begins();
            try {
                if (!runNext(seat, batch)) return;
            } finally {
                demand.ended();
            }
        } while (batch.width() != null && !stopped && !seat.isAbandoned());
    }

    /** Returns false if the batch has no job left. */
    private boolean runNext(RunningJobs.Seat seat, ClaimedBatch batch) {
        int i = batch.begin();
        if (i < 0) {
            remove(batch);
            return false;
        }
        int left = batch.isInRuns() ? batch.ready() : batch.waiting();
        // The worker that was told of the next batch may have taken the last job of this one.
        if (idle > 0 && ((left > 0 && !batch.isFull()) || hasOther(batch, left))) wakeOne();
        if (left == 0 || left == batch.size() / 2) hungry.run();
        int together = together(batch);
        if (together > 1) runner.shared().run(seat, batch, together, () -> another(batch), this::done);
        else if (batch.isTooLate() ? batch.giveBack(i) : runner.run(seat, batch, i)) done(batch);
        return true;
    }

    /** How many jobs that are ready may run in one transaction with the job of that batch, this one included. Each thread gets its share. */
    private int together(ClaimedBatch batch) {
        int most = batch.isTooLate() ? 1 : runner.shared().most(batch);
        if (most > 1) most = Math.min(most, batches.size() / Math.max(places(), 1) + 1);
        if (most > 1) for (ClaimedBatch each : batches) if (joins(each, batch)) return most;
        return 1;
    }

    /** The next one of them, begun by this thread: only when it is its turn, so that it is another thread's where those before it are slow. */
    private @Nullable ClaimedBatch another(ClaimedBatch first) {
        for (ClaimedBatch each : batches) {
            if (closing) return null;
            if (!joins(each, first) || each.begin() < 0) continue;
            batches.remove(each);
            return each;
        }
        return null;
    }

    private boolean joins(ClaimedBatch each, ClaimedBatch first) {
        return each != first
                && each.token() == first.token()
                && each.size() == 1
                && each.waiting() > 0
                && each.kind(0).equals(first.kind(0))
                && !each.isTooLate()
                && runner.shared().most(each) > 1;
    }

    /** Nothing of that batch may begin, unless a job of a run may since this was seen: then another thread has offered it, perhaps as the entry that is removed. */
    private void remove(ClaimedBatch batch) {
        batches.remove(batch);
        if (batch.ready() > 0) offer(batch);
    }

    /** Whether a thread may begin a job of another batch. */
    private boolean hasOther(ClaimedBatch batch, int left) {
        if (left == 0) remove(batch);
        for (ClaimedBatch each : batches) if (each != batch && !each.isFull()) return true;
        return false;
    }

    private static void died(Throwable e) {
        try {
            log.error("a worker has ended and is replaced: {}", ErrorText.of(e).text());
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (Throwable another) {
            // It has ended either way.
        }
    }

    /** This thread ends: another one begins when there is work, which may be now. */
    private void replace() {
        lock.lock();
        try {
            started--;
            count();
        } finally {
            lock.unlock();
        }
        if (!batches.isEmpty()) wakeOne();
    }

    /** Its thread counts no more: as many others may run as before, unless there are too many such threads. */
    @Override
    public void abandoned(RunningJobs.Seat seat) {
        replace();
        int lost = runner.running().lostPlaces();
        if (lost > 0)
            log.error(
                    "{} abandoned handlers still run, more than the {} for which there are other threads: {}",
                    runner.running().abandoned(),
                    runner.running().policy().most(),
                    places() == 0
                            ? "no jobs are claimed until some of them end"
                            : "at most " + places() + " of " + size + " jobs run at a time until some of them end");
        hungry.run();
    }

    @Override
    public void ended(ClaimedBatch batch, boolean last) {
        batch.leave();
        if (last) done(batch);
        else placeIsFree();
    }

    @Override
    public boolean begins() {
        return !closing;
    }

    /** An abandoned handler has ended, and its place may be free again. */
    private void placeIsBack() {
        lock.lock();
        try {
            count();
        } finally {
            lock.unlock();
        }
        placeIsFree();
        hungry.run();
    }

    /** So long a job took; of a job that still runs, so long it took until now. */
    public void measured(long nanos) {
        lock.lock();
        try {
            meanNanos = (meanNanos + nanos) / 2;
            ahead = ahead();
        } finally {
            lock.unlock();
        }
    }

    private void done(ClaimedBatch batch) {
        measured(batch.meanNanos());
        ended.accept(batch);
    }

    /** Enters the first batch that has a place. */
    private @Nullable ClaimedBatch entered() {
        // Asked for each job: mostly it is the first one, and no iterator is needed.
        ClaimedBatch first = batches.peek();
        if (first == null || first.enter()) return first;
        for (ClaimedBatch batch : batches) if (batch != first && batch.enter()) return batch;
        return null;
    }

    /** A batch that may have jobs to begin, and that this thread has entered; waits for one, null when stopped. */
    private @Nullable ClaimedBatch next() {
        ClaimedBatch batch = stopped ? null : entered();
        if (batch != null) return batch;
        lock.lock();
        try {
            while (true) {
                if (stopped) return null;
                batch = entered();
                if (batch != null) return batch;
                waiting++;
                count();
                try {
                    hungry.run();
                    if (!threads.lent()) offered.await();
                    else if (offered.awaitNanos(LENT_NANOS) <= 0 && told == 0) return null;
                } catch (InterruptedException e) {
                    // Of a handler that has ended long ago: it is nothing to this worker.
                } finally {
                    waiting--;
                    if (told > 0) told--;
                    count();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Begins nothing more: what has not begun is given back. */
    public void giveBack() {
        closing = true;
        for (ClaimedBatch batch = batches.poll(); batch != null; batch = batches.poll()) {
            if (batch.giveBack()) ended.accept(batch);
        }
    }

    /** Ends the threads as soon as what they run has ended. */
    public void stop() {
        stopped = true;
        lock.lock();
        try {
            offered.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
