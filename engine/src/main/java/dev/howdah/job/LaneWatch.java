package dev.howdah.job;

import java.util.HashMap;
import java.util.Map;

/**
 * What a node knows of a lane that it takes from: when to look again, and where the due jobs begin. A lane that was full is
 * looked at again at once; one that was not after a nap, then a longer one; after some of those in vain it may be slept
 * over. Guarded by its {@link Round}.
 */
final class LaneWatch {
    private static final long FIRST_NAP = 1_000_000;
    private static final long LONGEST_NAP = 4_000_000;
    private static final long REMEMBERED = 1_000_000_000;
    /** A look from the beginning may cost one part in so many of the time. */
    private static final long SHARE = 50;

    private final Lane lane;
    private final Map<Integer, String> lows = new HashMap<>();
    private long lookAt = System.nanoTime();
    private long nap;
    private boolean looking;
    private boolean plenty;
    private long forgetAt = System.nanoTime();
    private boolean fromTheBeginning;

    LaneWatch(Lane lane) {
        this.lane = lane;
    }

    Lane lane() {
        return lane;
    }

    /** Whether somebody should look: now, and not while another does, unless there was more than one could take. */
    boolean isDue(long now) {
        return now - lookAt >= 0 && (!looking || plenty);
    }

    /** Whether nothing was found for so long that it may be slept over. */
    boolean isQuiet() {
        return nap > LONGEST_NAP;
    }

    long lookAt() {
        return lookAt;
    }

    /** Somebody looks now; the bounds to look from. */
    Map<Integer, String> look(long now) {
        looking = true;
        fromTheBeginning = now - forgetAt >= 0;
        if (fromTheBeginning) lows.clear();
        return Map.copyOf(lows);
    }

    /** What came of it. */
    void looked(int asked, int found, Map<Integer, String> seen, long began, long now) {
        looking = false;
        lows.putAll(seen);
        if (fromTheBeginning) forgetAt = now + Math.max(REMEMBERED, (now - began) * SHARE);
        plenty = found >= asked;
        if (found > 0) nap = 0;
        else nap = nap == 0 ? FIRST_NAP : nap * 2;
        lookAt = plenty ? now : now + (found > 0 ? FIRST_NAP : nap);
    }

    /** The look failed. */
    void notLooked(long again) {
        looking = false;
        lookAt = again;
    }

    /** The last look before sleep is one from the beginning: who was about to commit has done so. */
    void lookAgain(long now) {
        lookAt = now;
        forgetAt = now;
    }

    /** There may be something new. */
    void wake(long now) {
        nap = 0;
        lookAt = now;
    }
}
