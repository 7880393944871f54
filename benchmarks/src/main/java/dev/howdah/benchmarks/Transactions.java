package dev.howdah.benchmarks;

import static dev.howdah.benchmarks.JobScenarios.WORK;

import dev.howdah.job.Jobs;
import dev.howdah.job.NewJob;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/** Handlers that insert a row in the transaction of their job, ten at a time: against ten clients that insert a row and commit. */
final class Transactions implements Scenario {
    private static final int CLIENTS = 10;
    private static final int ROWS = 20_000;
    private static final int TOGETHER = 20;
    private static final String INSERT = "INSERT INTO effect (job) VALUES (?)";

    @Override
    public String name() {
        return "transactions";
    }

    @Override
    public void run(Bench bench) throws Exception {
        DataSource source = JobScenarios.source(bench.daemon().database());
        bench.execute("CREATE TABLE effect (job bigint NOT NULL)");
        List<Double> ratios = new ArrayList<>();
        List<Double> shared = new ArrayList<>();
        for (int round = 0; round <= bench.rounds(); round++) {
            bench.execute("CHECKPOINT");
            double plain = clients(source);
            bench.execute("CHECKPOINT");
            double jobs = jobs(bench, source, 1);
            bench.execute("CHECKPOINT");
            double together = jobs(bench, source, TOGETHER);
            bench.execute("TRUNCATE effect");
            if (round == 0) continue; // to warm up
            bench.print("insert and commit", round, new Figures().put("per_s", plain));
            bench.print(
                    "handleInTransaction",
                    round,
                    new Figures().put("per_s", jobs).put("ratio", jobs / plain));
            bench.print(
                    "sharedTransaction",
                    round,
                    new Figures().put("per_s", together).put("ratio", together / plain));
            ratios.add(jobs / plain);
            shared.add(together / plain);
        }
        bench.print("all", 0, new Figures().put("median_ratio", Figures.median(ratios)));
        bench.print("shared", 0, new Figures().put("median_ratio", Figures.median(shared)));
    }

    private static double clients(DataSource source) throws Exception {
        List<Connection> connections = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) connections.add(source.getConnection());
        AtomicLong next = new AtomicLong();
        List<Throwable> failures = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        long began = System.nanoTime();
        for (Connection each : connections) {
            Thread thread = new Thread(() -> {
                try (PreparedStatement insert = each.prepareStatement(INSERT)) {
                    each.setAutoCommit(false);
                    for (long i = next.getAndIncrement(); i < ROWS; i = next.getAndIncrement()) {
                        insert.setLong(1, i);
                        insert.executeUpdate();
                        each.commit();
                    }
                } catch (SQLException e) {
                    synchronized (failures) {
                        failures.add(e);
                    }
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread each : threads) each.join();
        double seconds = (System.nanoTime() - began) / 1e9;
        for (Connection each : connections) each.close();
        if (!failures.isEmpty()) throw new IllegalStateException("a client has failed", failures.get(0));
        return ROWS / seconds;
    }

    /** @param shared how many jobs may share a transaction */
    private static double jobs(Bench bench, DataSource source, int shared) throws Exception {
        try (Jobs adding = Jobs.on(source).start()) {
            List<NewJob<Long>> all = new ArrayList<>(ROWS);
            for (long i = 0; i < ROWS; i++) all.add(NewJob.of(WORK, i));
            adding.addAll(all);
        }
        bench.execute("VACUUM (ANALYZE) howdah_internal.job");
        AtomicLong done = new AtomicLong();
        long began = System.nanoTime();
        try (Jobs ignored = Jobs.on(source)
                .concurrency(CLIENTS)
                .handleInTransaction(
                        WORK,
                        (payload, job, connection) -> {
                            try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
                                insert.setLong(1, job.id());
                                insert.executeUpdate();
                            }
                            done.incrementAndGet();
                        },
                        options -> options.sharedTransaction(shared))
                .start()) {
            while (done.get() < ROWS) Bench.pause(Duration.ofMillis(1));
            return ROWS / ((System.nanoTime() - began) / 1e9);
        }
    }
}
