package dev.howdah.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

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
            AtomicBoolean enough = new AtomicBoolean();
            CompletableFuture<Integer> load = new CompletableFuture<>();
            new Thread(() -> {
                        try (Connection connection = bench.daemon().database().connect()) {
                            load.complete(insert(connection, enough));
                        } catch (SQLException e) {
                            load.completeExceptionally(e);
                        }
                    })
                    .start();
            Bench.pause(Duration.ofSeconds(1));
            for (int i = 0; i < TASKS; i++) {
                bench.execute("INSERT INTO task (\"group\", input) VALUES ('probe', 'SELECT 1')");
                Bench.pause(Duration.ofMillis(30));
            }
            enough.set(true);
            int inserted = load.get();
            bench.settle();
            var probes = bench.latency("\"group\" = 'probe'");
            probes.put("load", inserted);
            bench.print("probes", round, probes);
            bench.print("load", round, bench.latency("\"group\" <> 'probe'"));
        }
    }

    /** At fixed times, late ones at once. */
    private static int insert(Connection connection, AtomicBoolean enough) throws SQLException {
        long begun = System.nanoTime();
        int inserted = 0;
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO task (\"group\", max, input) VALUES ('load' || ?::integer % 10, 1, 'SELECT 1')")) {
            while (!enough.get()) {
                long due = begun + inserted * 1_000_000_000L / PER_SECOND;
                Bench.pause(Duration.ofNanos(Math.max(due - System.nanoTime(), 0)));
                insert.setInt(1, inserted++);
                insert.execute();
            }
        }
        return inserted;
    }
}
