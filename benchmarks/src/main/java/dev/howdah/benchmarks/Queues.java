package dev.howdah.benchmarks;

import static dev.howdah.benchmarks.JobScenarios.WORK;

import dev.howdah.job.Jobs;
import dev.howdah.job.NewJob;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Jobs of 200 queues, added in steps of 5,000 that mix them, against jobs of one queue. */
final class Queues implements Scenario {
    private static final int JOBS = 100_000;
    private static final int STEP = 5_000;
    private static final int QUEUES = 200;

    @Override
    public String name() {
        return "queues";
    }

    @Override
    public void run(Bench bench) throws Exception {
        DataSource source = JobScenarios.source(bench.daemon().database());
        List<Double> ratios = new ArrayList<>();
        try (Jobs jobs = Jobs.on(source).start();
                Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            for (int round = 0; round <= bench.rounds(); round++) {
                double one = measure(bench, jobs, connection, 1);
                double many = measure(bench, jobs, connection, QUEUES);
                if (round == 0) continue; // to warm up
                bench.print("one queue", round, new Figures().put("jobs_per_s", one));
                bench.print(
                        QUEUES + " queues",
                        round,
                        new Figures().put("jobs_per_s", many).put("ratio", many / one));
                ratios.add(many / one);
            }
        }
        bench.print("all", 0, new Figures().put("median_ratio", Figures.median(ratios)));
    }

    private static double measure(Bench bench, Jobs jobs, Connection connection, int queues) throws SQLException {
        List<List<NewJob<Long>>> steps = new ArrayList<>();
        for (long from = 0; from < JOBS; from += STEP) {
            List<NewJob<Long>> step = new ArrayList<>(STEP);
            for (long i = from; i < from + STEP; i++)
                step.add(NewJob.of(WORK, i).queue(queues == 1 ? "one" : "queue " + i % queues));
            steps.add(step);
        }
        bench.execute("CHECKPOINT");
        long began = System.nanoTime();
        for (List<NewJob<Long>> each : steps) {
            jobs.addAll(connection, each);
            connection.commit();
        }
        double speed = JOBS / ((System.nanoTime() - began) / 1e9);
        bench.execute("TRUNCATE howdah_internal.job");
        return speed;
    }
}
