package dev.howdah.benchmarks;

import java.time.Duration;

/** The same while another session inserts 500 tasks a second, one by one, in ten groups; for both kinds. */
final class LatencyUnderLoad implements Scenario {
    private static final int TASKS = 300;
    private static final int PER_SECOND = 500;

    @Override
    public String name() {
        return "latency-load";
    }

    @Override
    public void run(Bench bench) throws Exception {
        for (int round = 1; round <= bench.rounds(); round++) {
            bench.clear();
            SteadyLoad load = SteadyLoad.begin(bench.daemon().database(), PER_SECOND);
            Bench.pause(Duration.ofSeconds(1));
            for (int i = 0; i < TASKS; i++) {
                bench.execute("INSERT INTO task (\"group\", input) VALUES ('probe', 'SELECT 1')");
                Bench.pause(Duration.ofMillis(30));
            }
            int inserted = load.end();
            bench.settle();
            var probes = bench.latency("\"group\" = 'probe'");
            probes.put("load", inserted);
            bench.print("probes", round, probes);
            bench.print("load", round, bench.latency("\"group\" <> 'probe'"));
        }
    }
}
