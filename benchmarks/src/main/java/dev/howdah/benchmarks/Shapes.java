package dev.howdah.benchmarks;

import static dev.howdah.benchmarks.JobScenarios.WORK;

import dev.howdah.job.Jobs;
import dev.howdah.job.JobsBuilder;
import dev.howdah.job.NewJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/** Jobs that only count, ten at a time in one node: under a limit and with other features of theirs, against plain ones in the same run. */
final class Shapes implements Scenario {
    private static final int STEP = 5_000;
    private static final int LIMIT = 8;

    /**
     * One way to have the same work done.
     *
     * @param before SQL before the jobs are added
     * @param jobs how many
     * @param job the job with that number
     * @param with settings of the node
     */
    private record Shape(
            String name, String before, int jobs, LongFunction<NewJob<Long>> job, UnaryOperator<JobsBuilder> with) {}

    private static final List<Shape> ALL = List.of(
            new Shape("plain", "SELECT 1", 200_000, i -> NewJob.of(WORK, i), node -> node),
            new Shape(
                    "limit",
                    "SELECT howdah.limit('default', " + LIMIT + ")",
                    200_000,
                    i -> NewJob.of(WORK, i),
                    node -> node),
            new Shape(
                    "node-limit",
                    "SELECT 1",
                    200_000,
                    i -> NewJob.of(WORK, i),
                    node -> node.nodeLimit("default", LIMIT)),
            new Shape("order-1000", "SELECT 1", 50_000, i -> inOrder(i, 1_000), node -> node),
            new Shape("order-10", "SELECT 1", 20_000, i -> inOrder(i, 10), node -> node));

    private static NewJob<Long> inOrder(long number, int keys) {
        return NewJob.of(WORK, number).orderKey("key " + number % keys);
    }

    @Override
    public String name() {
        return "shapes";
    }

    @Override
    public void run(Bench bench) throws Exception {
        DataSource source = JobScenarios.source(bench.daemon().database());
        Map<String, List<Double>> ratios = new LinkedHashMap<>();
        for (int round = 0; round <= bench.rounds(); round++) {
            double plain = 0;
            for (Shape shape : ALL) {
                double speed = drain(bench, source, shape);
                if (shape.name().equals("plain")) plain = speed;
                if (round == 0) continue; // to warm up
                bench.print(
                        shape.name(),
                        round,
                        new Figures().put("jobs_per_s", speed).put("ratio", speed / plain));
                ratios.computeIfAbsent(shape.name(), name -> new ArrayList<>()).add(speed / plain);
            }
        }
        ratios.forEach((shape, all) -> bench.print(shape, 0, new Figures().put("median_ratio", Figures.median(all))));
    }

    private static double drain(Bench bench, DataSource source, Shape shape) throws Exception {
        try (Jobs adding = Jobs.on(source).start()) {
            for (long from = 0; from < shape.jobs(); from += STEP) {
                List<NewJob<Long>> step = new ArrayList<>(STEP);
                for (long i = from; i < from + STEP; i++) step.add(shape.job().apply(i));
                adding.addAll(step);
            }
        }
        bench.execute(shape.before());
        bench.execute("VACUUM (ANALYZE) howdah.job, howdah.ordered, howdah.order_key");
        bench.execute("CHECKPOINT");
        AtomicLong done = new AtomicLong();
        long began = System.nanoTime();
        try (Jobs node = shape.with()
                .apply(Jobs.on(source).handle(WORK, (payload, job) -> done.incrementAndGet()))
                .start()) {
            while (done.get() < shape.jobs()) Bench.pause(Duration.ofMillis(1));
            return shape.jobs() / ((System.nanoTime() - began) / 1e9);
        } finally {
            bench.execute("SELECT howdah.limit('default', NULL)");
        }
    }
}
