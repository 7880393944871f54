package dev.howdah.job.internal.execute;

import dev.howdah.job.internal.batch.ClaimedBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** The jobs that run on this node, to be interrupted. Safe for use by many threads. */
public final class RunningJobs {
    private final List<Seat> seats = new CopyOnWriteArrayList<>();
    private volatile Set<Long> cancelled = Set.of();

    /** The place of one thread that runs jobs, where others see what it runs. */
    public static final class Seat {
        private volatile @Nullable RunningJob running;

        /** From now on the thread runs that job. */
        void begin(RunningJob run) {
            running = run;
        }

        void end() {
            running = null;
        }
    }

    /** A place for a thread that runs jobs. */
    public Seat seat() {
        Seat seat = new Seat();
        seats.add(seat);
        return seat;
    }

    /** That thread runs no more. */
    void leave(Seat seat) {
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

    /** Interrupts those jobs, because they are cancelled; those that have not begun will not. */
    public void cancel(Set<Long> jobs) {
        cancelled = Set.copyOf(jobs);
        for (RunningJob each : all()) if (jobs.contains(each.id())) each.interrupt(RunningJob.Reason.CANCELLED);
    }

    /** Whether a job that is about to begin is cancelled. A cancellation is recorded first, and only then are running jobs looked up. */
    boolean isCancelled(long job) {
        Set<Long> jobs = cancelled;
        return !jobs.isEmpty() && jobs.contains(job);
    }

    /** Interrupts the jobs of a batch that is not this node's any more. */
    public void lost(ClaimedBatch batch) {
        for (RunningJob each : all()) if (each.isOf(batch)) each.interrupt(RunningJob.Reason.LOST);
    }

    /** Interrupts everything. */
    public void interruptAll(RunningJob.Reason reason) {
        for (RunningJob each : all()) each.interrupt(reason);
    }
}
