package dev.howdah.job.internal.claim;

import dev.howdah.job.internal.batch.ClaimId;
import dev.howdah.job.internal.batch.ClaimedBatch;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * The batches of a node that are not written: those that it works on, and the queue of those that have ended and wait for a claimer. Safe for
 * use by many threads.
 */
public final class OpenBatches {
    private final Queue<ClaimedBatch> ended = new ConcurrentLinkedQueue<>();
    private final Map<ClaimId, ClaimedBatch> open = new ConcurrentHashMap<>();
    private final ClaimerSignals signals;
    private volatile @Nullable ClaimedBatch torn;

    OpenBatches(ClaimerSignals signals) {
        this.signals = signals;
    }

    /** This batch is the node's now. */
    void opened(ClaimedBatch batch) {
        open.put(batch.claim(), batch);
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

    /** Takes up to that many ended batches from the queue. The caller writes them. */
    List<ClaimedBatch> drain(int most) {
        List<ClaimedBatch> drained = new ArrayList<>();
        for (ClaimedBatch batch = ended.poll(); batch != null; batch = ended.poll()) {
            drained.add(batch);
            if (drained.size() >= most) break;
        }
        return drained;
    }

    boolean hasEnded() {
        return !ended.isEmpty();
    }
}
