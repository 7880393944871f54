package dev.howdah.job.internal.claim;

import dev.howdah.job.internal.batch.BatchStore;
import dev.howdah.job.internal.batch.ClaimId;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.batch.ScanBounds;
import dev.howdah.job.internal.lane.Lane;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** What the claimers of a node share: the lanes, the leases, and the reasons to go on. Safe for use by many threads. */
public final class ClaimState {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private final Condition help = lock.newCondition();
    private final Map<Integer, LanePoll> lanes = new LinkedHashMap<>();
    private final Queue<ClaimedBatch> ended = new ConcurrentLinkedQueue<>();
    private final Map<ClaimId, ClaimedBatch> open = new ConcurrentHashMap<>();
    private int turn;
    private volatile @Nullable ClaimedBatch torn;
    private volatile boolean nudged;
    private volatile boolean helpWanted;

    /** These are the lanes from now on; what is known of those that stay is kept. */
    void lanes(Collection<Lane> now) {
        lock.lock();
        try {
            Map<Integer, LanePoll> kept = new LinkedHashMap<>();
            for (Lane lane : now) {
                LanePoll known = lanes.get(lane.id());
                kept.put(lane.id(), known == null ? new LanePoll(lane) : known);
            }
            lanes.clear();
            lanes.putAll(kept);
        } finally {
            lock.unlock();
        }
        nudge();
    }

    public Integer[] laneIds() {
        lock.lock();
        try {
            return lanes.keySet().toArray(Integer[]::new);
        } finally {
            lock.unlock();
        }
    }

    /**
     * A look at one lane.
     *
     * @param from where to begin
     */
    record Look(LanePoll watch, ScanBounds from, long began) {}

    /** The lane whose turn it is to be looked at, if one is due. */
    @Nullable
    Look next() {
        lock.lock();
        try {
            List<LanePoll> all = new ArrayList<>(lanes.values());
            long now = System.nanoTime();
            for (int i = 0; i < all.size(); i++) {
                LanePoll each = all.get((turn + i) % all.size());
                if (!each.isDue(now)) continue;
                turn = (turn + i + 1) % all.size();
                return new Look(each, each.look(now), now);
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    void looked(Look look, int asked, BatchStore.Claimed claimed) {
        lock.lock();
        try {
            look.watch().looked(asked, claimed.jobs(), claimed.lows(), look.began(), System.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    void notLooked(Look look) {
        lock.lock();
        try {
            look.watch().notLooked(System.nanoTime() + 100_000_000);
        } finally {
            lock.unlock();
        }
    }

    /** Whether all lanes may be slept over. */
    boolean isQuiet() {
        lock.lock();
        try {
            return lanes.values().stream().allMatch(LanePoll::isQuiet);
        } finally {
            lock.unlock();
        }
    }

    /** In how many nanoseconds the next lane is due. */
    long napNanos() {
        lock.lock();
        try {
            long now = System.nanoTime();
            long nap = 1_000_000_000;
            for (LanePoll each : lanes.values()) nap = Math.min(nap, each.lookAt() - now);
            return Math.max(nap, 0);
        } finally {
            lock.unlock();
        }
    }

    /** There may be something in that lane; in all of them if it is 0. */
    public void wake(int lane) {
        lock.lock();
        try {
            long now = System.nanoTime();
            for (LanePoll each : lanes.values()) if (lane == 0 || each.lane().id() == lane) each.wake(now);
        } finally {
            lock.unlock();
        }
        nudge();
    }

    /** The same for several lanes. */
    public void wakeAny(Set<Long> some) {
        lock.lock();
        try {
            long now = System.nanoTime();
            for (LanePoll each : lanes.values())
                if (some.contains((long) each.lane().id()) || some.contains(0L)) each.wake(now);
        } finally {
            lock.unlock();
        }
        nudge();
    }

    /** All lanes are to be looked at from the beginning. */
    void lookAgain() {
        lock.lock();
        try {
            long now = System.nanoTime();
            for (LanePoll each : lanes.values()) each.lookAgain(now);
        } finally {
            lock.unlock();
        }
    }

    /** The first claimer goes on. */
    public void nudge() {
        if (nudged) return;
        lock.lock();
        try {
            nudged = true;
            news.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Another claimer goes on, because there is more than one can do. */
    void callForHelp() {
        if (helpWanted) return;
        lock.lock();
        try {
            helpWanted = true;
            help.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a nudge, at most so long; says whether there was one. */
    boolean await(long nanos) throws InterruptedException {
        lock.lock();
        try {
            if (!nudged && nanos > 0) news.await(nanos, TimeUnit.NANOSECONDS);
            boolean told = nudged;
            nudged = false;
            return told;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a call for help, at most so long. */
    void awaitCall(long nanos) throws InterruptedException {
        lock.lock();
        try {
            if (!helpWanted && nanos > 0) help.await(nanos, TimeUnit.NANOSECONDS);
            helpWanted = false;
        } finally {
            lock.unlock();
        }
    }

    /** Everybody goes on, because it is over. */
    void over() {
        nudge();
        callForHelp();
    }

    /** This lease is the node's now. */
    void opened(ClaimedBatch lease) {
        open.put(lease.claim(), lease);
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
     * The first claimer writes down a part of this lease, which it holds. If it loses its session meanwhile the lease stays
     * torn: nobody knows in which batch it goes on.
     */
    void tear(ClaimedBatch lease) {
        torn = lease;
    }

    /** It is known again in which batch the torn lease goes on. */
    void mend() {
        ClaimedBatch whole = torn;
        torn = null;
        if (whole != null && whole.release()) ended(whole);
    }

    /** The lease that is torn, if any is. */
    @Nullable
    ClaimedBatch torn() {
        return torn;
    }

    /** All jobs of this lease have ended. */
    public void ended(ClaimedBatch lease) {
        ended.add(lease);
        nudge();
    }

    /** Some of the leases whose jobs have ended, and that nobody else writes down. */
    List<ClaimedBatch> drain(int most) {
        List<ClaimedBatch> drained = new ArrayList<>();
        for (ClaimedBatch lease = ended.poll(); lease != null; lease = ended.poll()) {
            drained.add(lease);
            if (drained.size() >= most) break;
        }
        return drained;
    }

    boolean hasEnded() {
        return !ended.isEmpty();
    }
}
