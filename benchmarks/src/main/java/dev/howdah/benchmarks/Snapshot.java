package dev.howdah.benchmarks;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A session that holds a snapshot while 100,000 tasks go through the table, against the same without it. */
final class Snapshot implements Scenario {
    private static final int THROUGH = 100_000;
    private static final int PROBES = 100;

    @Override
    public String name() {
        return "snapshot";
    }

    @Override
    public void run(Bench bench) throws Exception {
        List<Double> ratios = new ArrayList<>();
        List<Double> costs = new ArrayList<>();
        for (int round = 1; round <= bench.rounds(); round++) {
            Bench.Drain without = measure(bench, round, false);
            Bench.Drain with = measure(bench, round, true);
            ratios.add(with.tasksPerSecond() / without.tasksPerSecond());
            costs.add(cpu(with) / cpu(without));
        }
        bench.print(
                "held against none",
                0,
                new Figures()
                        .put("median_ratio", Figures.median(ratios))
                        .put("median_cpu_ratio", Figures.median(costs)));
    }

    private static double cpu(Bench.Drain drain) {
        return (drain.usage().serverSeconds() + drain.usage().daemonSeconds()) / drain.tasks();
    }

    /** The rate of the last 10,000 after 90,000 have gone through, and the latency of single tasks then. */
    private static Bench.Drain measure(Bench bench, int round, boolean held) throws Exception {
        String variant = held ? "held" : "none";
        bench.clear();
        try (Connection holder = bench.daemon().database().connect();
                Statement statement = holder.createStatement()) {
            if (held) {
                holder.setAutoCommit(false);
                holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                statement.executeQuery("SELECT count(*) FROM pg_class").close();
            }
            // One group: the dead rows in front are what its peeks could walk over.
            String insert = TaskScenarios.trivial("group", THROUGH / 10, Throughput.MAX, false);
            for (int i = 1; i < 10; i++) bench.drain("group", insert);
            Bench.Drain drain = bench.drain("group", insert);
            Figures figures = drain.figures();
            for (int i = 0; i < PROBES; i++) {
                bench.execute("INSERT INTO task (\"group\", input) VALUES ('probe', 'SELECT 1')");
                Bench.pause(Duration.ofMillis(40));
            }
            bench.settle();
            figures.putAll("probe_", bench.latency("\"group\" = 'probe'"));
            bench.print(variant, round, figures);
            if (held) holder.rollback();
            return drain;
        }
    }
}
