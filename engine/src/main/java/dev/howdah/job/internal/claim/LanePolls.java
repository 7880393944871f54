package dev.howdah.job.internal.claim;

import dev.howdah.job.internal.batch.BatchStore;
import dev.howdah.job.internal.batch.ScanBounds;
import dev.howdah.job.internal.lane.Lane;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The lanes that a node claims from, and when each is polled next. Safe for use by many threads. */
public final class LanePolls {
    /** An empty lane is looked at again after this, while the node is busy with others. */
    private static final long LONGEST_NAP = 20_000_000;
    /** With many lanes later: all empty ones together cost a node 200 looks a second at most. */
    private static final long NAP_FOR_EACH_LANE = 5_000_000;

    private static final long SHORT_SLEEP = 10_000_000;
    static final long LONG_SLEEP = 20_000_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Line, LanePoll> lanes = new LinkedHashMap<>();
    private final ClaimerSignals signals;
    private final boolean leaves;
    private final LongSupplier clock;
    private int turn;
    private volatile boolean starved;
    /** A claimer rests, and there are lanes that another one polls. */
    private boolean awaited;
    /** After a nap of so long without a job all may be slept over. */
    private long patience = LanePoll.LONGEST_NAP;

    /** A lane, or the log from which jobs of it come. */
    private record Line(int lane, boolean log) {}

    /** @param leaves whether long looks from the beginning are left to another claimer: together the two may claim more than there was room for */
    LanePolls(ClaimerSignals signals, boolean leaves) {
        this(signals, leaves, System::nanoTime);
    }

    /** The same by another clock. */
    LanePolls(ClaimerSignals signals, boolean leaves, LongSupplier clock) {
        this.signals = signals;
        this.leaves = leaves;
        this.clock = clock;
    }

    /** These are the lanes from now on; what is known of those that stay is kept. */
    void lanes(Collection<Lane> now) {
        lock.lock();
        try {
            Map<Line, LanePoll> kept = new LinkedHashMap<>();
            for (Lane lane : now) {
                keep(kept, lane, false);
                if (lane.reader()) keep(kept, lane, true);
            }
            if (kept.equals(lanes)) return;
            lanes.clear();
            lanes.putAll(kept);
        } finally {
            lock.unlock();
        }
        signals.nudge();
    }

    private void keep(Map<Line, LanePoll> kept, Lane lane, boolean log) {
        Line line = new Line(lane.id(), log);
        LanePoll known = lanes.get(line);
        kept.put(line, known == null ? new LanePoll(lane, log, leaves, clock.getAsLong()) : known);
    }

    /** How many lines there are to look at. */
    int size() {
        lock.lock();
        try {
            return lanes.size();
        } finally {
            lock.unlock();
        }
    }

    /** Those lanes of which a job could be claimed if one was added now. */
    Integer[] openLanes() {
        lock.lock();
        try {
            long now = clock.getAsLong();
            return lanes.values().stream()
                    .filter(each -> !each.isPaced(now))
                    .map(each -> each.lane().id())
                    .distinct()
                    .toArray(Integer[]::new);
        } finally {
            lock.unlock();
        }
    }

    /** Rates may be others than they were: lanes of which one was used up are looked at again. */
    public void limitsChanged() {
        lock.lock();
        try {
            for (LanePoll each : lanes.values()) each.paced(0, clock.getAsLong());
        } finally {
            lock.unlock();
        }
        wake(0);
    }

    public Integer[] laneIds() {
        lock.lock();
        try {
            return lanes.keySet().stream().map(Line::lane).distinct().toArray(Integer[]::new);
        } finally {
            lock.unlock();
        }
    }

    /**
     * A look at one lane.
     *
     * @param from where to begin
     * @param whole whether it is one from the beginning, beside the polls of other claimers
     * @param single whether it is for a job that has woken the node, most likely alone
     */
    record Look(LanePoll watch, ScanBounds from, long began, boolean whole, boolean single) {}

    /** Whether no lane is due that was not looked at since then, or had more than was asked for. */
    boolean hasLookedSince(long nanos) {
        lock.lock();
        try {
            long now = clock.getAsLong();
            return lanes.values().stream().allMatch(each -> each.hasLookedSince(nanos, now));
        } finally {
            lock.unlock();
        }
    }

    /** The lane whose turn it is to be looked at, if one is due. */
    @Nullable
    Look next() {
        Look look;
        lock.lock();
        try {
            look = nextDue(clock.getAsLong());
            if (look == null || !look.watch().isLeft()) return look;
        } finally {
            lock.unlock();
        }
        signals.callForHelp();
        return look;
    }

    private @Nullable Look nextDue(long now) {
        List<LanePoll> all = new ArrayList<>(lanes.values());
        for (int i = 0; i < all.size(); i++) {
            LanePoll each = all.get((turn + i) % all.size());
            if (!each.isDue(now)) continue;
            turn = (turn + i + 1) % all.size();
            boolean single = each.isWoken();
            return new Look(each, each.look(now), now, false, single);
        }
        return null;
    }

    /** A lane that is left to this claimer to be looked at from the beginning, if there is one. */
    @Nullable
    Look nextWhole() {
        lock.lock();
        try {
            for (LanePoll each : lanes.values()) {
                if (!each.isLeft()) continue;
                each.beginWhole();
                return new Look(each, ScanBounds.NONE, clock.getAsLong(), true, false);
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    void looked(Look look, BatchStore.Claimed claimed) {
        boolean nudged;
        lock.lock();
        try {
            if (look.whole()) {
                nudged = noteWhole(look, claimed);
            } else {
                nudged = awaited;
                awaited = false;
                note(look, claimed);
            }
        } finally {
            lock.unlock();
        }
        if (nudged) signals.nudge();
    }

    /** Returns whether the first claimer is to look at what is left. */
    private boolean noteWhole(Look look, BatchStore.Claimed claimed) {
        LanePoll watch = look.watch();
        if (claimed == ConcurrencyLimits.WAITS_FOR_WORKER) {
            watch.notLookedWhole();
            return false;
        }
        return watch.lookedWhole(claimed.asked(), claimed.jobs(), claimed.lows(), look.began(), clock.getAsLong());
    }

    private void note(Look look, BatchStore.Claimed claimed) {
        if (claimed == ConcurrencyLimits.WAITS_FOR_WORKER) {
            look.watch().starve(clock.getAsLong());
            starved = true;
            return;
        }
        look.watch().nextIn(claimed.lane().nextMillis(), clock.getAsLong());
        look.watch().paced(claimed.lane().pacedMillis(), clock.getAsLong());
        long longest = Math.max(LONGEST_NAP, lanes.size() * NAP_FOR_EACH_LANE);
        look.watch().looked(claimed.asked(), claimed.jobs(), claimed.lows(), look.began(), clock.getAsLong(), longest);
    }

    /** Whether a lane may have jobs, and no worker was idle. */
    boolean isStarved() {
        return starved;
    }

    /** A worker is idle now: those lanes are looked at again. */
    void workerIsFree() {
        lock.lock();
        try {
            starved = false;
            long now = clock.getAsLong();
            for (LanePoll each : lanes.values()) each.workerIsFree(now);
        } finally {
            lock.unlock();
        }
    }

    /** In how many nanoseconds a lane is to be looked at again, as the database says of its groups. */
    long untilNext() {
        lock.lock();
        try {
            long now = clock.getAsLong();
            long until = Long.MAX_VALUE;
            for (LanePoll each : lanes.values()) until = Math.min(until, each.untilNext(now));
            return until;
        } finally {
            lock.unlock();
        }
    }

    void notLooked(Look look) {
        boolean nudged;
        lock.lock();
        try {
            nudged = awaited || look.whole();
            awaited = false;
            if (look.whole()) look.watch().wholeFailed(clock.getAsLong());
            else look.watch().notLooked(clock.getAsLong() + 100_000_000);
        } finally {
            lock.unlock();
        }
        if (nudged) signals.nudge();
    }

    /** Jobs of that lane came without a look. */
    void busy(Lane lane) {
        lock.lock();
        try {
            for (LanePoll each : lanes.values()) if (each.lane().id() == lane.id()) each.busy(clock.getAsLong());
        } finally {
            lock.unlock();
        }
    }

    /**
     * A job has ended a sleep of so many nanoseconds. Where jobs come far apart it is better to sleep at once than to look again and
     * again; where they come within milliseconds, to stay awake for the next.
     */
    void slept(long nanos) {
        lock.lock();
        try {
            if (nanos >= LONG_SLEEP) patience = 0;
            else if (nanos < SHORT_SLEEP) patience = LanePoll.LONGEST_NAP;
        } finally {
            lock.unlock();
        }
    }

    /** Whether all lanes may be slept over. */
    boolean isQuiet() {
        lock.lock();
        try {
            for (LanePoll each : lanes.values()) if (!each.isQuiet(patience, clock.getAsLong())) return false;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** In how many nanoseconds the next lane is due that no other claimer polls; that one wakes the caller when it is ready. */
    long napNanos() {
        lock.lock();
        try {
            long now = clock.getAsLong();
            long nap = 1_000_000_000;
            awaited = false;
            for (LanePoll each : lanes.values())
                if (each.isBusy()) awaited = true;
                else nap = Math.min(nap, each.nextLook() - now);
            return Math.max(nap, 0);
        } finally {
            lock.unlock();
        }
    }

    /** As {@link #wake} for all, by the claimer that looks at them next: it needs no signal, which would end its next rest. */
    void awake() {
        lock.lock();
        try {
            long now = clock.getAsLong();
            for (LanePoll each : lanes.values()) each.awake(now);
        } finally {
            lock.unlock();
        }
    }

    /** There may be something in that lane; in all of them if it is 0. */
    public void wake(int lane) {
        lookSoon(lane);
        signals.nudge();
    }

    private void lookSoon(int lane) {
        lock.lock();
        try {
            long now = clock.getAsLong();
            for (LanePoll each : lanes.values()) if (lane == 0 || each.lane().id() == lane) each.wake(now);
        } finally {
            lock.unlock();
        }
    }

    /** The same for several lanes. */
    public void wakeAny(Set<Long> some) {
        lock.lock();
        try {
            long now = clock.getAsLong();
            for (LanePoll each : lanes.values())
                if (some.contains((long) each.lane().id()) || some.contains(0L)) each.wake(now);
        } finally {
            lock.unlock();
        }
        signals.nudge();
    }

    /** A transaction has added to these lanes, and rung: nothing is done about those that are another node's to look at. */
    public void rung(Set<Long> some) {
        boolean any = false;
        lock.lock();
        try {
            long now = clock.getAsLong();
            for (LanePoll each : lanes.values()) {
                boolean isOwn = !each.isLeftToAnotherNode()
                        && some.contains((long) each.lane().id());
                if (!isOwn && !some.contains(0L)) continue;
                each.wake(now);
                any = true;
            }
        } finally {
            lock.unlock();
        }
        if (any) signals.nudge();
    }

    /** Other nodes sleep that are rung for these lanes. */
    void leaveToOtherNodes(Set<Integer> some) {
        lock.lock();
        try {
            for (LanePoll each : lanes.values()) if (some.contains(each.lane().id())) each.leaveToAnotherNode();
        } finally {
            lock.unlock();
        }
    }

    /** No lane is due until it is woken: the node sleeps, and is rung. */
    void fallAsleep() {
        lock.lock();
        try {
            lanes.values().forEach(LanePoll::fallAsleep);
        } finally {
            lock.unlock();
        }
    }

    /**
     * The node goes on sleeping after it has looked at a lane that was rung for: no lane is due until it is woken again. Returns false if it
     * has to look at once, at another lane or for more jobs of the same.
     */
    boolean doze() {
        lock.lock();
        try {
            long now = clock.getAsLong();
            for (LanePoll each : lanes.values()) if (each.isDue(now)) return false;
            lanes.values().forEach(LanePoll::doze);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Whether that holds for a lane. */
    boolean hasAny(Predicate<Lane> which) {
        lock.lock();
        try {
            return lanes.values().stream().map(LanePoll::lane).anyMatch(which);
        } finally {
            lock.unlock();
        }
    }

    /** Whether a lane was woken since {@link #doze}. */
    boolean isRung() {
        lock.lock();
        try {
            for (LanePoll each : lanes.values()) if (!each.isAsleep()) return true;
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** The lanes that were woken since {@link #fallAsleep} are to be looked at once more. Returns how many they are. */
    int lookAgainAtRung() {
        lock.lock();
        try {
            long now = clock.getAsLong();
            int rung = 0;
            for (LanePoll each : lanes.values()) {
                if (!each.isRung()) continue;
                each.lookOnceMore(now);
                rung++;
            }
            return rung;
        } finally {
            lock.unlock();
        }
    }

    /** All lanes are to be looked at from the beginning. */
    void lookAgain() {
        lock.lock();
        try {
            long now = clock.getAsLong();
            for (LanePoll each : lanes.values()) each.lookAgain(now);
        } finally {
            lock.unlock();
        }
    }
}
