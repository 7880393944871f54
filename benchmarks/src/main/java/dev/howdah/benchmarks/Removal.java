package dev.howdah.benchmarks;

import dev.howdah.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** 200 tasks a second while 1,000,000 rows are removed because they ended long ago, against none to remove. */
final class Removal implements Scenario {
    private static final int OLD = Integer.getInteger("howdah.removal", 1_000_000);
    private static final int PER_SECOND = 200;
    private static final Duration ALONE = Duration.ofSeconds(30);

    @Override
    public String name() {
        return "removal";
    }

    @Override
    public Daemon.Needs needs() {
        return new Daemon.Needs(List.of(), Map.of("pg_task.retention", "1 day"));
    }

    @Override
    public void run(Bench bench) throws Exception {
        for (int round = 1; round <= bench.rounds(); round++) {
            Figures none = measure(bench, 0);
            bench.print("none to remove", round, none);
            Figures some = measure(bench, OLD);
            for (String each : List.of("p50_ms", "p99_ms", "cpu_percent"))
                some.put("ratio_" + each, some.get(each) / none.get(each));
            bench.print(OLD + " to remove", round, some);
        }
    }

    private static Figures measure(Bench bench, int old) throws Exception {
        bench.clear();
        bench.execute(
                "INSERT INTO task (input, state, plan, start, stop, output) SELECT 'SELECT 1', 'DONE', t, t, t, '1'"
                        + " FROM generate_series(1, " + old + "), (SELECT now() - interval '2 days' AS t) x");
        bench.execute("VACUUM ANALYZE task");
        bench.execute("CHECKPOINT");
        long last = bench.value(Long.class, "SELECT COALESCE(max(id), 0) FROM task");
        Object before = bench.value(
                Object.class, "SELECT pid FROM pg_stat_activity WHERE application_name = 'howdah public task'");
        // A new term begins to remove at once.
        bench.execute("SELECT pg_terminate_backend(" + before + ")");
        bench.execute("INSERT INTO task (input, \"group\") VALUES ('SELECT 1', 'first')");
        bench.settle();
        Usage usage = bench.usage();
        long begun = System.nanoTime();
        double longest;
        try (SteadyLoad load = SteadyLoad.begin(bench.daemon().database(), PER_SECOND);
                Longest transactions = Longest.watch(bench.daemon().database())) {
            String left = "SELECT EXISTS (SELECT FROM task WHERE id <= " + last + ")";
            if (old == 0) Bench.pause(ALONE);
            else while (bench.value(Boolean.class, left)) Bench.pause(Duration.ofMillis(100));
            load.end();
            longest = transactions.end();
        }
        double seconds = (System.nanoTime() - begun) / 1e9;
        bench.settle();
        Usage used = bench.usage().minus(usage);
        Figures figures = bench.latency("\"group\" LIKE 'load%'");
        figures.put("seconds", seconds);
        figures.put("removed_per_s", old / seconds);
        figures.put("longest_transaction_ms", longest);
        figures.put("cpu_percent", 100 * (used.serverSeconds() + used.daemonSeconds()) / seconds);
        return figures;
    }

    /** How long the scheduler's session has kept a transaction open, and with it locks: seen every 2 ms. */
    private static final class Longest implements AutoCloseable {
        private final CompletableFuture<Double> seen = new CompletableFuture<>();
        private volatile boolean enough;

        static Longest watch(Database database) {
            Longest longest = new Longest();
            new Thread(() -> {
                        try (Connection connection = database.connect();
                                PreparedStatement age = connection.prepareStatement(
                                        "SELECT max(extract(epoch FROM clock_timestamp() - xact_start))::float8 * 1000"
                                                + " FROM pg_stat_activity WHERE application_name = 'howdah public task'")) {
                            longest.seen.complete(longest.watch(age));
                        } catch (SQLException e) {
                            longest.seen.completeExceptionally(e);
                        }
                    })
                    .start();
            return longest;
        }

        private double watch(PreparedStatement age) throws SQLException {
            double most = 0;
            while (!enough) {
                try (ResultSet row = age.executeQuery()) {
                    row.next();
                    most = Math.max(most, row.getDouble(1));
                }
                Bench.pause(Duration.ofMillis(2));
            }
            return most;
        }

        double end() throws Exception {
            enough = true;
            return seen.get();
        }

        @Override
        public void close() {
            enough = true;
        }
    }
}
