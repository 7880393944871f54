package dev.howdah.job;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of one batch, while this node works on them. Any worker may begin the next job and end those it has begun;
 * whoever ends the last one hands the lease to a claimer, and only a claimer writes.
 */
final class Lease {
    private final int node;
    private final Lane lane;
    private final @Nullable String kind;
    private final List<TakenJob> jobs;
    private final AtomicReferenceArray<@Nullable Verdict> verdicts;
    private final int[] begins;
    private final int[] runs;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger open;
    private final long taken = System.nanoTime();
    // Of the claimer that writes it alone: which batch it is now, and which of the jobs are in it, in the batch's
    // order.
    private volatile long batch;
    private List<Integer> members;

    /** @param kind of all jobs; null: each says its own */
    Lease(int node, long batch, Lane lane, @Nullable String kind, List<TakenJob> jobs) {
        this.node = node;
        this.batch = batch;
        this.lane = lane;
        this.kind = kind;
        this.jobs = jobs;
        this.verdicts = new AtomicReferenceArray<>(jobs.size());
        this.begins = new int[jobs.size()];
        this.runs = new int[jobs.size()];
        this.open = new AtomicInteger(jobs.size());
        this.members = new ArrayList<>(jobs.size());
        for (int i = 0; i < jobs.size(); i++) members.add(i);
    }

    int node() {
        return node;
    }

    long batch() {
        return batch;
    }

    Lane lane() {
        return lane;
    }

    int size() {
        return jobs.size();
    }

    TakenJob job(int i) {
        return jobs.get(i);
    }

    /** What that job is. */
    String kind(int i) {
        String own = jobs.get(i).kind();
        if (own == null) own = kind;
        if (own == null) throw new IllegalStateException("job " + jobs.get(i).id() + " has no kind");
        return own;
    }

    /** The kind of all jobs, or null if they have several. */
    @Nullable
    String kind() {
        return kind;
    }

    /** How long ago it was taken. */
    long ageNanos() {
        return System.nanoTime() - taken;
    }

    /** Whether nodes have died with its only job. */
    boolean isSuspect() {
        return jobs.get(0).deaths() > 0;
    }

    /** The next job to begin, or -1. */
    int begin() {
        while (next.get() < jobs.size()) {
            int i = next.getAndIncrement();
            if (i < jobs.size() && verdicts.get(i) == null) return i;
        }
        return -1;
    }

    /** Before anything has begun: this job will not begin here. Returns whether nothing is left to begin. */
    boolean refuse(int i) {
        verdicts.set(i, Verdict.UNKNOWN);
        return open.decrementAndGet() == 0;
    }

    /** How many have not begun. */
    int waiting() {
        return Math.max(jobs.size() - next.get(), 0);
    }

    /** Says how a job ended that {@link #begin} gave; returns whether it was the last one. */
    boolean end(int i, Verdict verdict, long beganNanos, long endedNanos) {
        begins[i] = toMicros(beganNanos - taken);
        runs[i] = toMicros(endedNanos - beganNanos);
        verdicts.set(i, verdict);
        return open.decrementAndGet() == 0;
    }

    static int toMicros(long nanos) {
        return (int) Math.min(Math.max(nanos / 1000, 0), Integer.MAX_VALUE);
    }

    /** What has not begun will not begin here any more; returns whether nothing runs either, if there was such a thing. */
    boolean giveBack() {
        int from = Math.min(next.getAndSet(jobs.size()), jobs.size());
        int given = 0;
        for (int i = from; i < jobs.size(); i++) if (verdicts.compareAndSet(i, null, Verdict.GIVEN_BACK)) given++;
        return given > 0 && open.addAndGet(-given) == 0;
    }

    /** When, in microseconds after it was taken, that moment was. */
    int micros(long nanos) {
        return toMicros(nanos - taken);
    }

    /** Whether all of its jobs have ended. */
    boolean hasEnded() {
        return open.get() <= 0;
    }

    /** How many have ended but are not written down, while others still run. */
    int unwritten() {
        int ended = 0;
        for (int i : members) if (verdicts.get(i) != null) ended++;
        return ended;
    }

    /** The mean of how long its jobs ran. */
    long meanNanos() {
        long sum = 0;
        for (int run : runs) sum += run;
        return sum * 1000 / runs.length;
    }

    /** Whether all that is to be said is when its jobs ran. */
    boolean isPlain() {
        for (int i = 0; i < jobs.size(); i++) {
            Verdict verdict = verdicts.get(i);
            if (verdict == null || !verdict.isPlain() || jobs.get(i).large()) return false;
        }
        return members.size() == jobs.size();
    }

    /** Whether it was written down in a transaction of its job's own. */
    boolean isWritten() {
        return verdicts.get(0) == Verdict.WRITTEN;
    }

    /** The jobs of the batch, in its order. */
    List<Integer> members() {
        return members;
    }

    /** How that job ended, or null if it has not. */
    @Nullable
    Verdict verdict(int i) {
        return verdicts.get(i);
    }

    int begins(int i) {
        return begins[i];
    }

    int runs(int i) {
        return runs[i];
    }

    /** The jobs that go on are in that batch now. */
    void moved(long to, List<Integer> going) {
        batch = to;
        members = going;
    }
}
