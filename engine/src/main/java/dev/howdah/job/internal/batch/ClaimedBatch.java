package dev.howdah.job.internal.batch;

import dev.howdah.job.internal.attempt.AttemptResult;
import dev.howdah.job.internal.attempt.ClaimedJob;
import dev.howdah.job.internal.attempt.OrderRuns;
import dev.howdah.job.internal.lane.Lane;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of one batch, while this node works on them. Any worker may begin the next job and end those that it has begun. The call that ends
 * the last job reports the end of the batch, and its caller hands the batch to a claimer: only a claimer writes.
 *
 * <p>A job of the batch:
 *
 * <pre>
 *   offered --begin--&gt; begun --end--&gt; ended
 *      |                 |               ^
 *      |                 +---giveUp------+   a handler that ends later changes nothing
 *      +--refuse, giveBack, giveUp-------+
 * </pre>
 *
 * <p>The batch:
 *
 * <pre>
 *              last job ends
 *   open ---------------------------&gt; ended --settle--&gt; written
 *   |  ^                                ^
 *   |  +--release, jobs are left--+     |
 *   hold                          |     |
 *   +----&gt; held ------------------+-----+  release, no job is left
 *          |  ^
 *          |  +--moved--+   the ended jobs are written, the others are another batch now
 *          +------------+
 * </pre>
 *
 * <p>The first claimer holds a batch while it writes the jobs that have ended, so that its end is not reported meanwhile. If its session is
 * lost before the answer comes the batch stays held, and torn ({@code OpenBatches}), until the database has been asked in which batch the
 * other jobs are.
 */
public final class ClaimedBatch {
    private final int node;
    private final Lane lane;
    private final @Nullable String kind;
    private final List<ClaimedJob> jobs;
    /** In which order they begin: they stand as they lay in the table. Null: as they stand. */
    private final int @Nullable [] order;

    /** Null: each job is the only one of its order key here, or has none. */
    private final @Nullable OrderRuns inRuns;

    private final AtomicReferenceArray<@Nullable AttemptResult> results;
    private final int[] begins;
    private final int[] runs;
    private final AtomicInteger next = new AtomicInteger();
    private final BatchCountdown open;
    private final long taken = System.nanoTime();
    private volatile long turn = taken;
    /** Shared with the other batches of its claim; null: as many jobs run at a time as there are workers. */
    private final @Nullable BatchWidth width;

    /** Called when the next job of a run waits until it is written that the one before it is done. */
    private volatile Runnable turned = () -> {};

    /** Set by the claimer that writes the batch, and by no other thread. */
    private volatile Unwritten unwritten;

    /** Those whose children are cancelled when they are done, by what they did in this run; null: none. */
    private volatile @Nullable Set<Integer> parents;

    /** After this moment no job begins here; null: at any time. */
    private volatile @Nullable Long beginBefore;

    /**
     * The part of the batch that is not written.
     *
     * @param claim the batch that it is now
     * @param jobs in the order of that batch
     * @param lease whether it is a lease of a log queue
     * @param day of its row; null: not known
     */
    private record Unwritten(
            ClaimId claim,
            List<Integer> jobs,
            boolean lease,
            @Nullable String day) {}

    /** @param kind of all jobs; null: each says its own */
    public ClaimedBatch(int node, ClaimId claim, Lane lane, @Nullable String kind, List<ClaimedJob> jobs) {
        this(node, claim, lane, kind, jobs, null);
    }

    /**
     * @param kind of all jobs; null: each says its own
     * @param width how many of its claim run at the same time at most; null: as many as there are workers
     */
    public ClaimedBatch(
            int node,
            ClaimId claim,
            Lane lane,
            @Nullable String kind,
            List<ClaimedJob> jobs,
            @Nullable BatchWidth width) {
        this(node, claim, lane, kind, jobs, width, false, null);
    }

    /**
     * The same.
     *
     * @param lease whether it is a lease of a log queue
     * @param day of its row; null: not known
     */
    ClaimedBatch(
            int node,
            ClaimId claim,
            Lane lane,
            @Nullable String kind,
            List<ClaimedJob> jobs,
            @Nullable BatchWidth width,
            boolean lease,
            @Nullable String day) {
        this.node = node;
        this.width = width;
        this.lane = lane;
        this.kind = kind;
        this.jobs = jobs;
        this.order = order(jobs);
        this.inRuns = OrderRuns.of(jobs);
        this.results = new AtomicReferenceArray<>(jobs.size());
        this.begins = new int[jobs.size()];
        this.runs = new int[jobs.size()];
        this.open = new BatchCountdown(jobs.size());
        List<Integer> all = new ArrayList<>(jobs.size());
        for (int i = 0; i < jobs.size(); i++) all.add(i);
        this.unwritten = new Unwritten(claim, all, lease, day);
    }

    public int node() {
        return node;
    }

    /** Whether it is a lease of a log queue. */
    public boolean isLease() {
        return unwritten.lease();
    }

    /** Of which day its row is; null: that is not known. */
    public @Nullable String day() {
        return unwritten.day();
    }

    /** The batch, and what proves that it is this node's. */
    public ClaimId claim() {
        return unwritten.claim();
    }

    public long batch() {
        return claim().batch();
    }

    public long token() {
        return claim().token();
    }

    public Lane lane() {
        return lane;
    }

    public int size() {
        return jobs.size();
    }

    public ClaimedJob job(int i) {
        return jobs.get(i);
    }

    /** What that job is. */
    public String kind(int i) {
        String own = jobs.get(i).kind();
        if (own == null) own = kind;
        if (own == null) throw new IllegalStateException("job " + jobs.get(i).id() + " has no kind");
        return own;
    }

    /** The kind of all jobs, or null if they have several. */
    @Nullable
    public String kind() {
        return kind;
    }

    /** How long ago it was taken, or jobs of its runs began because others were done. */
    public long restNanos() {
        return System.nanoTime() - turn;
    }

    /** How long ago it was taken. */
    public long ageNanos() {
        return System.nanoTime() - taken;
    }

    /** Whether nodes have died with its only job, more than once: after one death all that the node had come back together. */
    public boolean isSuspect() {
        return jobs.get(0).deaths() > 1;
    }

    /** How many jobs of its claim run at the same time at most; null: as many as there are workers. */
    @Nullable
    public BatchWidth width() {
        return width;
    }

    /**
     * Before a thread begins jobs of the batch: takes a place in its width. Returns false if all places are taken. Each successful call
     * needs a {@link #leave}.
     */
    public boolean enter() {
        return width == null || width.enter();
    }

    /** As {@link #enter}, but waits until a place is free. */
    public void awaitPlace() throws InterruptedException {
        if (width != null) width.awaitPlace();
    }

    /** The thread begins no further job. */
    public void leave() {
        if (width != null) width.leave();
    }

    /** Whether no thread may begin a job of it now. */
    public boolean isFull() {
        return width != null && width.free() < 1;
    }

    /** Whether jobs elsewhere may wait for jobs of this batch: for room under a limit, or for their order keys. */
    public boolean holdsOthersUp() {
        return width != null || (jobs.size() > 1 && jobs.get(0).isOrdered());
    }

    /** How many of the jobs that have not begun could begin now. */
    public int ready() {
        if (inRuns != null) return inRuns.ready();
        return width == null ? waiting() : Math.min(waiting(), Math.max(width.free(), 0));
    }

    /** By priority, then as they came. */
    private static int @Nullable [] order(List<ClaimedJob> jobs) {
        Comparator<ClaimedJob> first =
                Comparator.comparingInt(ClaimedJob::priority).thenComparingLong(ClaimedJob::id);
        boolean sorted = true;
        for (int i = 1; i < jobs.size() && sorted; i++) sorted = first.compare(jobs.get(i - 1), jobs.get(i)) <= 0;
        if (sorted) return null;
        return IntStream.range(0, jobs.size())
                .boxed()
                .sorted(Comparator.comparing(jobs::get, first))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    /** The next job to begin, or -1. */
    public int begin() {
        if (inRuns != null) return beginInRuns(inRuns);
        while (next.get() < jobs.size()) {
            int turn = next.getAndIncrement();
            if (turn >= jobs.size()) return -1;
            int i = order == null ? turn : order[turn];
            if (results.get(i) == null) return i;
        }
        return -1;
    }

    private int beginInRuns(OrderRuns of) {
        int i = of.begin();
        while (i >= 0 && results.get(i) != null) i = of.begin();
        return i;
    }

    /** How many jobs its longest run has; 1: it has none. */
    public int longestRun() {
        return inRuns == null ? 1 : inRuns.longest();
    }

    /** Of how many order keys its jobs are, if they have some. */
    public int keys() {
        return inRuns == null ? jobs.size() : inRuns.keys();
    }

    /** Whether several of its jobs have one order key. */
    public boolean isInRuns() {
        return inRuns != null;
    }

    /** @param called in a worker's thread, when the next job of a run waits until it is written that the one before it is done */
    public void whenTurned(Runnable called) {
        turned = called;
    }

    /** What is to be written before further jobs of its runs begin; null: nothing. */
    public OrderRuns.@Nullable Turns turns() {
        return inRuns == null ? null : inRuns.turns();
    }

    /** That is written; returns whether further jobs may begin. */
    public boolean pass(OrderRuns.Turns written) {
        turn = System.nanoTime();
        if (inRuns == null) return false;
        boolean some = inRuns.pass(written);
        if (inRuns.endWriting()) turned.run();
        return some;
    }

    /** That could not be written: it is to be written again. */
    public void notPassed() {
        if (inRuns != null && inRuns.endWriting()) turned.run();
    }

    /** Before anything has begun: this job will not begin here. Returns whether nothing is left to begin. */
    public boolean refuse(int i) {
        return end(i, AttemptResult.UNKNOWN);
    }

    /** After that moment no job of it is to begin, since a rate counts only for so long that the jobs were claimed. */
    void beginBefore(long nanos) {
        beginBefore = nanos;
    }

    /** Whether a job of it must not begin any more: it is to be {@linkplain #giveBack(int) given back}. */
    public boolean isTooLate() {
        Long before = beginBefore;
        return before != null && System.nanoTime() - before > 0;
    }

    /** That job, which {@link #begin} gave, will not begin here; returns whether it was the last one. */
    public boolean giveBack(int i) {
        return end(i, AttemptResult.GIVEN_BACK);
    }

    /** How many have not ended. */
    public int left() {
        return open.left();
    }

    /** How many have not begun. */
    public int waiting() {
        if (inRuns != null) return inRuns.waiting();
        return Math.max(jobs.size() - next.get(), 0);
    }

    /** Says how a job ended that {@link #begin} gave, unless it was given up; returns whether it was the last one. */
    public boolean end(int i, AttemptResult result, long beganNanos, long endedNanos) {
        begins[i] = toMicros(beganNanos - taken);
        runs[i] = toMicros(endedNanos - beganNanos);
        return end(i, result);
    }

    private boolean end(int i, AttemptResult result) {
        if (!results.compareAndSet(i, null, result)) return false;
        return open.ended(inRuns == null ? 1 : 1 + endTurn(inRuns, i, result));
    }

    /** Returns how many other jobs have ended by that. */
    private int endTurn(OrderRuns of, int i, AttemptResult result) {
        if (result.isPlain() && jobs.get(i).isPlainInOrder() && !cancelsChildren(i)) {
            if (of.done(i)) turned.run();
            return 0;
        }
        GivenBack behind = new GivenBack();
        of.cut(i, behind);
        return behind.count;
    }

    /** Gives jobs back that have no result, and counts them. For one thread. */
    private final class GivenBack implements IntConsumer {
        private int count;

        @Override
        public void accept(int i) {
            if (results.compareAndSet(i, null, AttemptResult.GIVEN_BACK)) count++;
        }
    }

    /**
     * Keeps the batch from ending while a part of it is written; false if it has ended, or is held already. Each hold needs a {@link
     * #release}.
     */
    public boolean hold() {
        return open.hold();
    }

    /** Ends {@link #hold}; returns whether all of its jobs have ended meanwhile. */
    public boolean release() {
        return open.release();
    }

    public static int toMicros(long nanos) {
        return (int) Math.min(Math.max(nanos / 1000, 0), Integer.MAX_VALUE);
    }

    /** What has not begun will not begin here any more; returns whether nothing runs either, if there was such a thing. */
    public boolean giveBack() {
        GivenBack waiting = new GivenBack();
        if (inRuns != null) inRuns.close(waiting);
        else giveBackFrom(Math.min(next.getAndSet(jobs.size()), jobs.size()), waiting);
        return open.ended(waiting.count);
    }

    /** What has not ended goes back, even what runs: its handler does not listen, and its end counts for nothing. */
    public boolean giveUp() {
        GivenBack all = new GivenBack();
        if (inRuns != null) inRuns.close(all);
        next.set(jobs.size());
        giveBackFrom(0, all);
        return open.ended(all.count);
    }

    private void giveBackFrom(int from, GivenBack given) {
        for (int turn = from; turn < jobs.size(); turn++) given.accept(order == null ? turn : order[turn]);
    }

    /** When, in microseconds after it was taken, that moment was. */
    public int micros(long nanos) {
        return toMicros(nanos - taken);
    }

    /** Whether all of its jobs have ended, and it is not held. */
    public boolean hasEnded() {
        return open.hasEnded();
    }

    /** That job has added children that are cancelled when it is done. */
    public synchronized void hasAddedChildren(int i) {
        Set<Integer> known = parents;
        if (known == null) parents = known = ConcurrentHashMap.newKeySet();
        known.add(i);
    }

    /** Whether children of that job are cancelled when it is done. */
    public boolean cancelsChildren(int i) {
        Set<Integer> known = parents;
        return jobs.get(i).cancelsChildren() || known != null && known.contains(i);
    }

    /** How many have ended but are not written down, while others still run. */
    public int unwritten() {
        int ended = 0;
        for (int i : members()) if (results.get(i) != null) ended++;
        return ended;
    }

    /** The mean of how long its jobs ran. */
    public long meanNanos() {
        long sum = 0;
        for (int run : runs) sum += run;
        return sum * 1000 / runs.length;
    }

    /** How long the longest of its jobs ran. */
    public long longestNanos() {
        int longest = 0;
        for (int run : runs) longest = Math.max(longest, run);
        return longest * 1000L;
    }

    /** Whether each of its jobs has run here to its end, whatever that was. */
    public boolean isWorkedOff() {
        for (int i = 0; i < jobs.size(); i++) {
            AttemptResult result = results.get(i);
            if (result == null || result == AttemptResult.GIVEN_BACK || result == AttemptResult.UNKNOWN) return false;
        }
        return true;
    }

    /** Whether all that is to be said is when its jobs ran. */
    public boolean isPlain() {
        for (int i = 0; i < jobs.size(); i++) {
            AttemptResult result = results.get(i);
            if (result == null || !result.isPlain() || !jobs.get(i).isPlain() || cancelsChildren(i)) return false;
        }
        return members().size() == jobs.size();
    }

    /** Whether all its jobs are done, and nothing is to be said but when they ran, and their results. */
    public boolean isDone() {
        if (isLease()) return false;
        for (int i = 0; i < jobs.size(); i++) {
            AttemptResult result = results.get(i);
            ClaimedJob job = jobs.get(i);
            if (result == null || !result.isDone() || !job.isPlain() || job.workflow() != 0 || cancelsChildren(i))
                return false;
        }
        return members().size() == jobs.size();
    }

    /** Whether all that is to be said is when its jobs ran, and that the next jobs of their order keys may run. */
    public boolean isPlainInOrder() {
        for (int i = 0; i < jobs.size(); i++) {
            AttemptResult result = results.get(i);
            if (result == null || !result.isPlain() || !jobs.get(i).isPlainInOrder() || cancelsChildren(i))
                return false;
        }
        return members().size() == jobs.size();
    }

    /** Whether it was written down in a transaction of its job's own. */
    public boolean isWritten() {
        return results.get(0) == AttemptResult.WRITTEN;
    }

    /** The jobs of the batch that are not written, in its order. */
    public List<Integer> members() {
        return unwritten.jobs();
    }

    /** How that job ended, or null if it has not. */
    @Nullable
    public AttemptResult result(int i) {
        return results.get(i);
    }

    /** Another result of a job that has ended: the database does not take the one that it has. */
    void replace(int i, AttemptResult result) {
        results.set(i, result);
    }

    int begins(int i) {
        return begins[i];
    }

    int runs(int i) {
        return runs[i];
    }

    /** The index of the job with that id, or -1. */
    public int indexOf(long job) {
        for (int i = 0; i < jobs.size(); i++) if (jobs.get(i).id() == job) return i;
        return -1;
    }

    /** All of its jobs are written, while it was held. */
    void written() {
        unwritten = new Unwritten(claim(), List.of(), isLease(), day());
    }

    /** Whether there is nothing left to write. */
    public boolean isAllWritten() {
        return members().isEmpty();
    }

    /** The jobs that go on are in that batch of the same claim now. */
    public void moved(long to, List<Integer> going) {
        unwritten = new Unwritten(new ClaimId(to, token()), going, false, null);
    }
}
