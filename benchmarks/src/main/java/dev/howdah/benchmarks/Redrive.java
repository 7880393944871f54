package dev.howdah.benchmarks;

import static dev.howdah.benchmarks.JobScenarios.WORK;

import dev.howdah.job.Jobs;
import dev.howdah.job.NewJob;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/** How long it takes to retry 100,000 failed jobs by a filter while a node drains another queue, how fast that is meanwhile, and without. */
final class Redrive implements Scenario {
    private static final int FAILED = 100_000;
    private static final int STEP = 5_000;
    private static final int AHEAD = 20_000;

    @Override
    public String name() {
        return "redrive";
    }

    @Override
    public void run(Bench bench) throws Exception {
        DataSource source = JobScenarios.source(bench.daemon().database());
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round <= bench.rounds(); round++) {
            Figures figures = measure(bench, source);
            if (round == 0) continue; // to warm up
            bench.print("retry of " + FAILED, round, figures);
            ratios.add((Double) figures.values().get("drain_ratio"));
        }
        bench.print("all", 0, new Figures().put("median_drain_ratio", Figures.median(ratios)));
    }

    private static Figures measure(Bench bench, DataSource source) throws Exception {
        AtomicLong done = new AtomicLong();
        try (Jobs node = Jobs.on(source)
                .handle(WORK, (number, job) -> done.incrementAndGet())
                .start()) {
            bench.execute("SELECT howdah_internal.lane_of('broken', 'k', 0::smallint)");
            bench.execute(
                    "INSERT INTO howdah_internal.failed (id, lane, state, kind, priority, attempt, deaths, run_at, error, payload)"
                            + " SELECT nextval('howdah_internal.job_id_seq'), (SELECT l.id FROM howdah_internal.lane l WHERE l.queue = 'broken' AND l.kind IS NULL),"
                            + " 'failed', 'k', 0, 25, 0, now(), 'no address ' || i % 7, '1' FROM generate_series(1, "
                            + FAILED
                            + ") i");
            bench.execute("VACUUM (ANALYZE) howdah_internal.failed");
            Drain drain = new Drain(node, done);
            Thread thread = new Thread(drain, "drain");
            thread.start();
            try {
                Bench.pause(Duration.ofSeconds(2));
                long before = done.get();
                long from = System.nanoTime();
                Bench.pause(Duration.ofSeconds(3));
                double alone = (done.get() - before) / ((System.nanoTime() - from) / 1e9);
                before = done.get();
                from = System.nanoTime();
                long retried = node.admin()
                        .retryAll(JobQuery.in(JobState.FAILED).queue("broken").error("no address"));
                double seconds = (System.nanoTime() - from) / 1e9;
                double beside = (done.get() - before) / seconds;
                if (retried != FAILED) throw new IllegalStateException(retried + " were retried");
                return new Figures()
                        .put("seconds", seconds)
                        .put("retried_per_s", retried / seconds)
                        .put("drained_per_s", beside)
                        .put("drain_ratio", beside / alone);
            } finally {
                drain.over = true;
                thread.join();
            }
        } finally {
            bench.execute("TRUNCATE howdah_internal.job, howdah_internal.failed, howdah_internal.batch");
        }
    }

    /** Adds as many jobs as are done, and some more. */
    private static final class Drain implements Runnable {
        private final Jobs jobs;
        private final AtomicLong done;
        private volatile boolean over;

        Drain(Jobs jobs, AtomicLong done) {
            this.jobs = jobs;
            this.done = done;
        }

        @Override
        public void run() {
            long added = 0;
            while (!over) {
                if (added - done.get() > AHEAD) {
                    Bench.pause(Duration.ofMillis(1));
                    continue;
                }
                List<NewJob<Long>> step = new ArrayList<>(STEP);
                for (long i = added; i < added + STEP; i++) step.add(NewJob.of(WORK, i));
                jobs.addAll(step);
                added += STEP;
            }
        }
    }
}
