package dev.howdah.benchmarks;

import static dev.howdah.benchmarks.JobScenarios.WORK;

import dev.howdah.job.Jobs;
import dev.howdah.job.NewJob;
import dev.howdah.job.workflow.Workflow;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import javax.sql.DataSource;

/** A workflow of 100,000 jobs with a callback, beside as many jobs of none: how long it takes to add them, and until the last has ended. */
final class Workflows implements Scenario {
    private static final int JOBS = Integer.getInteger("howdah_internal.workflow.jobs", 100_000);
    /** What the callback has for its payload. */
    private static final long LAST = -1;

    @Override
    public String name() {
        return "workflows";
    }

    @Override
    public void run(Bench bench) throws Exception {
        DataSource source = JobScenarios.source(bench.daemon().database());
        List<NewJob<Long>> all =
                LongStream.range(0, JOBS).mapToObj(i -> NewJob.of(WORK, i)).toList();
        List<Double> adds = new ArrayList<>();
        List<Double> drains = new ArrayList<>();
        for (int round = 0; round <= bench.rounds(); round++) {
            double[] plain = measure(source, JOBS, jobs -> jobs.addAll(all));
            clear(bench);
            double[] together = measure(
                    source,
                    JOBS + 1,
                    jobs -> jobs.workflows().add(Workflow.of("all").jobs(all).whenEnded(NewJob.of(WORK, LAST))));
            clear(bench);
            if (round == 0) continue; // to warm up
            bench.print("no workflow", round, figures(plain));
            bench.print("workflow", round, figures(together));
            adds.add(together[0] / plain[0]);
            drains.add(together[1] / plain[1]);
        }
        bench.print(
                "all",
                0,
                new Figures()
                        .put("median_cost_of_adding", Figures.median(adds))
                        .put("median_cost_of_draining", Figures.median(drains)));
    }

    private static Figures figures(double[] seconds) {
        return new Figures().put("added_per_s", JOBS / seconds[0]).put("drained_per_s", JOBS / seconds[1]);
    }

    private static void clear(Bench bench) throws Exception {
        bench.execute(
                "TRUNCATE howdah_internal.batch, howdah_internal.workflow, howdah_internal.workflow_job, howdah_internal.workflow_event");
        bench.execute("CHECKPOINT");
    }

    /** How jobs are added. */
    private interface Adding {
        void add(Jobs jobs);
    }

    /** Returns how many seconds adding and draining took. */
    private static double[] measure(DataSource source, int ends, Adding adding) throws InterruptedException {
        double[] seconds = new double[2];
        CountDownLatch left = new CountDownLatch(ends);
        long began = System.nanoTime();
        try (Jobs jobs = Jobs.on(source).start()) {
            adding.add(jobs);
            seconds[0] = (System.nanoTime() - began) / 1e9;
        }
        began = System.nanoTime();
        try (Jobs node =
                Jobs.on(source).handle(WORK, (number, job) -> left.countDown()).start()) {
            left.await();
            seconds[1] = (System.nanoTime() - began) / 1e9;
        }
        return seconds;
    }
}
