package dev.howdah.job.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LaneLookTest {
    private static final long LOOK = 2_000_000_000L;

    private final LaneLook lanes = new LaneLook();
    private long now = -7 * LOOK;

    /** Returns whether the lanes were read, in that many nanoseconds. */
    private boolean look(long number, boolean thorough, long reading) {
        now += LOOK;
        lanes.told(number);
        if (!lanes.isDue(now, thorough)) return false;
        lanes.looked(now, now + reading);
        return true;
    }

    private int looks(long number, int looks) {
        int read = 0;
        for (int i = 0; i < looks; i++) if (look(number, false, 0)) read++;
        return read;
    }

    @Test
    void numberThatStays_isFollowedForHalfAMinute() {
        assertThat(looks(5, 100)).isEqualTo(15);
        assertThat(looks(6, 100)).isEqualTo(15);
        assertThat(looks(6, 100)).isZero();
    }

    /** A restored database has lower numbers. */
    @Test
    void lowerNumber_isAChange() {
        looks(500, 100);
        assertThat(look(3, false, 0)).isTrue();
    }

    @Test
    void thoroughLook_readsTheLanes() {
        looks(5, 100);
        assertThat(look(5, true, 0)).isTrue();
        assertThat(look(5, false, 0)).isFalse();
    }

    @Test
    void readingThatTakesLong_isATwentiethOfTheTime() {
        int read = 0;
        for (int i = 0; i < 1_000; i++) if (look(i, i % 10 == 0, LOOK)) read++;
        assertThat(read).isEqualTo(50);
    }
}
