package dev.howdah.job.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.job.internal.lane.Lane;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** When a node looks at a lane again. */
class LanePollTest {
    private static final long MILLI = 1_000_000;

    private final LanePoll poll = new LanePoll(new Lane(1, "queue", null));
    private long now = System.nanoTime();

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
        assertThat(poll.isQuiet(LanePoll.LONGEST_NAP)).isTrue();
    }

    @Test
    void looked_inVain_napsGrowFromAMillisecond() {
        assertThat(look(0, 20 * MILLI)).isEqualTo(MILLI);
        assertThat(poll.isQuiet(0)).as("jobs come far apart").isTrue();
        assertThat(look(0, 20 * MILLI)).isEqualTo(2 * MILLI);
        assertThat(poll.isQuiet(LanePoll.LONGEST_NAP)).isFalse();
        assertThat(look(7, 20 * MILLI)).isEqualTo(MILLI);
        assertThat(look(0, 20 * MILLI)).isEqualTo(MILLI);
        assertThat(look(500, 20 * MILLI)).isZero();
    }

    /** A bound below that from which on a lane may be slept over would keep the node awake. */
    @Test
    void looked_shortBound_stillBecomesQuiet() {
        for (int i = 0; i < 10; i++) look(0, MILLI);
        assertThat(poll.isQuiet(LanePoll.LONGEST_NAP)).isTrue();
    }
}
