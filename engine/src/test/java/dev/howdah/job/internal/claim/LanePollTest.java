package dev.howdah.job.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.job.internal.batch.ScanBounds;
import dev.howdah.job.internal.lane.Lane;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** When a node looks at a lane again. */
class LanePollTest {
    private static final long MILLI = 1_000_000;

    private long now = System.nanoTime();
    private final LanePoll poll = new LanePoll(new Lane(1, "queue", null), false, true, now);

    /** Looks in vain, or finds so many jobs; returns after how many nanoseconds to look again. */
    private long look(int found, long longest) {
        poll.look(now);
        poll.looked(500, found, Map.of(), now, now, longest);
        return poll.nextLook() - now;
    }

    /** Nothing rings for an empty lane while the node is awake because of another one: the naps must not grow without end. */
    @Test
    void looked_inVainForLong_isLookedAtAgainSoon() {
        long nap = 0;
        for (int i = 0; i < 100; i++) {
            nap = look(0, 20 * MILLI);
            now += nap;
        }
        assertThat(nap).isEqualTo(20 * MILLI);
        assertThat(poll.isQuiet(LanePoll.LONGEST_NAP, now)).isTrue();
    }

    @Test
    void looked_inVain_napsGrowFromAMillisecond() {
        assertThat(look(0, 20 * MILLI)).isEqualTo(MILLI);
        assertThat(poll.isQuiet(0, now)).as("jobs come far apart").isTrue();
        assertThat(look(0, 20 * MILLI)).isEqualTo(2 * MILLI);
        assertThat(poll.isQuiet(LanePoll.LONGEST_NAP, now)).isFalse();
        assertThat(look(7, 20 * MILLI)).isEqualTo(MILLI);
        assertThat(look(0, 20 * MILLI)).isEqualTo(MILLI);
        assertThat(look(500, 20 * MILLI)).isZero();
    }

    /** What waits for jobs of several lanes at once asks whether one of them may bring more. */
    @Test
    void looked_isSinceThen_whenNothingIsLeftAndNoneHasWokenIt() {
        long asked = now;
        assertThat(poll.hasLookedSince(asked, now)).as("it is due").isFalse();
        look(500, 20 * MILLI);
        assertThat(poll.hasLookedSince(asked, now)).as("there may be more").isFalse();
        look(7, 20 * MILLI);
        assertThat(poll.hasLookedSince(asked, now)).isTrue();
        now += 2 * MILLI;
        assertThat(poll.hasLookedSince(asked, now)).as("it is due again").isTrue();
        assertThat(poll.hasLookedSince(now, now)).as("for what was asked later").isFalse();
        poll.wake(now);
        assertThat(poll.hasLookedSince(asked, now)).isFalse();
        poll.paced(100, now);
        assertThat(poll.hasLookedSince(asked, now))
                .as("none of it can be claimed")
                .isTrue();
        poll.paced(0, now);
        poll.fallAsleep();
        assertThat(poll.hasLookedSince(asked, now)).isTrue();
    }

    /** A bound below that from which on a lane may be slept over would keep the node awake. */
    @Test
    void looked_shortBound_stillBecomesQuiet() {
        for (int i = 0; i < 10; i++) look(0, MILLI);
        assertThat(poll.isQuiet(LanePoll.LONGEST_NAP, now)).isTrue();
    }

    private static Map<Integer, ScanBounds.Low> at(int priority, long id) {
        return Map.of(priority, new ScanBounds.Low("2030-01-01 00:00:00+00", id));
    }

    /** A look that finds a job of priority 0, and takes so long. */
    private ScanBounds look(long id, long took, int found) {
        ScanBounds from = poll.look(now);
        poll.looked(500, found, at(0, id), now, now + took, 20 * MILLI);
        now += took;
        return from;
    }

    /** Polls after the first one, which took long: those after it do not begin at the beginning. */
    private void beginsLong() {
        assertThat(look(7, 10 * MILLI, 1).lows()).isEmpty();
        now += 1_100 * MILLI;
        assertThat(look(8, MILLI, 1).lows()).isEqualTo(at(0, 7));
        assertThat(poll.isLeft()).isTrue();
        poll.beginWhole();
    }

    @Test
    void lookFromTheBeginning_thatTookLong_isLeftToAnotherClaimer() {
        beginsLong();
        assertThat(poll.isLeft()).as("it has begun").isFalse();
        long began = now;
        assertThat(look(9, MILLI, 1).lows()).as("beside it").isEqualTo(at(0, 8));
        assertThat(poll.isLeft()).isFalse();
        now += 200 * MILLI;
        Map<Integer, ScanBounds.Low> seen = new HashMap<>(at(0, 2));
        seen.putAll(at(1, 5));
        assertThat(poll.lookedWhole(500, 3, seen, began, now)).isFalse();
        Map<Integer, ScanBounds.Low> known = new HashMap<>(at(0, 9));
        known.putAll(at(1, 5));
        assertThat(look(10, MILLI, 1).lows()).as("what the others know").isEqualTo(known);
        now += 9_000 * MILLI;
        look(11, MILLI, 1);
        assertThat(poll.isLeft()).as("so much of the time it may take").isFalse();
        now += 2_000 * MILLI;
        look(11, MILLI, 1);
        assertThat(poll.isLeft()).isTrue();
    }

    @Test
    void lookFromTheBeginning_thatLeavesSome_isGoneOnWithByTheOthers() {
        beginsLong();
        assertThat(poll.lookedWhole(500, 500, at(0, 2), now, now + MILLI)).isTrue();
        assertThat(poll.isDue(now + MILLI)).isTrue();
        assertThat(poll.look(now + MILLI).lows()).isEqualTo(at(0, 2));
    }

    @Test
    void lookFromTheBeginning_thatNoOtherClaimerBegins_isNotLeft() {
        look(7, 10 * MILLI, 1);
        now += 1_100 * MILLI;
        look(8, MILLI, 1);
        now += 600 * MILLI;
        assertThat(look(9, MILLI, 1).lows()).isEmpty();
        assertThat(poll.isLeft()).isFalse();
    }

    @Test
    void lookFromTheBeginning_ofANodeWithADemand_isLeftToNone() {
        LanePoll alone = new LanePoll(new Lane(1, "queue", null), false, false, now);
        alone.look(now);
        alone.looked(500, 1, at(0, 7), now, now + 10 * MILLI, 20 * MILLI);
        assertThat(alone.look(now + 1_200 * MILLI).lows()).isEmpty();
        assertThat(alone.isLeft()).isFalse();
    }

    @Test
    void lookBeforeTheSleep_isFromTheBeginning_besideThatOfAnother() {
        beginsLong();
        poll.lookAgain(now);
        assertThat(look(9, MILLI, 1).lows()).isEmpty();
    }

    @Test
    void lookFromTheBeginning_thatFails_isDueAtOnce() {
        beginsLong();
        poll.wholeFailed(now);
        assertThat(poll.isDue(now)).isTrue();
        assertThat(look(9, MILLI, 1).lows()).isEmpty();
    }
}
