package dev.howdah.benchmarks.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/** P116, P117, P122, P129: processes whose nodes are killed, in short; {@code benchmarks/run faults processes} is the long form. */
class ProcessFaultsTest {
    private static final int KILLS = 3;

    @Test
    void processes_whoseNodesAreKilled_loseNothingAndDoNothingTwice() throws Exception {
        long seed = ThreadLocalRandom.current().nextLong(1_000_000);
        System.out.println("seed of the faults: " + seed);
        try (ProcessFaults faults = ProcessFaults.open(seed)) {
            Map<String, Object> figures = faults.play(KILLS, false);
            assertThat(figures.get("complaints"))
                    .as("seed %s, logs and data in %s, %s", seed, faults.directory(), figures)
                    .isEqualTo(List.of());
            assertThat((Long) figures.get("told_done")).isGreaterThan(100);
        }
    }
}
