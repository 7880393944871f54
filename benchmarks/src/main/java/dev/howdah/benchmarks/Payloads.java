package dev.howdah.benchmarks;

import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/** Payloads of 40 bytes, 4 kB and 40 kB of text that compresses as letters do: how many bytes a second are added and worked. */
final class Payloads implements Scenario {
    private static final Kind<String> TEXT = Kind.of("text", String.class);

    /** @param jobs how many, so that each takes about a second */
    private record Size(String name, int characters, int jobs, int step) {}

    private static final List<Size> ALL = List.of(
            new Size("40 B", 40, 200_000, 5_000),
            new Size("4 kB", 4_000, 50_000, 1_000),
            new Size("40 kB", 40_000, 5_000, 100));

    @Override
    public String name() {
        return "payloads";
    }

    @Override
    public void run(Bench bench) throws Exception {
        DataSource source = JobScenarios.source(bench.daemon().database());
        for (int round = 0; round <= bench.rounds(); round++)
            for (Size size : ALL) {
                Figures figures = measure(bench, source, size);
                if (round > 0) bench.print(size.name(), round, figures);
            }
    }

    private static Figures measure(Bench bench, DataSource source, Size size) throws Exception {
        SplittableRandom random = new SplittableRandom(7);
        List<List<NewJob<String>>> steps = new ArrayList<>();
        List<NewJob<String>> step = new ArrayList<>();
        for (int i = 0; i < size.step(); i++) step.add(NewJob.of(TEXT, letters(random, size.characters())));
        for (int i = 0; i < size.jobs(); i += size.step()) steps.add(step);
        double megabytes = (double) size.jobs() * size.characters() / 1e6;
        bench.execute("CHECKPOINT");
        double in;
        try (Jobs adding = Jobs.on(source).start();
                Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            long began = System.nanoTime();
            for (List<NewJob<String>> each : steps) {
                adding.addAll(connection, each);
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
                .handle(TEXT, (payload, job) -> done.incrementAndGet())
                .start()) {
            while (done.get() < size.jobs()) Bench.pause(Duration.ofMillis(1));
            out = (System.nanoTime() - began) / 1e9;
        }
        bench.execute("TRUNCATE howdah_internal.batch, howdah_internal.body");
        return new Figures()
                .put("added_per_s", size.jobs() / in)
                .put("added_mb_per_s", megabytes / in)
                .put("worked_per_s", size.jobs() / out)
                .put("worked_mb_per_s", megabytes / out);
    }

    private static String letters(SplittableRandom random, int length) {
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) text.append((char) ('a' + random.nextInt(26)));
        return text.toString();
    }
}
