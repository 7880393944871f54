package dev.howdah.benchmarks.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** Percentiles of the last thirty seconds. */
class RecentLatenciesTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void percentiles_ofRecentOnes_areExactToAThousandth() {
        RecentLatencies latencies = new RecentLatencies();
        for (int i = 1; i <= 1_000; i++) latencies.record(i * 1_000, 100 * SECOND);
        double[] found = latencies.percentiles(101 * SECOND, 0.5, 0.99);
        assertThat(found[0]).isCloseTo(500, within(1.0));
        assertThat(found[1]).isCloseTo(990, within(2.0));
    }

    @Test
    void percentiles_afterThirtySeconds_areThoseOfTheNewOnes() {
        RecentLatencies latencies = new RecentLatencies();
        latencies.record(1_000_000, 10 * SECOND);
        latencies.record(2_000, 35 * SECOND);
        assertThat(latencies.percentiles(39 * SECOND, 1)[0]).isCloseTo(1_000, within(2.0));
        assertThat(latencies.percentiles(41 * SECOND, 1)[0]).isCloseTo(2, within(0.01));
        assertThat(latencies.percentiles(100 * SECOND, 1)[0]).isZero();
    }

    @Test
    void latencies_beyondTheBounds_areKeptAtThem() {
        RecentLatencies latencies = new RecentLatencies();
        latencies.record(-5, SECOND);
        latencies.record(1e12, SECOND);
        assertThat(latencies.percentiles(SECOND, 0.5, 1)).satisfies(found -> {
            assertThat(found[0]).isLessThan(0.01);
            assertThat(found[1]).isCloseTo(3.6e6, within(10_000.0));
        });
    }
}
