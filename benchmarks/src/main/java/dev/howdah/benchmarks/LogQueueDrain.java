package dev.howdah.benchmarks;

import static dev.howdah.benchmarks.JobScenarios.WORK;

import dev.howdah.job.Jobs;
import dev.howdah.job.NewJob;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/**
 * Jobs that only count, of a log queue against those of an ordinary one: added in steps of 5,000 through one connection, then drained by one
 * node, with and without a session that holds a snapshot from before.
 */
final class LogQueueDrain implements Scenario {
    private static final int JOBS = Integer.getInteger("howdah.log.jobs", 500_000);
    private static final int STEP = 5_000;

    private record Variant(String name, String queue, boolean held) {}

    private static final List<Variant> ALL = List.of(
            new Variant("plain", "default", false),
            new Variant("log", "logged", false),
            new Variant("plain, snapshot held", "default", true),
            new Variant("log, snapshot held", "logged", true));

    @Override
    public String name() {
        return "logs";
    }

    @Override
    public void run(Bench bench) throws Exception {
        DataSource source = JobScenarios.source(bench.daemon().database());
        try (Jobs jobs = Jobs.on(source).start()) {
            jobs.admin().logQueues().create("logged", Duration.ZERO);
        }
        Map<String, List<Double>> ratios = new LinkedHashMap<>();
        for (int round = 0; round <= bench.rounds(); round++) {
            double plain = 0;
            for (Variant variant : ALL) {
                Figures figures = new Figures();
                double speed = measure(bench, source, variant, figures);
                if (variant == ALL.get(0)) plain = speed;
                if (round == 0) continue; // to warm up
                bench.print(variant.name(), round, figures.put("ratio", speed / plain));
                ratios.computeIfAbsent(variant.name(), name -> new ArrayList<>())
                        .add(speed / plain);
            }
        }
        ratios.forEach(
                (variant, all) -> bench.print(variant, 0, new Figures().put("median_ratio", Figures.median(all))));
    }

    private static double measure(Bench bench, DataSource source, Variant variant, Figures figures) throws Exception {
        try (Connection holder = source.getConnection();
                Statement statement = holder.createStatement()) {
            if (variant.held()) {
                holder.setAutoCommit(false);
                holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                statement.executeQuery("SELECT count(*) FROM pg_class").close();
            }
            figures.put("added_per_s", add(source, variant.queue()));
            bench.execute("VACUUM (ANALYZE) howdah_internal.job");
            bench.execute("CHECKPOINT");
            double speed = drain(bench, source, variant.queue(), figures);
            if (variant.held()) holder.rollback();
            return speed;
        }
    }

    private static double add(DataSource source, String queue) throws SQLException {
        List<List<NewJob<Long>>> steps = new ArrayList<>();
        for (long from = 0; from < JOBS; from += STEP) {
            List<NewJob<Long>> step = new ArrayList<>(STEP);
            for (long i = from; i < from + STEP; i++)
                step.add(NewJob.of(WORK, i).queue(queue));
            steps.add(step);
        }
        try (Jobs jobs = Jobs.on(source).start();
                Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            long began = System.nanoTime();
            for (List<NewJob<Long>> each : steps) {
                jobs.addAll(connection, each);
                connection.commit();
            }
            return JOBS / ((System.nanoTime() - began) / 1e9);
        }
    }

    private static double drain(Bench bench, DataSource source, String queue, Figures figures) throws Exception {
        AtomicLong done = new AtomicLong();
        Usage before = bench.usage();
        long wal = wal(source);
        long began = System.nanoTime();
        try (Jobs node = Jobs.on(source)
                .queues(queue)
                .handle(WORK, (payload, job) -> done.incrementAndGet())
                .start()) {
            while (done.get() < JOBS) Bench.pause(Duration.ofMillis(1));
            double seconds = (System.nanoTime() - began) / 1e9;
            figures.put("jobs_per_s", JOBS / seconds)
                    .put("server_cpu_us", bench.usage().minus(before).serverSeconds() * 1e6 / JOBS)
                    .put("wal_bytes", (double) (wal(source) - wal) / JOBS);
            if (node.node() < 1) throw new IllegalStateException("the node is lost");
            return JOBS / seconds;
        }
    }

    private static long wal(DataSource source) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint")) {
            row.next();
            return row.getLong(1);
        }
    }
}
