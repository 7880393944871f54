package dev.howdah.benchmarks;

import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/**
 * A log queue whose entries become visible late: four connections add in steps of 5,000, ten transactions add a few entries every now and
 * then and commit only after all others, and two nodes read meanwhile. Each entry has to run exactly once; the scenario fails if one has not.
 */
final class LogQueueLate implements Scenario {
    private static final int JOBS = Integer.getInteger("howdah.log.late", 1_000_000);
    private static final Kind<Integer> ENTRY = Kind.of("entry", Integer.class);
    private static final String QUEUE = "late";
    private static final int STEP = 5_000;
    private static final int PRODUCERS = 4;
    private static final int LATE = 10;
    private static final int LATE_STEP = 3;

    private final AtomicInteger next = new AtomicInteger();
    private final AtomicLong runs = new AtomicLong();
    private AtomicIntegerArray times = new AtomicIntegerArray(0);

    @Override
    public String name() {
        return "log-late";
    }

    @Override
    public void run(Bench bench) throws Exception {
        DataSource source = JobScenarios.source(bench.daemon().database());
        try (Jobs jobs = Jobs.on(source).start()) {
            jobs.admin().logQueues().create(QUEUE, Duration.ZERO);
        }
        for (int round = 1; round <= bench.rounds(); round++) bench.print(name(), round, measure(bench, source));
    }

    private Figures measure(Bench bench, DataSource source) throws Exception {
        next.set(0);
        runs.set(0);
        // Late ones come on top, and each producer may begin one step more than it has to.
        times = new AtomicIntegerArray(JOBS + JOBS / 5 + STEP * PRODUCERS + 100_000);
        List<Connection> late = new ArrayList<>();
        int early;
        double added;
        Usage before = bench.usage();
        long began = System.nanoTime();
        try (Jobs adding = Jobs.on(source).start();
                Jobs one = reader(source);
                Jobs other = reader(source)) {
            for (int i = 0; i < LATE; i++) {
                Connection connection = source.getConnection();
                connection.setAutoCommit(false);
                late.add(connection);
            }
            List<Thread> producers = new ArrayList<>();
            for (int i = 0; i < PRODUCERS; i++) producers.add(new Thread(() -> produce(adding, source)));
            for (Thread each : producers) each.start();
            int held = 0;
            while (producers.stream().anyMatch(Thread::isAlive)) {
                for (Connection each : late) held += add(adding, each, LATE_STEP);
                Bench.pause(Duration.ofMillis(50));
            }
            added = (System.nanoTime() - began) / 1e9;
            early = next.get() - held;
            while (runs.get() < early) Bench.pause(Duration.ofMillis(1));
            for (Connection each : late) each.commit();
            while (runs.get() < early + held) Bench.pause(Duration.ofMillis(1));
            if (one.node() == other.node()) throw new IllegalStateException("the two readers are one node");
            check(early + held);
            double seconds = (System.nanoTime() - began) / 1e9;
            return new Figures()
                    .put("jobs", early + held)
                    .put("late", held)
                    .put("added_per_s", early / added)
                    .put("jobs_per_s", (early + held) / seconds)
                    .put("server_cpu_us", bench.usage().minus(before).serverSeconds() * 1e6 / (early + held));
        } finally {
            for (Connection each : late) each.close();
        }
    }

    private Jobs reader(DataSource source) {
        return Jobs.on(source)
                .queues(QUEUE)
                .handle(ENTRY, (entry, job) -> {
                    times.incrementAndGet(entry);
                    runs.incrementAndGet();
                })
                .start();
    }

    private void produce(Jobs jobs, DataSource source) {
        try (Connection connection = source.getConnection()) {
            while (next.get() < JOBS) add(jobs, connection, STEP);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private int add(Jobs jobs, Connection connection, int count) {
        int from = next.getAndAdd(count);
        List<NewJob<Integer>> step = new ArrayList<>(count);
        for (int i = from; i < from + count; i++) step.add(NewJob.of(ENTRY, i).queue(QUEUE));
        jobs.addAll(connection, step);
        return count;
    }

    private void check(int all) {
        for (int i = 0; i < all; i++)
            if (times.get(i) != 1)
                throw new IllegalStateException("entry " + i + " of " + all + " ran " + times.get(i) + " times");
    }
}
