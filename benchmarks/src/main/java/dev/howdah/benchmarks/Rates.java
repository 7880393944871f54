package dev.howdah.benchmarks;

import static dev.howdah.benchmarks.JobScenarios.WORK;

import dev.howdah.job.Jobs;
import dev.howdah.job.NewJob;
import dev.howdah.job.limit.LimitScope;
import dev.howdah.job.limit.Rate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;

/** How much of a rate is used while there is work, and how many jobs begin in one window of its period at most: two nodes, ten seconds. */
final class Rates implements Scenario {
    private static final int[] RATES = {10, 100, 1_000};
    private static final int SECONDS = 10;

    @Override
    public String name() {
        return "rates";
    }

    @Override
    public void run(Bench bench) throws Exception {
        DataSource source = JobScenarios.source(bench.daemon().database());
        Jobs.on(source).start().close();
        for (int rate : RATES)
            for (int round = 1; round <= bench.rounds(); round++) {
                bench.print(rate + " a second", round, measure(bench, source, Rate.of(rate, Duration.ofSeconds(1))));
                bench.print(
                        rate + " a second, spread",
                        round,
                        measure(
                                bench,
                                source,
                                Rate.of(rate, Duration.ofSeconds(1)).burst(Math.max(1, rate / 10))));
            }
    }

    private static Figures measure(Bench bench, DataSource source, Rate rate) throws Exception {
        bench.execute("TRUNCATE howdah.job, howdah.batch, howdah.rate_use");
        Queue<Long> begins = new ConcurrentLinkedQueue<>();
        try (Jobs adder = Jobs.on(source).start()) {
            adder.admin().limits().setRate(LimitScope.queue(NewJob.DEFAULT_QUEUE), rate);
            List<NewJob<Long>> all = new ArrayList<>();
            for (long i = 0; i < (long) rate.jobs() * (SECONDS + 3); i++) all.add(NewJob.of(WORK, i));
            adder.addAll(all);
        }
        try (Jobs one = node(source, begins);
                Jobs other = node(source, begins)) {
            while (begins.isEmpty()) Bench.pause(Duration.ofMillis(1));
            Bench.pause(Duration.ofSeconds(SECONDS));
        }
        List<Long> sorted = begins.stream().sorted().toList();
        int most = 0;
        int first = 0;
        long period = rate.period().toNanos();
        for (int i = 0; i < sorted.size(); i++) {
            while (sorted.get(i) - sorted.get(first) >= period) first++;
            most = Math.max(most, i - first + 1);
        }
        long until = sorted.get(0) + SECONDS * 1_000_000_000L;
        // Those of the first moment are ahead of an even flow.
        long begun = sorted.stream().filter(at -> at < until).count();
        return new Figures()
                .put("used", (double) begun / rate.jobs() / SECONDS)
                .put("most_in_a_window", most)
                .put("allowed", rate.jobs());
    }

    private static Jobs node(DataSource source, Queue<Long> begins) {
        return Jobs.on(source)
                .concurrency(20)
                .handle(WORK, (number, job) -> begins.add(System.nanoTime()))
                .start();
    }
}
