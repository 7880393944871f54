package dev.howdah.benchmarks;

import static dev.howdah.benchmarks.JobScenarios.WORK;

import dev.howdah.Database;
import dev.howdah.job.Job;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsBuilder;
import dev.howdah.job.NewJob;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGPoolingDataSource;

/**
 * Handlers with one recorded step, with and without a pool, and with one in a transaction that inserts a row, ten at a time: against handlers
 * that insert the row in the transaction of their job.
 */
final class Steps implements Scenario {
    private static final int JOBS = 5_000;

    /** What a handler does with the number of its job. */
    private interface Work {
        void run(long number, Job job) throws Exception;
    }

    @Override
    public String name() {
        return "steps";
    }

    @Override
    public void run(Bench bench) throws Exception {
        PGPoolingDataSource source = pool(bench.daemon().database(), "steps");
        try {
            run(bench, source);
        } finally {
            source.close();
        }
    }

    /** A step takes a connection of the pool, whose name no other one has. */
    @SuppressWarnings({"deprecation", "removal"}) // good enough for ten threads, and needs no dependency
    static PGPoolingDataSource pool(Database database, String name) {
        PGPoolingDataSource source = new PGPoolingDataSource();
        Database.HostPort server = database.hosts().get(0);
        source.setServerNames(new String[] {server.host()});
        source.setPortNumbers(new int[] {server.port()});
        source.setDatabaseName(database.database());
        source.setUser(database.user());
        source.setPassword(database.password(server));
        source.setDataSourceName(name);
        source.setMaxConnections(40);
        return source;
    }

    private static void run(Bench bench, DataSource source) throws Exception {
        bench.execute("CREATE TABLE IF NOT EXISTS step_effect (number bigint)");
        List<Double> recorded = new ArrayList<>();
        List<Double> withoutPool = new ArrayList<>();
        List<Double> inTransaction = new ArrayList<>();
        for (int round = 0; round <= bench.rounds(); round++) {
            double plain = measure(bench, source, null);
            Work charge = (number, job) -> job.step("charge", Long.class, () -> number + 1);
            double step = measure(bench, source, charge);
            double direct = measure(bench, JobScenarios.source(bench.daemon().database()), charge);
            double transaction = measure(
                    bench,
                    source,
                    (number, job) -> job.stepInTransaction("charge", Long.class, connection -> {
                        try (PreparedStatement insert =
                                connection.prepareStatement("INSERT INTO step_effect VALUES (?)")) {
                            insert.setLong(1, number);
                            insert.executeUpdate();
                        }
                        return number + 1;
                    }));
            if (round == 0) continue; // to warm up
            bench.print("own transactions", round, new Figures().put("jobs_per_s", plain));
            bench.print("one step", round, new Figures().put("jobs_per_s", step).put("ratio", step / plain));
            bench.print(
                    "one step without a pool",
                    round,
                    new Figures().put("jobs_per_s", direct).put("ratio", direct / plain));
            bench.print(
                    "one step in a transaction",
                    round,
                    new Figures().put("jobs_per_s", transaction).put("ratio", transaction / plain));
            recorded.add(step / plain);
            withoutPool.add(direct / plain);
            inTransaction.add(transaction / plain);
        }
        bench.print(
                "all",
                0,
                new Figures()
                        .put("median_ratio", Figures.median(recorded))
                        .put("median_ratio_without_pool", Figures.median(withoutPool))
                        .put("median_ratio_in_transaction", Figures.median(inTransaction)));
    }

    /** @param work null: a handler in the transaction of its job */
    private static double measure(Bench bench, DataSource source, @Nullable Work work) throws Exception {
        try (Jobs adding = Jobs.on(source).start()) {
            List<NewJob<Long>> all = new ArrayList<>(JOBS);
            for (long i = 0; i < JOBS; i++) all.add(NewJob.of(WORK, i));
            adding.addAll(all);
        }
        bench.execute("VACUUM (ANALYZE) howdah_internal.job");
        bench.execute("CHECKPOINT");
        AtomicLong done = new AtomicLong();
        JobsBuilder builder = Jobs.on(source)
                .sessionDataSource(JobScenarios.source(bench.daemon().database()))
                .concurrency(10);
        if (work == null)
            builder.handleInTransaction(WORK, (number, job, connection) -> {
                try (PreparedStatement insert = connection.prepareStatement("INSERT INTO step_effect VALUES (?)")) {
                    insert.setLong(1, number);
                    insert.executeUpdate();
                }
                done.incrementAndGet();
            });
        else
            builder.handle(WORK, (number, job) -> {
                work.run(number, job);
                done.incrementAndGet();
            });
        long began = System.nanoTime();
        try (Jobs node = builder.start()) {
            while (done.get() < JOBS) Bench.pause(Duration.ofMillis(1));
            return JOBS / ((System.nanoTime() - began) / 1e9);
        } finally {
            bench.execute("TRUNCATE howdah_internal.batch, howdah_internal.job_step, step_effect");
        }
    }
}
