package dev.howdah.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The first 10,000 of 100,000 trivial tasks that wait in one group, against 10,000 of 10,000, in turn. */
final class Queue implements Scenario {
    private static final int TASKS = 10_000;
    private static final int QUEUED = 100_000;

    @Override
    public String name() {
        return "queue";
    }

    @Override
    public void run(Bench bench) throws Exception {
        List<Double> ratios = new ArrayList<>();
        List<Double> costs = new ArrayList<>();
        for (int round = 1; round <= bench.rounds(); round++) {
            Figures alone = measure(bench, TASKS);
            bench.print("10000 waiting", round, alone);
            Figures queued = measure(bench, QUEUED);
            bench.print("100000 waiting", round, queued);
            ratios.add(queued.get("tasks_per_s") / alone.get("tasks_per_s"));
            costs.add(queued.get("cpu_us") / alone.get("cpu_us"));
        }
        bench.print(
                "100000 against 10000",
                0,
                new Figures()
                        .put("median_ratio", Figures.median(ratios))
                        .put("median_cpu_ratio", Figures.median(costs)));
    }

    /** From the first start on, for an INSERT of so many takes its time. */
    private static Figures measure(Bench bench, int queued) throws Exception {
        bench.clear();
        bench.execute(TaskScenarios.trivial("group", queued, Throughput.MAX, false));
        Usage before = bench.usage();
        long first = bench.value(Long.class, "SELECT count(*) FROM task WHERE state = 'DONE'");
        String last = "SELECT state = 'DONE' FROM task WHERE id = (SELECT min(id) FROM task) + " + (TASKS - 1);
        while (!bench.value(Boolean.class, last)) Bench.pause(Duration.ofMillis(20));
        Usage used = bench.usage().minus(before);
        Object[] row = bench.row("SELECT count(*), extract(epoch FROM max(stop) - min(start))::float8 FROM"
                + " (SELECT start, stop FROM task WHERE state = 'DONE' ORDER BY id LIMIT " + TASKS + ") t");
        long ended = bench.value(Long.class, "SELECT count(*) FROM task WHERE state = 'DONE'") - first;
        Figures figures = new Figures();
        figures.put("tasks", (Long) row[0]);
        figures.put("tasks_per_s", (Long) row[0] / (Double) row[1]);
        figures.put("cpu_us", (used.serverSeconds() + used.daemonSeconds()) * 1e6 / ended);
        bench.execute("UPDATE task SET state = 'STOP' WHERE state = 'PLAN'");
        bench.settle();
        return figures;
    }
}
