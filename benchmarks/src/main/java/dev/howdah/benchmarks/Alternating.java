package dev.howdah.benchmarks;

import java.util.ArrayList;
import java.util.List;

/** The trivial tasks of {@link Throughput} beside other rows of the table, against none, in turn. */
final class Alternating implements Scenario {
    private final String name;
    private final String variant;
    private final String others;

    /**
     * @param variant says what the other rows are
     * @param others an INSERT of the other rows
     */
    Alternating(String name, String variant, String others) {
        this.name = name;
        this.variant = variant;
        this.others = others;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void run(Bench bench) throws Exception {
        List<Double> ratios = new ArrayList<>();
        List<Double> costs = new ArrayList<>();
        List<Figures> without = new ArrayList<>();
        List<Figures> with = new ArrayList<>();
        for (int round = 1; round <= bench.rounds(); round++) {
            bench.clear();
            Bench.Drain alone = measure(bench, "");
            bench.print("none", round, alone.figures());
            bench.clear();
            Bench.Drain beside = measure(bench, others);
            bench.print(variant, round, beside.figures());
            without.add(alone.figures());
            with.add(beside.figures());
            ratios.add(beside.tasksPerSecond() / alone.tasksPerSecond());
            costs.add(cpu(beside) / cpu(alone));
        }
        bench.print("none", 0, Figures.medians(without));
        Figures figures = Figures.medians(with);
        figures.put("median_ratio", Figures.median(ratios));
        figures.put("median_cpu_ratio", Figures.median(costs));
        bench.print(variant, 0, figures);
    }

    private static double cpu(Bench.Drain drain) {
        return (drain.usage().serverSeconds() + drain.usage().daemonSeconds()) / drain.tasks();
    }

    private static Bench.Drain measure(Bench bench, String before) throws Exception {
        if (!before.isEmpty()) {
            bench.execute(before);
            bench.execute("VACUUM ANALYZE task");
        }
        return bench.drain("group", TaskScenarios.trivial("group", Throughput.TASKS, Throughput.MAX, false));
    }
}
