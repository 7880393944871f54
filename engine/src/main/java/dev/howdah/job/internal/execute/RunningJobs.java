package dev.howdah.job.internal.execute;

import dev.howdah.job.internal.attempt.ClaimedJob;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.handler.AbandonPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The jobs that run on this node, to be interrupted, and the threads of handlers that did not stop. Safe for use by many threads. */
public final class RunningJobs {
    private final AbandonPolicy policy;
    private final List<Seat> seats = new CopyOnWriteArrayList<>();
    private final AtomicInteger abandoned = new AtomicInteger();
    private volatile Set<ClaimedJob> cancelled = Set.of();
    private volatile Runnable ended = () -> {};
    private volatile boolean stopping;

    RunningJobs(AbandonPolicy policy) {
        this.policy = policy;
    }

    /** The owner of threads that run jobs. Its methods return soon. */
    public interface Owner {
        /** The thread of that seat runs a handler that does not stop: another one may take its place. */
        void abandoned(Seat seat);

        /**
         * That attempt has its result.
         *
         * @param last whether it was the last one of its batch
         */
        void ended(ClaimedBatch batch, boolean last);

        /** Whether its threads begin further jobs. */
        default boolean begins() {
            return true;
        }
    }

    private static final Owner NONE = new Owner() {
        @Override
        public void abandoned(Seat seat) {}

        @Override
        public void ended(ClaimedBatch batch, boolean last) {}
    };

    /** The place of one thread that runs jobs, where others see what it runs. */
    public static final class Seat {
        private final Owner owner;
        private volatile @Nullable RunningJob running;
        private volatile boolean abandoned;
        private volatile Consumer<ClaimedBatch> left = running -> {};

        private Seat(Owner owner) {
            this.owner = owner;
        }

        /** From now on the thread runs that job. */
        void begin(RunningJob run) {
            running = run;
        }

        void end() {
            running = null;
        }

        /** Whether the thread is given up: when its handler ends it ends, too, and nothing else is done. */
        public boolean isAbandoned() {
            return abandoned;
        }

        /** @param then called with the batch of the handler when the thread is given up: of what else it has claimed nothing begins */
        void whenAbandoned(Consumer<ClaimedBatch> then) {
            left = then;
        }

        void abandon() {
            abandoned = true;
        }

        Owner owner() {
            return owner;
        }
    }

    /** A place for a thread that runs jobs and is never abandoned. */
    public Seat seat() {
        return seat(NONE);
    }

    /** A place for a thread that runs jobs. */
    public Seat seat(Owner owner) {
        Seat seat = new Seat(owner);
        seats.add(seat);
        return seat;
    }

    /** That thread runs no more. */
    public void leave(Seat seat) {
        seats.remove(seat);
    }

    private List<RunningJob> all() {
        List<RunningJob> all = new ArrayList<>();
        for (Seat seat : seats) {
            RunningJob run = seat.running;
            if (run != null) all.add(run);
        }
        return all;
    }

    /** Interrupts what runs past its time. */
    public void interruptOverdue() {
        long now = System.nanoTime();
        for (RunningJob each : all()) if (each.isOverdue(now)) each.interrupt(RunningJob.Reason.TIMEOUT);
    }

    /**
     * Abandons the handlers that have not stopped when they were interrupted.
     *
     * @param then called with each
     */
    void abandonStuck(BiConsumer<Seat, RunningJob> then) {
        long now = System.nanoTime();
        for (Seat seat : seats) {
            RunningJob run = seat.running;
            if (run == null || !run.isStuck(now, policy.graceNanos()) || !run.abandon(seat)) continue;
            seats.remove(seat);
            abandoned.incrementAndGet();
            seat.owner.abandoned(seat);
            seat.left.accept(run.batch());
            then.accept(seat, run);
        }
    }

    /** The thread of an abandoned handler has ended. */
    public void abandonedEnded() {
        abandoned.decrementAndGet();
        ended.run();
    }

    /** How many abandoned handlers still run. */
    public int abandoned() {
        return abandoned.get();
    }

    /** How many places are lost, since more abandoned handlers run than get another thread in their place. */
    public int lostPlaces() {
        return Math.max(0, abandoned.get() - policy.most());
    }

    public AbandonPolicy policy() {
        return policy;
    }

    /** @param called when the thread of an abandoned handler has ended; the last one counts */
    public void whenAbandonedEnds(Runnable called) {
        ended = called;
    }

    /**
     * Interrupts those jobs, because they are cancelled; those that have not begun will not.
     *
     * @param jobs not changed any more; each is the same as itself alone
     */
    public void cancel(Set<ClaimedJob> jobs) {
        cancelled = jobs;
        for (RunningJob each : all()) if (jobs.contains(each.claimed())) each.interrupt(RunningJob.Reason.CANCELLED);
    }

    /** Whether a job that is about to begin is cancelled. A cancellation is recorded first, and only then are running jobs looked up. */
    boolean isCancelled(ClaimedJob job) {
        return cancelled.contains(job);
    }

    /** Interrupts the jobs of a batch that is not this node's any more. */
    public void lost(ClaimedBatch batch) {
        for (RunningJob each : all()) if (each.isOf(batch)) each.interrupt(RunningJob.Reason.LOST);
    }

    /** From now on handlers that ask know that the node is about to stop. */
    public void stopping() {
        stopping = true;
    }

    boolean isStopping() {
        return stopping;
    }

    /** Interrupts everything. */
    public void interruptAll(RunningJob.Reason reason) {
        for (RunningJob each : all()) each.interrupt(reason);
    }
}
