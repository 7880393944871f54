package dev.howdah.job.internal.claim;

import dev.howdah.job.internal.batch.ScanBounds;
import dev.howdah.job.internal.lane.Lane;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a node knows of a lane that it takes from: when to look again, and where the due jobs begin. A lane that was full is
 * looked at again at once; one that was not after a nap, then a longer one; after some of those in vain it may be slept
 * over. Guarded by its {@link LanePolls}.
 */
final class LanePoll {
    private static final long FIRST_NAP = 1_000_000;
    static final long LONGEST_NAP = 4_000_000;
    private static final long REMEMBERED = 1_000_000_000;
    /** A lane that waits for an idle worker is looked at again after this, in case that is not noticed. */
    private static final long STARVED = 100_000_000;

    private static final int SLACK_MILLIS = 200;
    private static final long SLACK_EVERY = 50_000_000;
    /** A look from the beginning may cost one part in so many of the time. */
    private static final long SHARE = 50;
    /** A look from the beginning that takes longer than this is left to another claimer: new jobs do not wait for it. */
    private static final long LONG_LOOK = 5_000_000;
    /** If no other claimer has begun it after this, it is left to none. */
    private static final long LEFT_AT_MOST = 500_000_000;

    private final Lane lane;
    private final boolean log;
    private final boolean leaves;
    private final Map<Integer, ScanBounds.Low> lows = new HashMap<>();
    private long lookAt;
    private long nap;
    private boolean looking;
    /** No worker was idle for a job of the lane. */
    private boolean starved;

    private @Nullable Long nextAt;
    private @Nullable Long pacedUntil;
    private boolean plenty;
    /** When the last look began, if there was less than it asked for; null: there may be more. */
    private @Nullable Long emptiedAt;

    private long forgetAt;
    private boolean fromTheBeginning;
    /** How long the last look from the beginning took. */
    private long wholeNanos;
    /** Since when a look from the beginning is left to another claimer. */
    private @Nullable Long leftAt;
    /** Another claimer looks from the beginning. */
    private boolean lookingWhole;
    /** The next look is one from the beginning, whatever other claimers do. */
    private boolean lookWhole;

    private long slackAt;
    /** The node sleeps, and is rung for what is new in the lane. */
    private boolean asleep;
    /** There has been something in the lane since the node fell asleep, or since it was woken and looked from the beginning. */
    private boolean rung;
    /** The node was rung for the lane while it slept, and has not looked. */
    private boolean woken;

    private boolean tellsNext;
    /** The node sleeps, and so does another one that is rung for the lane. */
    private boolean leftToAnotherNode;

    /**
     * @param log whether the log is looked at from which jobs of the lane come, not those that wait in it
     * @param leaves whether long looks from the beginning are left to another claimer
     */
    LanePoll(Lane lane, boolean log, boolean leaves, long now) {
        this.lookAt = now;
        this.forgetAt = now;
        this.slackAt = now;
        this.lane = lane;
        this.log = log;
        this.leaves = leaves;
    }

    boolean isLog() {
        return log;
    }

    Lane lane() {
        return lane;
    }

    /**
     * Whether a claimer is to poll the lane now: not while another one does, unless one batch did not hold all. Of those that claim from a log all but one
     * would come back with nothing.
     */
    boolean isDue(long now) {
        return !asleep && now - lookAt >= 0 && !isPaced(now) && !isBusy();
    }

    /** It is not due until it is {@linkplain #wake woken}. */
    void fallAsleep() {
        asleep = true;
        rung = false;
    }

    /** As {@link #fallAsleep}, but it {@linkplain #isRung stays known} whether it has been woken. */
    void doze() {
        asleep = true;
    }

    boolean isAsleep() {
        return asleep;
    }

    /** Rings for the lane mean another node, which holds its doorbell, until this one is awake. */
    void leaveToAnotherNode() {
        leftToAnotherNode = true;
    }

    boolean isLeftToAnotherNode() {
        return leftToAnotherNode;
    }

    boolean isRung() {
        return rung;
    }

    /** Whether the next look is for a job that has woken the node. Not where a look from the beginning takes long. */
    boolean isWoken() {
        return woken && !log && wholeNanos < LONG_LOOK;
    }

    /** Whether another claimer polls the lane, and one is enough. */
    boolean isBusy() {
        return looking && (!plenty || log);
    }

    /** Whether a look that began since then left nothing, or none is due. */
    boolean hasLookedSince(long nanos, long now) {
        if (asleep || lookAt - now > 0 || isPaced(now)) return true;
        return emptiedAt != null && emptiedAt - nanos >= 0;
    }

    /**
     * Whether nothing was found for so long that it may be slept over.
     *
     * @param patience after which nap
     */
    boolean isQuiet(long patience, long now) {
        return nap > patience || isPaced(now);
    }

    /** When it is to be looked at. */
    long nextLook() {
        return pacedUntil != null && pacedUntil - lookAt > 0 ? pacedUntil : lookAt;
    }

    /** In so many milliseconds its rate leaves room: until then no job of it can be claimed. 0: it does. */
    void paced(long millis, long now) {
        pacedUntil = millis <= 0 ? null : now + millis * 1_000_000;
        if (pacedUntil != null) lookAt = pacedUntil;
    }

    boolean isPaced(long now) {
        return pacedUntil != null && pacedUntil - now > 0;
    }

    /**
     * Begins a poll; returns where it starts. While there is plenty, that is exactly where the last one began, and only now and then a
     * moment earlier: jobs that were added together may have one time, and a late commit need not be seen at once.
     */
    ScanBounds look(long now) {
        looking = true;
        if (isWoken()) {
            // What rings may have begun before anything that the node has seen, and the node may sleep on after this
            // look.
            lookOnceMore(now);
            rung = false;
        }
        woken = false;
        fromTheBeginning = now - forgetAt >= 0 && !isLeftToAnother(now);
        if (fromTheBeginning) lows.clear();
        boolean exact = plenty && now - slackAt < 0;
        if (!exact) slackAt = now + SLACK_EVERY;
        boolean tell = tellsNext;
        tellsNext = false;
        return new ScanBounds(Map.copyOf(lows), exact ? 0 : SLACK_MILLIS, tell);
    }

    /** Whether the look from the beginning that is due is another claimer's. */
    private boolean isLeftToAnother(long now) {
        boolean own = lookWhole;
        lookWhole = false;
        if (own) return false;
        if (lookingWhole) return true;
        if (log || !leaves || wholeNanos < LONG_LOOK) return false;
        if (leftAt == null) leftAt = now;
        return now - leftAt < LEFT_AT_MOST;
    }

    /** Whether another claimer is to {@linkplain #beginWhole look from the beginning}. */
    boolean isLeft() {
        return leftAt != null && !lookingWhole;
    }

    /** Begins a look from the beginning, beside the polls of other claimers. */
    void beginWhole() {
        leftAt = null;
        lookingWhole = true;
    }

    /**
     * What came of it. Returns whether there may be more than it took, of which the others would not know.
     *
     * @param seen where the due jobs began: behind what the others have seen, unless there is more
     */
    boolean lookedWhole(int asked, int found, Map<Integer, ScanBounds.Low> seen, long began, long now) {
        lookingWhole = false;
        wholeEnded(began, now);
        if (found < asked) {
            seen.forEach(lows::putIfAbsent);
            return false;
        }
        lows.putAll(seen);
        wake(now);
        return true;
    }

    /** No worker was idle for what the look from the beginning has found: it is due still. */
    void notLookedWhole() {
        lookingWhole = false;
    }

    /** The look from the beginning has failed, and the next one is left to none: jobs that it had locked were hidden from the others. */
    void wholeFailed(long now) {
        lookingWhole = false;
        wholeNanos = 0;
        wake(now);
    }

    private void wholeEnded(long began, long now) {
        wholeNanos = now - began;
        leftAt = null;
        forgetAt = now + Math.max(REMEMBERED, wholeNanos * SHARE);
    }

    /**
     * What came of it.
     *
     * @param longest how long an empty lane is left alone at most, while the node is awake because of others: nothing rings for it then
     */
    void looked(int asked, int found, Map<Integer, ScanBounds.Low> seen, long began, long now, long longest) {
        looking = false;
        lows.putAll(seen);
        if (fromTheBeginning) wholeEnded(began, now);
        plenty = found >= asked;
        emptiedAt = plenty ? null : began;
        if (found > 0) nap = 0;
        else nap = Math.min(nap == 0 ? FIRST_NAP : nap * 2, Math.max(longest, LONGEST_NAP + 1));
        lookAt = plenty ? now : now + (found > 0 ? FIRST_NAP : nap);
    }

    /** It was not looked at, because no worker was idle. */
    void starve(long now) {
        looking = false;
        starved = true;
        nap = FIRST_NAP;
        lookAt = now + STARVED;
    }

    void workerIsFree(long now) {
        if (starved) lookAt = now;
        starved = false;
    }

    /** In so many milliseconds it is to be looked at again; less than 0: that is not known. */
    void nextIn(long millis, long now) {
        nextAt = millis < 0 ? null : now + millis * 1_000_000;
    }

    /** In how many nanoseconds that is. */
    long untilNext(long now) {
        long until = nextAt == null ? Long.MAX_VALUE : Math.max(nextAt - now, 0);
        return pacedUntil == null ? until : Math.min(until, Math.max(pacedUntil - now, 0));
    }

    /** The look failed. */
    void notLooked(long again) {
        looking = false;
        lookAt = again;
    }

    /** The last look before sleep is one from the beginning: transactions that were about to commit have done so. */
    void lookAgain(long now) {
        asleep = false;
        lookAt = now;
        forgetAt = now;
        lookWhole = true;
    }

    /** The look before the node goes on sleeping is one from the beginning, and says until when. */
    void lookOnceMore(long now) {
        lookAgain(now);
        tellsNext = true;
    }

    /** Jobs of the lane come without a look: it is not slept over, and looked at now and then for others. */
    void busy(long now) {
        nap = Math.min(nap, LONGEST_NAP / 2);
        if (lookAt - now > LONGEST_NAP) lookAt = now + LONGEST_NAP;
    }

    /** The node is awake, for whatever reason. */
    void awake(long now) {
        asleep = false;
        leftToAnotherNode = false;
        wake(now);
    }

    /** There may be something new. */
    void wake(long now) {
        woken |= asleep;
        asleep = false;
        emptiedAt = null;
        rung = true;
        nap = 0;
        lookAt = now;
    }
}
