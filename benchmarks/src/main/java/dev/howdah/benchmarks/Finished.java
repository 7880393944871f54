package dev.howdah.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Throughput and latency in a table with 10,000,000 rows of tasks that have ended, against an empty one. */
final class Finished implements Scenario {
    private static final int ROWS = Integer.getInteger("howdah.finished", 10_000_000);
    private static final int TASKS = 10_000;
    private static final int SINGLE = 200;

    @Override
    public String name() {
        return "finished";
    }

    @Override
    public void run(Bench bench) throws Exception {
        bench.clear();
        List<Figures> empty = measure(bench, "empty");
        bench.clear();
        bench.execute(
                "INSERT INTO task (input, state, plan, start, stop, output) SELECT 'SELECT 1', 'DONE', t, t, t, '1'"
                        + " FROM generate_series(1, " + ROWS + "), (SELECT now() - interval '1 hour' AS t) x");
        bench.execute("VACUUM ANALYZE task");
        bench.execute("CHECKPOINT");
        List<Figures> full = measure(bench, ROWS + " finished");
        bench.clear();
        empty.addAll(measure(bench, "empty again"));
        Figures before = Figures.medians(empty);
        Figures after = Figures.medians(full);
        Figures ratios = new Figures();
        for (String each : List.of("tasks_per_s", "server_cpu_us", "daemon_cpu_us", "single_p50_ms", "single_p99_ms"))
            ratios.put("ratio_" + each, after.get("median_" + each) / before.get("median_" + each));
        bench.print(ROWS + " finished against none", 0, ratios);
    }

    private static List<Figures> measure(Bench bench, String variant) throws Exception {
        List<Figures> all = new ArrayList<>();
        for (int round = 1; round <= bench.rounds(); round++) {
            Figures figures = bench.drain("group", TaskScenarios.trivial("group", TASKS, Throughput.MAX, false))
                    .figures();
            String group = "single" + variant + round;
            for (int i = 0; i < SINGLE; i++) {
                bench.execute("INSERT INTO task (input, \"group\") VALUES ('SELECT 1', '" + group + "')");
                Bench.pause(Duration.ofMillis(20));
            }
            bench.settle();
            figures.putAll("single_", bench.latency("\"group\" = '" + group + "'"));
            bench.print(variant, round, figures);
            all.add(figures);
        }
        return all;
    }
}
