package dev.howdah.benchmarks;

import java.util.List;

/** The scenarios of the door of sweeps. They share a server. */
final class SweepScenarios {
    static final List<String> NAMES = List.of("mark", "slow", "kill");

    private SweepScenarios() {}

    /** @param rows of the table that is marked */
    static List<Scenario> of(int rows) {
        return List.of(new SweepMark(rows), new SweepSlow(), new SweepKill(Math.min(rows, 1_000_000)));
    }
}
