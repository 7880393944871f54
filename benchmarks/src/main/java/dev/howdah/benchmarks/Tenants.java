package dev.howdah.benchmarks;

import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** Ten jobs of a tenant while another one has 100,000 ahead, against ten alone, at several numbers of places: how long until they are done. */
final class Tenants implements Scenario {
    private static final Kind<String> TURN = Kind.of("turn", String.class);
    private static final int AHEAD = 100_000;
    private static final long JOB_MILLIS = 20;
    private static final int[] PLACES = {2, 5, 10};

    @Override
    public String name() {
        return "tenants";
    }

    @Override
    public void run(Bench bench) throws Exception {
        DataSource source = JobScenarios.source(bench.daemon().database());
        Jobs.on(source).start().close();
        for (int places : PLACES) {
            List<Double> ratios = new ArrayList<>();
            for (int round = 1; round <= bench.rounds(); round++) {
                double alone = tenJobs(bench, source, places, false);
                double beside = tenJobs(bench, source, places, true);
                bench.print(
                        places + " places",
                        round,
                        new Figures().put("alone_ms", alone).put("beside_ms", beside));
                ratios.add(beside / alone);
            }
            bench.print(places + " places", 0, new Figures().put("median_ratio", Figures.median(ratios)));
        }
    }

    static void clear(Bench bench) throws Exception {
        bench.execute(
                "TRUNCATE howdah_internal.job, howdah_internal.batch, howdah_internal.group_state, howdah_internal.group_wake, howdah_internal.group_clock;"
                        + " DELETE FROM howdah_internal.lane WHERE id < 0");
    }

    /** In how many milliseconds ten jobs of one tenant are done. */
    private static double tenJobs(Bench bench, DataSource source, int places, boolean beside) throws Exception {
        clear(bench);
        CountDownLatch done = new CountDownLatch(10);
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger others = new AtomicInteger();
        try (Jobs jobs = Jobs.on(source)
                .concurrency(places)
                .handle(TURN, (name, job) -> {
                    if (!over.get()) TimeUnit.MILLISECONDS.sleep(JOB_MILLIS);
                    if (name.equals("small")) done.countDown();
                    else others.incrementAndGet();
                })
                .start()) {
            // So that the queue has groups, and the node knows.
            jobs.add(NewJob.of(TURN, "warm").group("warm"));
            while (others.get() < 1) Bench.pause(Duration.ofMillis(5));
            Bench.pause(Duration.ofSeconds(3));
            if (beside) {
                List<NewJob<String>> big = new ArrayList<>();
                for (int i = 0; i < AHEAD; i++) big.add(NewJob.of(TURN, "big").group("big"));
                jobs.addAll(big);
                int before = others.get();
                while (others.get() < before + 4 * places) Bench.pause(Duration.ofMillis(5));
            }
            List<NewJob<String>> small = new ArrayList<>();
            for (int i = 0; i < 10; i++) small.add(NewJob.of(TURN, "small").group("small"));
            long began = System.nanoTime();
            jobs.addAll(small);
            done.await();
            double millis = (System.nanoTime() - began) / 1e6;
            over.set(true);
            bench.execute("TRUNCATE howdah_internal.job");
            return millis;
        }
    }
}
