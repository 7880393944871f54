package dev.howdah.benchmarks.scaling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The figures of {@code docs/scaling.md} are what the program prints, and the simulation adds up. */
class ScalingReportTest {
    /** Surefire runs in the module. */
    private static final Path ROOT = Path.of(System.getProperty("basedir", ".")).resolve("..");

    private static final ServerCosts COSTS = new ServerCosts(5, 5, 1_000, 500, 300_000, 2_000, 100, 50, 10, 3);

    @Test
    void page_hasTheTablesThatAreComputedFromTheResults() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/scaling.md"));
        String text = ScalingReport.text(ROOT.resolve("benchmarks/results/scaling.jsonl"));
        for (String table : text.split("\n\n")) assertThat(page).contains(table.strip());
    }

    @Test // 2,000 nodes look each two seconds, and each look takes 100 microseconds
    void nodes_withoutJobs_useWhatTheirLooksCost() {
        DatabaseSimulation.Result seen = DatabaseSimulation.run(COSTS, 16, 2_000, 0, 30);
        assertThat(seen.watching()).isCloseTo(1_000 * 100e-6, within(0.01));
        assertThat(seen.busy() - seen.watching()).isCloseTo(2_000 * 2_000e-6, within(0.1));
        assertThat(seen.ringing()).isZero();
    }

    @Test
    void jobs_thatComeSlowly_waitForTheirStatementsOnly() {
        DatabaseSimulation.Result seen = DatabaseSimulation.run(COSTS, 4, 1, 20, 60);
        assertThat(seen.p50()).isBetween(1.0, 1.2);
        assertThat(seen.working()).isCloseTo(20 * 1_000e-6, within(0.003));
        assertThat(seen.ringing()).isCloseTo(20 * 60e-6, within(0.0003));
        assertThat(seen.left()).isLessThan(3);
    }

    @Test // more than one by one: claims take what has gathered
    void jobs_thatComeFasterThanOneByOne_areClaimedTogether() {
        DatabaseSimulation.Result seen = DatabaseSimulation.run(COSTS, 2, 2, 3_000, 20);
        assertThat(seen.working()).isLessThan(1.99);
        assertThat(seen.left()).isLessThan(1_000);
    }

    @Test
    void nodes_tooMany_leaveNoRoomForJobs() {
        DatabaseSimulation.Result seen = DatabaseSimulation.run(COSTS, 4, 10_000, 100, 20);
        assertThat(seen.busy()).isGreaterThan(3.9);
        assertThat(seen.left()).isGreaterThan(100);
    }

    @Test
    void simulation_ofTheSameInput_hasTheSameResult() {
        assertThat(DatabaseSimulation.run(COSTS, 4, 50, 500, 10))
                .isEqualTo(DatabaseSimulation.run(COSTS, 4, 50, 500, 10));
    }
}
