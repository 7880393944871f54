package dev.howdah.benchmarks;

import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/** Plain jobs beside jobs with two tags that all have, and with two tags and metadata of their own: how many a second are added and worked. */
final class Tags implements Scenario {
    private static final Kind<Long> WORK = Kind.of("work", Long.class);
    private static final Kind<Long> TAGGED = Kind.of("work", Long.class).tags("eu", "vip");
    private static final int JOBS = 100_000;
    private static final int STEP = 5_000;

    /** A job of a number. */
    private interface Shape {
        NewJob<Long> job(long number);
    }

    @Override
    public String name() {
        return "tags";
    }

    @Override
    public void run(Bench bench) throws Exception {
        DataSource source = JobScenarios.source(bench.daemon().database());
        for (int round = 0; round <= bench.rounds(); round++) {
            Figures plain = measure(bench, source, number -> NewJob.of(WORK, number));
            Figures alike = measure(bench, source, number -> NewJob.of(TAGGED, number));
            Figures each = measure(
                    bench,
                    source,
                    number -> NewJob.of(WORK, number)
                            .tags("eu", "customer:" + number)
                            .metadata(Map.of("source", "import", "row", number)));
            if (round == 0) continue;
            bench.print("plain", round, plain);
            bench.print("two tags", round, alike);
            bench.print("own tags and metadata", round, each);
        }
    }

    private static Figures measure(Bench bench, DataSource source, Shape shape) throws Exception {
        bench.execute("CHECKPOINT");
        double in;
        try (Jobs adding = Jobs.on(source).start();
                Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            long began = System.nanoTime();
            for (int i = 0; i < JOBS; i += STEP) {
                List<NewJob<Long>> step = new ArrayList<>(STEP);
                for (int j = 0; j < STEP; j++) step.add(shape.job(i + j));
                adding.addAll(connection, step);
                connection.commit();
            }
            in = (System.nanoTime() - began) / 1e9;
        }
        bench.execute("VACUUM (ANALYZE) howdah_internal.job");
        bench.execute("CHECKPOINT");
        AtomicLong done = new AtomicLong();
        long began = System.nanoTime();
        double out;
        try (Jobs ignored = Jobs.on(source)
                .handle(WORK, (payload, job) -> done.incrementAndGet())
                .start()) {
            while (done.get() < JOBS) Bench.pause(Duration.ofMillis(1));
            out = (System.nanoTime() - began) / 1e9;
        }
        bench.execute("TRUNCATE howdah_internal.batch");
        return new Figures().put("added_per_s", JOBS / in).put("worked_per_s", JOBS / out);
    }
}
