package dev.howdah.benchmarks;

import java.time.Duration;

/** From the insert (its statement's time, so that its commit counts) to the start of the task; nothing else to do. */
final class Latency implements Scenario {
    private static final int TASKS = 300;

    @Override
    public String name() {
        return "latency";
    }

    @Override
    public void run(Bench bench) throws Exception {
        for (int round = 1; round <= bench.rounds(); round++) {
            bench.clear();
            long micros = 0;
            for (int i = 0; i < TASKS; i++) {
                long begun = System.nanoTime();
                bench.execute("INSERT INTO task (input) VALUES ('SELECT 1')");
                micros += (System.nanoTime() - begun) / 1000;
                Bench.pause(Duration.ofMillis(40));
            }
            bench.settle();
            Figures figures = bench.latency("true");
            figures.put("insert_ms", micros / 1000.0 / TASKS);
            bench.print("idle", round, figures);
        }
    }
}
