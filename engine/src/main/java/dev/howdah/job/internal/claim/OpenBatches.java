package dev.howdah.job.internal.claim;

import dev.howdah.job.internal.attempt.OrderRuns;
import dev.howdah.job.internal.batch.BatchWidth;
import dev.howdah.job.internal.batch.ClaimId;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.lane.Lane;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The batches of a node that are not written: those that it works on, and the queue of those that have ended and wait for a claimer. Safe for
 * use by many threads.
 */
public final class OpenBatches {
    /** So many batches are written together; more of those that have few jobs, such as those of groups. */
    private static final int MOST = 32;

    private static final int MOST_SMALL = 256;
    private static final int SMALL_JOBS = 512;

    private final Queue<ClaimedBatch> ended = new ConcurrentLinkedQueue<>();
    private final Queue<ClaimedBatch> turned = new ConcurrentLinkedQueue<>();
    private final Map<ClaimId, ClaimedBatch> open = new ConcurrentHashMap<>();
    private final LongAdder everOpened = new LongAdder();
    private final ClaimerSignals signals;
    private volatile @Nullable ClaimedBatch torn;

    OpenBatches(ClaimerSignals signals) {
        this.signals = signals;
    }

    /** This batch is the node's now. */
    void opened(ClaimedBatch batch) {
        open.put(batch.claim(), batch);
        everOpened.increment();
    }

    /** How many batches the node has had so far, those that are open included. */
    public long everOpened() {
        return everOpened.sum();
    }

    /** That batch is written down. */
    void closed(ClaimId claim) {
        open.remove(claim);
    }

    public Collection<ClaimedBatch> open() {
        return open.values();
    }

    /** Whether nothing of what the node has runs, or is about to. */
    public boolean allEnded() {
        return open.values().stream().allMatch(ClaimedBatch::hasEnded);
    }

    /** Whether all that the node has waits to be written down. */
    boolean allReported() {
        return ended.size() >= open.size();
    }

    /** How many jobs of those lanes run, or begin without a further claim. Those of one claim are no more than its width. */
    long running(Predicate<Lane> lanes) {
        long running = 0;
        Map<Long, Integer> claims = new HashMap<>();
        for (ClaimedBatch batch : open.values()) {
            if (!lanes.test(batch.lane())) continue;
            BatchWidth width = batch.width();
            int most = width == null ? Integer.MAX_VALUE : width.most();
            int known = claims.getOrDefault(batch.token(), 0);
            int now = Math.min(known + batch.left(), most);
            claims.put(batch.token(), now);
            running += now - known;
        }
        return running;
    }

    /** How many jobs have not begun. */
    int waiting() {
        int waiting = 0;
        for (ClaimedBatch batch : open.values()) if (!batch.isSuspect()) waiting += batch.waiting();
        return waiting;
    }

    /** How long ago the oldest batch of that lane was claimed in which jobs wait for a place; 0: there is none. */
    long longestWait(Lane lane) {
        long longest = 0;
        for (ClaimedBatch batch : open.values())
            if (batch.lane().id() == lane.id() && batch.waiting() > 0) longest = Math.max(longest, batch.ageNanos());
        return longest;
    }

    boolean isOpen(ClaimId claim) {
        return open.containsKey(claim);
    }

    /**
     * The first claimer writes down a part of this batch, which it holds. If it loses its session meanwhile the batch stays
     * torn: the node does not know in which batch it goes on.
     */
    void tear(ClaimedBatch batch) {
        torn = batch;
    }

    /** It is known again in which batch the torn batch goes on. */
    void mend() {
        ClaimedBatch whole = torn;
        torn = null;
        if (whole != null && whole.release()) ended(whole);
    }

    /** The batch that is torn, if any is. */
    @Nullable
    ClaimedBatch torn() {
        return torn;
    }

    /** All jobs of this batch have ended. */
    public void ended(ClaimedBatch batch) {
        ended.add(batch);
        signals.nudge();
    }

    /** Jobs of runs of this batch wait until it is written that those before them are done. */
    void turned(ClaimedBatch batch) {
        turned.add(batch);
        signals.nudge();
    }

    /** What is to be written so that the next jobs of runs may begin. The caller writes it. */
    Map<ClaimedBatch, OrderRuns.Turns> drainTurns() {
        if (turned.isEmpty()) return Map.of();
        Map<ClaimedBatch, OrderRuns.Turns> drained = new LinkedHashMap<>();
        for (ClaimedBatch batch = turned.poll(); batch != null; batch = turned.poll()) {
            OrderRuns.@Nullable Turns turns = batch.turns();
            if (turns != null) drained.put(batch, turns);
        }
        return drained;
    }

    /** Takes ended batches from the queue, as many as are written together at most. The caller writes them. */
    List<ClaimedBatch> drain() {
        List<ClaimedBatch> drained = new ArrayList<>();
        int jobs = 0;
        for (ClaimedBatch batch = ended.poll(); batch != null; batch = ended.poll()) {
            drained.add(batch);
            jobs += batch.size();
            if (drained.size() >= (jobs < SMALL_JOBS ? MOST_SMALL : MOST)) break;
        }
        return drained;
    }
}
