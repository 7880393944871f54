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
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/**
 * A log queue with many entries: added in steps of 5,000 through one connection while nothing reads, then drained by one node. Each tenth is measured by itself: the last one shows what the
 * number of entries costs.
 */
final class LogQueueLarge implements Scenario {
    private static final long ENTRIES = Long.getLong("howdah.log.large", 10_000_000);
    private static final int PARTS = 10;
    private static final int STEP = 5_000;
    private static final String QUEUE = "large";

    @Override
    public String name() {
        return "log-large";
    }

    @Override
    public void run(Bench bench) throws Exception {
        if (ENTRIES % (PARTS * STEP) != 0)
            throw new IllegalArgumentException(
                    "howdah.log.large has to be a multiple of " + PARTS * STEP + ", not " + ENTRIES);
        DataSource source = JobScenarios.source(bench.daemon().database());
        try (Jobs jobs = Jobs.on(source).start()) {
            jobs.admin().logQueues().create(QUEUE, Duration.ZERO);
        }
        add(bench, source);
        bench.execute("CHECKPOINT");
        bench.print("size", 1, new Figures().put("entries", ENTRIES).put("bytes", size(source)));
        drain(bench, source);
    }

    private static void add(Bench bench, DataSource source) throws SQLException {
        try (Jobs jobs = Jobs.on(source).start();
                Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            long number = 0;
            double first = 0;
            for (int part = 1; part <= PARTS; part++) {
                long began = System.nanoTime();
                for (long end = ENTRIES / PARTS * part; number < end; ) {
                    List<NewJob<Long>> step = new ArrayList<>(STEP);
                    for (int i = 0; i < STEP; i++)
                        step.add(NewJob.of(WORK, number++).queue(QUEUE));
                    jobs.addAll(connection, step);
                    connection.commit();
                }
                double speed = ENTRIES / PARTS / ((System.nanoTime() - began) / 1e9);
                if (part == 1) first = speed;
                bench.print(
                        "added, tenth " + part,
                        1,
                        new Figures().put("entries_per_s", speed).put("ratio", speed / first));
            }
        }
    }

    private static void drain(Bench bench, DataSource source) throws Exception {
        AtomicLong done = new AtomicLong();
        long began = System.nanoTime();
        Usage before = bench.usage();
        try (Jobs node = Jobs.on(source)
                .queues(QUEUE)
                .handle(WORK, (payload, job) -> done.incrementAndGet())
                .start()) {
            double first = 0;
            for (int part = 1; part <= PARTS; part++) {
                while (done.get() < ENTRIES / PARTS * part) Bench.pause(Duration.ofMillis(1));
                long now = System.nanoTime();
                Usage used = bench.usage();
                double speed = ENTRIES / PARTS / ((now - began) / 1e9);
                if (part == 1) first = speed;
                bench.print(
                        "drained, tenth " + part,
                        1,
                        new Figures()
                                .put("jobs_per_s", speed)
                                .put("ratio", speed / first)
                                .put("server_cpu_us", used.minus(before).serverSeconds() * 1e6 / (ENTRIES / PARTS)));
                began = now;
                before = used;
            }
            if (node.node() < 1) throw new IllegalStateException("the node is lost");
        }
        if (done.get() != ENTRIES) throw new IllegalStateException(done + " jobs ran of " + ENTRIES);
    }

    private static long size(DataSource source) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("""
                        SELECT sum(pg_total_relation_size(
                            format('howdah_internal.%I', howdah_internal.log_segment_name(s.lane, s.number))::regclass))::bigint
                        FROM howdah_internal.log_segment s
                        """)) {
            row.next();
            return row.getLong(1);
        }
    }
}
