package dev.howdah.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** First tasks of new groups while 1,000 other groups have one long task each, against none, in turn. */
final class Groups implements Scenario {
    private static final int GROUPS = 1_000;
    private static final int PROBES = 100;
    private static final String RUNNING = "SELECT count(*) FROM task WHERE state = 'WORK'";

    @Override
    public String name() {
        return "groups";
    }

    @Override
    public Daemon.Needs needs() {
        return new Daemon.Needs(List.of("--sessions", "1100"), Map.of("max_connections", "1200"));
    }

    @Override
    public void run(Bench bench) throws Exception {
        List<Double> medians = new ArrayList<>();
        List<Double> tails = new ArrayList<>();
        for (int round = 1; round <= bench.rounds(); round++) {
            Figures alone = probe(bench, round);
            bench.print("none", round, alone);
            bench.execute("INSERT INTO task (\"group\", input) SELECT 'long' || i, 'SELECT pg_sleep(600)' FROM"
                    + " generate_series(1, " + GROUPS + ") i");
            while (bench.value(Long.class, RUNNING) < GROUPS) Bench.pause(Duration.ofMillis(200));
            Bench.pause(Duration.ofSeconds(2));
            Figures beside = probe(bench, round);
            bench.print("1000 groups", round, beside);
            medians.add(beside.get("p50_ms") - alone.get("p50_ms"));
            tails.add(beside.get("p99_ms") - alone.get("p99_ms"));
            bench.execute("SELECT pg_cancel_backend(pid) FROM task WHERE state = 'WORK'");
            bench.settle();
            bench.clear();
        }
        bench.print(
                "1000 groups against none",
                0,
                new Figures().put("added_p50_ms", Figures.median(medians)).put("added_p99_ms", Figures.median(tails)));
    }

    private static Figures probe(Bench bench, int round) throws Exception {
        String name = "new" + round + "x" + System.nanoTime() + "x";
        for (int i = 0; i < PROBES; i++) {
            bench.execute("INSERT INTO task (\"group\", input) VALUES ('" + name + i + "', 'SELECT 1')");
            Bench.pause(Duration.ofMillis(40));
        }
        while (bench.value(
                Boolean.class,
                "SELECT EXISTS (SELECT FROM task WHERE \"group\" LIKE '" + name + "%' AND state <> 'DONE')"))
            Bench.pause(Duration.ofMillis(20));
        return bench.latency("\"group\" LIKE '" + name + "%'");
    }
}
