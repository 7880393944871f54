package dev.howdah.benchmarks;

import dev.howdah.sweep.Sweep;
import java.time.Duration;

/** Work of 200 ms for each row: one worker, and 50. */
final class SweepSlow implements Scenario {
    private static final Duration WORK = Duration.ofMillis(200);
    private static final int MANY = 50;
    private static final int ROWS_EACH = 150;

    @Override
    public String name() {
        return "slow";
    }

    @Override
    public void run(Bench bench) throws Exception {
        SweepTable table = new SweepTable(bench);
        double one = measure(table, 1);
        double many = measure(table, MANY);
        bench.print("1 worker", 1, new Figures().put("rows_per_s", one));
        bench.print(MANY + " workers", 1, new Figures().put("rows_per_s", many).put("times_one", many / one));
    }

    private static double measure(SweepTable table, int workers) throws Exception {
        int rows = workers * ROWS_EACH;
        table.fill(rows);
        long begun = System.nanoTime();
        try (Sweep sweep = table.mailing()
                .workers(workers)
                .forEachRow(row -> Bench.pause(WORK))
                .start()) {
            sweep.join();
        }
        double seconds = (System.nanoTime() - begun) / 1e9;
        table.check(rows);
        return rows / seconds;
    }
}
