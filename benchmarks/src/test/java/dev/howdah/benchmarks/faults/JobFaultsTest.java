package dev.howdah.benchmarks.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** J2, J11, J20, J31, J32: the history of jobs under fire, in short; {@code benchmarks/run faults jobs} is the long form. */
@Tag("long")
class JobFaultsTest {
    private static final int SECONDS = 15;

    @Test
    void jobs_underFire_comeEachToItsOneEnd() throws Exception {
        long seed = ThreadLocalRandom.current().nextLong(1_000_000);
        System.out.println("seed of the faults: " + seed);
        try (JobFaults faults = JobFaults.open(seed)) {
            Map<String, Object> figures = faults.play(SECONDS);
            assertThat(figures.get("complaints"))
                    .as("seed %s, logs and data in %s, %s", seed, faults.directory(), figures)
                    .isEqualTo(List.of());
            assertThat((Long) figures.get("committed")).isPositive();
            assertThat((Long) figures.get("workflows")).isPositive();
            assertThat((Integer) figures.get("faults")).isPositive();
        }
    }
}
