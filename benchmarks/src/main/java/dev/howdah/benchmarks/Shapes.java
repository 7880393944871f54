package dev.howdah.benchmarks;

import static dev.howdah.benchmarks.JobScenarios.WORK;

import dev.howdah.job.Jobs;
import dev.howdah.job.JobsBuilder;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.Outcome;
import dev.howdah.job.Pipeline;
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
            new Shape("order-10", "SELECT 1", 20_000, i -> inOrder(i, 10), node -> node),
            new Shape("pipeline", "SELECT 1", 50_000, i -> staged(i), node -> node));

    private static final int STAGES = 3;

    /** Three stages that only pass the payload on; a drain counts what all of them have done. */
    private static Pipeline pipeline(AtomicLong done) {
        return Pipeline.of("stages")
                .stage("first", Long.class, (payload, job) -> next(payload, done))
                .stage("second", Long.class, (payload, job) -> next(payload, done))
                .stage("third", Long.class, (payload, job) -> {
                    done.incrementAndGet();
                    return Outcome.done();
                });
    }

    private static Outcome next(Long payload, AtomicLong done) {
        done.incrementAndGet();
        return Outcome.next(payload);
    }

    private static NewJob<Long> staged(long number) {
        return NewJob.of(Kind.of("stages.first", Long.class), number).queue("stages");
    }

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
        bench.execute("VACUUM (ANALYZE) howdah_internal.job, howdah_internal.ordered, howdah_internal.order_key");
        bench.execute("CHECKPOINT");
        AtomicLong done = new AtomicLong();
        int parts = shape.name().equals("pipeline") ? STAGES : 1;
        JobsBuilder handlers = Jobs.on(source);
        if (parts == 1) handlers.handle(WORK, (payload, job) -> done.incrementAndGet());
        else handlers.pipeline(pipeline(done));
        long began = System.nanoTime();
        try (Jobs node = shape.with().apply(handlers).start()) {
            while (done.get() < (long) shape.jobs() * parts) Bench.pause(Duration.ofMillis(1));
            return shape.jobs() * parts / ((System.nanoTime() - began) / 1e9);
        } finally {
            bench.execute("SELECT howdah.limit('default', NULL)");
        }
    }
}
