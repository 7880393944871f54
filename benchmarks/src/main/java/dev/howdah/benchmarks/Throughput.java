package dev.howdah.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** 2,000 trivial tasks of one group, five at a time: each in a clean session, and in sessions that are reused. */
final class Throughput implements Scenario {
    static final int TASKS = 2_000;
    static final int MAX = 4;

    @Override
    public String name() {
        return "throughput";
    }

    @Override
    public void run(Bench bench) throws Exception {
        Map<String, List<Figures>> drains = new LinkedHashMap<>();
        for (int round = 1; round <= bench.rounds(); round++) {
            for (String variant : List.of("clean", "reused")) {
                bench.clear();
                Bench.Drain drain =
                        bench.drain("group", TaskScenarios.trivial("group", TASKS, MAX, variant.equals("reused")));
                bench.print(variant, round, drain.figures());
                drains.computeIfAbsent(variant, v -> new ArrayList<>()).add(drain.figures());
            }
        }
        drains.forEach((variant, all) -> bench.print(variant, 0, Figures.medians(all)));
    }
}
