package dev.howdah.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DeathWatchTest {
    private static final long OLD_SERVER = 3_600_000;

    private long nanos = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(4);
    private final DeathWatch watch = new DeathWatch(() -> nanos);

    private void pass(long millis) {
        nanos += TimeUnit.MILLISECONDS.toNanos(millis);
    }

    @Test
    void dead_lockFreeInTwoLooks_isDead() {
        watch.begin(false, OLD_SERVER);
        assertThat(watch.dead(Map.of(7, 0))).isEmpty();
        assertThat(watch.pause(2_500)).isEqualTo(DeathWatch.CONFIRM_MILLIS + 1);
        pass(DeathWatch.CONFIRM_MILLIS - 1);
        assertThat(watch.dead(Map.of(7, 0))).isEmpty();
        pass(1);
        assertThat(watch.dead(Map.of(7, 0))).containsExactly(7);
    }

    @Test // each look met the moment in which it was away
    void dead_cameBackInBetween_isAlive() {
        watch.begin(false, OLD_SERVER);
        for (int returned = 0; returned < 20; returned++) {
            assertThat(watch.dead(Map.of(7, returned))).isEmpty();
            pass(DeathWatch.CONFIRM_MILLIS);
        }
    }

    @Test
    void dead_lockTakenInBetween_beginsAnew() {
        watch.begin(false, OLD_SERVER);
        watch.dead(Map.of(7, 0));
        pass(DeathWatch.CONFIRM_MILLIS);
        assertThat(watch.dead(Map.of())).isEmpty();
        assertThat(watch.pause(2_500)).isEqualTo(2_500);
        assertThat(watch.dead(Map.of(7, 0))).isEmpty();
    }

    @Test
    void dead_afterTheOwnSessionWasLost_waitsForTheGrace() {
        watch.begin(true, OLD_SERVER);
        watch.dead(Map.of(7, 0));
        pass(DeathWatch.GRACE_MILLIS - 1);
        assertThat(watch.dead(Map.of(7, 0))).isEmpty();
        pass(1);
        assertThat(watch.dead(Map.of(7, 0))).containsExactly(7);
    }

    @Test // also if the clock was set back since the server's start
    void dead_afterTheServersStart_waitsForTheGrace() {
        for (long age : new long[] {1_000, -OLD_SERVER}) {
            watch.begin(false, age);
            watch.dead(Map.of(7, 0));
            pass(DeathWatch.GRACE_MILLIS - Math.max(age, 0) - 1);
            assertThat(watch.dead(Map.of(7, 0))).isEmpty();
            pass(1);
            assertThat(watch.dead(Map.of(7, 0))).containsExactly(7);
        }
    }
}
