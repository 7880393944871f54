package dev.howdah.benchmarks;

import static dev.howdah.benchmarks.JobScenarios.WORK;

import dev.howdah.job.Jobs;
import dev.howdah.job.JobsBuilder;
import dev.howdah.job.NewJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/** Jobs that take a millisecond each, ten at a time in each node: two nodes on one database against one. */
final class Nodes implements Scenario {
    private static final int JOBS = 60_000;
    private static final int STEP = 5_000;

    @Override
    public String name() {
        return "nodes";
    }

    @Override
    public void run(Bench bench) throws Exception {
        DataSource source = JobScenarios.source(bench.daemon().database());
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round <= bench.rounds(); round++) {
            double one = drain(bench, source, 1);
            double two = drain(bench, source, 2);
            if (round == 0) continue; // to warm up
            bench.print("one node", round, new Figures().put("jobs_per_s", one));
            bench.print("two nodes", round, new Figures().put("jobs_per_s", two));
            ratios.add(two / one);
        }
        bench.print("all", 0, new Figures().put("median_ratio", Figures.median(ratios)));
    }

    private static double drain(Bench bench, DataSource source, int nodes) throws Exception {
        try (Jobs adding = Jobs.on(source).start()) {
            for (long from = 0; from < JOBS; from += STEP) {
                List<NewJob<Long>> step = new ArrayList<>(STEP);
                for (long i = from; i < from + STEP; i++) step.add(NewJob.of(WORK, i));
                adding.addAll(step);
            }
        }
        bench.execute("CHECKPOINT");
        AtomicLong done = new AtomicLong();
        List<Jobs> running = new ArrayList<>();
        long began = System.nanoTime();
        try {
            for (int i = 0; i < nodes; i++) {
                JobsBuilder builder = Jobs.on(source).handle(WORK, (payload, job) -> {
                    LockSupport.parkNanos(1_000_000);
                    done.incrementAndGet();
                });
                running.add(builder.start());
            }
            while (done.get() < JOBS) Bench.pause(Duration.ofMillis(1));
            return JOBS / ((System.nanoTime() - began) / 1e9);
        } finally {
            for (Jobs each : running) each.close();
        }
    }
}
