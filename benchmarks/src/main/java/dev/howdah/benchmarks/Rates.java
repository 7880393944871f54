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
import java.util.concurrent.atomic.AtomicLongArray;
import javax.sql.DataSource;

/**
 * How much of a rate is used while there is work, and how many jobs begin in one window of its period at most: two nodes, ten seconds. The same for ten
 * queues with a rate each; and how many transactions two nodes need while all jobs wait for their rate.
 */
final class Rates implements Scenario {
    private static final int[] RATES = {10, 100, 1_000};
    private static final int SECONDS = 10;
    private static final int QUEUES = 10;

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
        for (int round = 1; round <= bench.rounds(); round++) {
            bench.print(QUEUES + " queues, 20 a second each", round, measureMany(bench, source));
            bench.print("one an hour", round, measureWaiting(bench, source));
        }
    }

    private static Figures measureMany(Bench bench, DataSource source) throws Exception {
        bench.execute("TRUNCATE howdah_internal.job, howdah_internal.batch, howdah_internal.rate_use");
        int perQueue = 20 * (SECONDS + 3);
        String[] queues = new String[QUEUES];
        AtomicLongArray begun = new AtomicLongArray(QUEUES);
        for (int i = 0; i < QUEUES; i++) queues[i] = "rated " + i;
        try (Jobs adder = Jobs.on(source).start()) {
            List<NewJob<Long>> all = new ArrayList<>();
            for (int i = 0; i < QUEUES; i++) {
                adder.admin().limits().setRate(LimitScope.queue(queues[i]), Rate.of(20, Duration.ofSeconds(1)));
                for (int j = 0; j < perQueue; j++)
                    all.add(NewJob.of(WORK, (long) i).queue(queues[i]));
            }
            adder.addAll(all);
        }
        try (Jobs one = many(source, queues, begun);
                Jobs other = many(source, queues, begun)) {
            while (begun.get(QUEUES - 1) == 0) Bench.pause(Duration.ofMillis(1));
            Bench.pause(Duration.ofSeconds(SECONDS));
            double least = 1;
            for (int i = 0; i < QUEUES; i++) least = Math.min(least, (double) begun.get(i) / 20 / SECONDS);
            return new Figures().put("least_used", least);
        } finally {
            for (String each : queues) bench.execute("SELECT howdah.rate_limit('" + each + "', NULL, NULL)");
        }
    }

    private static Jobs many(DataSource source, String[] queues, AtomicLongArray begun) {
        return Jobs.on(source)
                .queues(queues)
                .concurrency(20)
                .handle(WORK, (number, job) -> begun.incrementAndGet(number.intValue()))
                .start();
    }

    private static Figures measureWaiting(Bench bench, DataSource source) throws Exception {
        String transactions =
                "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()";
        bench.execute("TRUNCATE howdah_internal.job, howdah_internal.batch, howdah_internal.rate_use");
        Queue<Long> begins = new ConcurrentLinkedQueue<>();
        try (Jobs adder = Jobs.on(source).start()) {
            adder.admin().limits().removeRates(LimitScope.queue(NewJob.DEFAULT_QUEUE));
            adder.admin().limits().setRate(LimitScope.queue(NewJob.DEFAULT_QUEUE), Rate.of(1, Duration.ofHours(1)));
            for (long i = 0; i < 1_000; i++) adder.add(NewJob.of(WORK, i));
        }
        try (Jobs one = node(source, begins);
                Jobs other = node(source, begins)) {
            // The nodes come to rest.
            Bench.pause(Duration.ofSeconds(4));
            long before = bench.value(Long.class, transactions);
            Bench.pause(Duration.ofSeconds(SECONDS));
            return new Figures()
                    .put("transactions_per_s", (double) (bench.value(Long.class, transactions) - before) / SECONDS);
        } finally {
            bench.execute("SELECT howdah.rate_limit('" + NewJob.DEFAULT_QUEUE + "', NULL, NULL)");
        }
    }

    private static Figures measure(Bench bench, DataSource source, Rate rate) throws Exception {
        bench.execute("TRUNCATE howdah_internal.job, howdah_internal.batch, howdah_internal.rate_use");
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
