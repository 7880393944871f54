package dev.howdah.benchmarks;

import static dev.howdah.benchmarks.JobScenarios.WORK;

import dev.howdah.job.Jobs;
import dev.howdah.job.NewJob;
import dev.howdah.job.unique.Unique;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import javax.sql.DataSource;

/**
 * Jobs with keys, added in steps of 1,000, each a transaction: against jobs without keys, and by payload within a window. Through one connection, as a pool
 * would lend it: to open one for each step costs as much as to add the jobs.
 */
final class Keys implements Scenario {
    private static final int JOBS = 50_000;
    private static final int STEP = 1_000;

    @Override
    public String name() {
        return "keys";
    }

    @Override
    public void run(Bench bench) throws Exception {
        DataSource source = JobScenarios.source(bench.daemon().database());
        List<Double> fresh = new ArrayList<>();
        List<Double> versions = new ArrayList<>();
        List<Double> held = new ArrayList<>();
        List<Double> windows = new ArrayList<>();
        List<Double> heldInWindows = new ArrayList<>();
        try (Jobs jobs = Jobs.on(source).start();
                Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            for (int round = 0; round <= bench.rounds(); round++) {
                double plain = measure(jobs, connection, number -> NewJob.of(WORK, number));
                clear(bench);
                double keyed = measure(
                        jobs, connection, number -> NewJob.of(WORK, number).key(key(number)));
                double again = measure(
                        jobs, connection, number -> NewJob.of(WORK, number).key(key(number)));
                clear(bench);
                double versioned = measure(
                        jobs,
                        connection,
                        number -> NewJob.of(WORK, number).key(key(number)).version(Instant.ofEpochSecond(number)));
                clear(bench);
                Unique hourly = Unique.byPayload().within(Duration.ofHours(1));
                double windowed = measure(
                        jobs, connection, number -> NewJob.of(WORK, number).unique(hourly));
                double skipped = measure(
                        jobs, connection, number -> NewJob.of(WORK, number).unique(hourly));
                clear(bench);
                if (round == 0) continue; // to warm up
                bench.print("new payloads in a window", round, new Figures().put("jobs_per_s", windowed));
                bench.print("payloads skipped in a window", round, new Figures().put("jobs_per_s", skipped));
                windows.add(windowed / plain);
                heldInWindows.add(skipped / plain);
                bench.print("no keys", round, new Figures().put("jobs_per_s", plain));
                bench.print("new keys", round, new Figures().put("jobs_per_s", keyed));
                bench.print("new keys with versions", round, new Figures().put("jobs_per_s", versioned));
                bench.print("keys that are held", round, new Figures().put("jobs_per_s", again));
                fresh.add(keyed / plain);
                versions.add(versioned / plain);
                held.add(again / plain);
            }
        }
        bench.print(
                "all",
                0,
                new Figures()
                        .put("median_ratio", Figures.median(fresh))
                        .put("median_ratio_versions", Figures.median(versions))
                        .put("median_ratio_held", Figures.median(held))
                        .put("median_ratio_windows", Figures.median(windows))
                        .put("median_ratio_skipped_in_windows", Figures.median(heldInWindows)));
    }

    private static void clear(Bench bench) throws Exception {
        bench.execute("TRUNCATE howdah_internal.job, howdah_internal.key");
        bench.execute("CHECKPOINT");
    }

    /** Neither ascending nor of one length, as keys of users are not. */
    private static String key(long number) {
        return "document " + Long.toHexString(number * 0x9E3779B97F4A7C15L);
    }

    private static double measure(Jobs jobs, Connection connection, LongFunction<NewJob<Long>> job)
            throws SQLException {
        List<List<NewJob<Long>>> steps = new ArrayList<>();
        for (long from = 0; from < JOBS; from += STEP) {
            List<NewJob<Long>> step = new ArrayList<>(STEP);
            for (long i = from; i < from + STEP; i++) step.add(job.apply(i));
            steps.add(step);
        }
        long began = System.nanoTime();
        for (List<NewJob<Long>> each : steps) {
            jobs.addAll(connection, each);
            connection.commit();
        }
        return JOBS / ((System.nanoTime() - began) / 1e9);
    }
}
