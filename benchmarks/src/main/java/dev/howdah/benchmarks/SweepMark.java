package dev.howdah.benchmarks;

import dev.howdah.sweep.Sweep;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * All rows of a table are marked: by a plain UPDATE in steps of 10,000, by the obvious loop (for ten seconds: it never ends),
 * and by sweeps, whose rate over the first and the last tenth of the rows is told apart.
 */
final class SweepMark implements Scenario {
    private static final int STEP = 10_000;
    private static final int WORKERS = 4;
    private static final long LOOP_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final int rows;

    SweepMark(int rows) {
        this.rows = rows;
    }

    @Override
    public String name() {
        return "mark";
    }

    @Override
    public void run(Bench bench) throws Exception {
        SweepTable table = new SweepTable(bench);
        Map<String, List<Figures>> seen = new LinkedHashMap<>();
        warmUp(table);
        for (int round = 1; round <= bench.rounds(); round++) {
            Map<String, Figures> now = new LinkedHashMap<>();
            now.put("update", update(bench, table));
            now.put("loop", loop(bench, table));
            for (int batch : List.of(100, 1_000)) now.put("sweep, batch " + batch, sweep(bench, table, batch));
            for (Map.Entry<String, Figures> each : now.entrySet()) {
                each.getValue()
                        .put(
                                "of_update",
                                each.getValue().get("rows_per_s")
                                        / now.get("update").get("rows_per_s"));
                each.getValue()
                        .put(
                                "of_loop",
                                each.getValue().get("rows_per_s")
                                        / now.get("loop").get("rows_per_s"));
                bench.print(each.getKey(), round, each.getValue());
                seen.computeIfAbsent(each.getKey(), key -> new ArrayList<>()).add(each.getValue());
            }
        }
        seen.forEach((variant, all) -> bench.print(variant, 0, Figures.medians(all)));
    }

    private static void warmUp(SweepTable table) throws Exception {
        table.fill(50_000);
        try (Sweep sweep = table.mailing().start()) {
            sweep.join();
        }
    }

    private static Figures figures(double rows, double seconds) {
        return new Figures().put("rows", rows).put("rows_per_s", rows / seconds);
    }

    private Figures update(Bench bench, SweepTable table) throws SQLException {
        table.fill(rows);
        long begun = System.nanoTime();
        for (int from = 1; from <= rows; from += STEP)
            bench.execute("UPDATE subscription SET last_mail_at = now(), mails = mails + 1 WHERE last_mail_at IS NULL"
                    + " AND id BETWEEN " + from + " AND " + (from + STEP - 1));
        Figures figures = figures(rows, (System.nanoTime() - begun) / 1e9);
        table.check(rows);
        return figures;
    }

    private Figures loop(Bench bench, SweepTable table) throws Exception {
        table.fill(rows);
        AtomicLong done = new AtomicLong();
        long begun = System.nanoTime();
        ExecutorService workers = Executors.newFixedThreadPool(WORKERS);
        for (int i = 0; i < WORKERS; i++)
            workers.submit(() -> {
                try (Connection connection = table.source().getConnection();
                        PreparedStatement one =
                                connection.prepareStatement("UPDATE subscription SET last_mail_at = now(),"
                                        + " mails = mails + 1 WHERE id = (SELECT id FROM subscription WHERE last_mail_at IS NULL"
                                        + " ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)")) {
                    while (System.nanoTime() - begun < LOOP_NANOS) done.addAndGet(one.executeUpdate());
                }
                return null;
            });
        workers.shutdown();
        if (!workers.awaitTermination(1, TimeUnit.MINUTES)) throw new IllegalStateException("the loop does not end");
        return figures(done.get(), (System.nanoTime() - begun) / 1e9);
    }

    private Figures sweep(Bench bench, SweepTable table, int batch) throws Exception {
        table.fill(rows);
        long begun = System.nanoTime();
        double first = 0;
        double last = 0;
        try (Sweep sweep = table.mailing().workers(WORKERS).batch(batch).start()) {
            while (!sweep.join(Duration.ofMillis(20))) {
                long done = sweep.progress().done();
                double now = (System.nanoTime() - begun) / 1e9;
                if (first == 0 && done >= rows / 10) first = done / now;
                if (done < rows * 9L / 10) last = now - done / 1e12;
            }
        }
        double seconds = (System.nanoTime() - begun) / 1e9;
        table.check(rows);
        Runtime runtime = Runtime.getRuntime();
        return figures(rows, seconds)
                .put("first_tenth_per_s", first)
                .put("last_tenth_per_s", rows / 10.0 / Math.max(seconds - last, 0.001))
                .put("heap_mb", (runtime.totalMemory() - runtime.freeMemory()) / 1e6);
    }
}
