package dev.howdah.benchmarks;

import java.time.Duration;

/** The same from the deepest sleep: all sessions but one are closed, everybody waits for the bell. */
final class LatencyFromSleep implements Scenario {
    private static final int TASKS = 10;

    @Override
    public String name() {
        return "latency-sleep";
    }

    @Override
    public void run(Bench bench) throws Exception {
        for (int round = 1; round <= bench.rounds(); round++) {
            bench.clear();
            for (int i = 0; i < TASKS; i++) {
                Bench.pause(Duration.ofSeconds(12)); // idle sessions are closed after ten
                bench.execute("INSERT INTO task (input) VALUES ('SELECT 1')");
            }
            bench.settle();
            bench.print("asleep", round, bench.latency("true"));
        }
    }
}
