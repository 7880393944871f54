package dev.howdah.job.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LaneSleepTest {
    private static double seconds(int others, double spread) {
        return LaneSleep.lookAgainNanos(others, spread) / (double) TimeUnit.SECONDS.toNanos(1);
    }

    @Test
    void nodeBesideOneOther_looksEvery2500Milliseconds() {
        for (double spread : new double[] {0, 0.5, 1}) {
            assertThat(seconds(0, spread)).isEqualTo(2.5);
            assertThat(seconds(1, spread)).isEqualTo(2.5);
        }
    }

    @Test
    void nodesBesideManyOthers_lookRarely_andNotTogether() {
        assertThat(seconds(3, 1)).isEqualTo(7.5);
        assertThat(seconds(8, 1)).isEqualTo(20);
        assertThat(seconds(200, 0)).isEqualTo(2.5);
        assertThat(seconds(200, 1)).isEqualTo(20);
    }

    /** A job whose ring was lost is found by the first of the nodes that looks. */
    @Test
    void firstOfManyNodes_looksSoon() {
        Random random = new Random(7);
        double sum = 0;
        for (int round = 0; round < 1_000; round++) {
            double first = Double.MAX_VALUE;
            for (int node = 0; node < 8; node++) first = Math.min(first, seconds(8, random.nextDouble()));
            sum += first;
        }
        assertThat(sum / 1_000).isBetween(4.0, 5.0);
    }
}
