package dev.howdah.benchmarks;

import static dev.howdah.benchmarks.JobScenarios.WORK;

import dev.howdah.job.Jobs;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/**
 * 64 callers who each add one job at a time, durable on return, or keep 16 in flight: against 64 who insert a row into a plain table, each through a
 * connection of its own.
 */
final class Callers implements Scenario {
    private static final int CALLERS = 64;
    private static final int IN_FLIGHT = 16;
    private static final Duration TIME = Duration.ofSeconds(6);
    private static final String INSERT = "INSERT INTO plain (payload) VALUES (?)";

    /** What a caller does again and again. */
    private interface Act {
        void run(long number) throws SQLException;

        /** After the last one. */
        default void end() {}
    }

    /** Adds without waiting, but for the job of 16 calls ago. */
    private static final class InFlight implements Act {
        private final Jobs jobs;
        private final Queue<CompletableFuture<Long>> added = new ArrayDeque<>();

        InFlight(Jobs jobs) {
            this.jobs = jobs;
        }

        @Override
        public void run(long number) {
            if (added.size() == IN_FLIGHT) added.remove().join();
            added.add(jobs.addAsync(WORK, number));
        }

        @Override
        public void end() {
            added.forEach(CompletableFuture::join);
        }
    }

    /** Makes what a caller needs for himself. */
    private interface Caller {
        Act open() throws SQLException;
    }

    @Override
    public String name() {
        return "callers";
    }

    @Override
    public void run(Bench bench) throws Exception {
        DataSource source = JobScenarios.source(bench.daemon().database());
        bench.execute(
                "CREATE TABLE plain (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, priority smallint NOT NULL"
                        + " DEFAULT 0, run_at timestamptz NOT NULL DEFAULT now(), payload text NOT NULL)");
        bench.execute("CREATE INDEX ON plain (priority, run_at, id)");
        List<Connection> connections = new ArrayList<>();
        List<Double> ratios = new ArrayList<>();
        List<Double> ratiosInFlight = new ArrayList<>();
        try (Jobs jobs = Jobs.on(source).start()) {
            for (int i = 0; i < CALLERS; i++) connections.add(source.getConnection());
            AtomicLong next = new AtomicLong();
            for (int round = 0; round <= bench.rounds(); round++) {
                double plain = measure(() -> {
                    Connection mine = connections.get((int) (next.getAndIncrement() % CALLERS));
                    PreparedStatement insert = mine.prepareStatement(INSERT);
                    return number -> {
                        insert.setString(1, Long.toString(number));
                        insert.executeUpdate();
                    };
                });
                double ours = measure(() -> number -> jobs.add(WORK, number));
                double inFlight = measure(() -> new InFlight(jobs));
                bench.execute("TRUNCATE plain, howdah_internal.job");
                if (round == 0) continue; // to warm up
                ratios.add(ours / plain);
                ratiosInFlight.add(inFlight / plain);
                bench.print("plain insert", round, new Figures().put("per_s", plain));
                bench.print("jobs.add", round, new Figures().put("per_s", ours));
                bench.print("jobs.addAsync", round, new Figures().put("per_s", inFlight));
            }
        } finally {
            for (Connection each : connections) each.close();
        }
        bench.print(
                "all",
                0,
                new Figures()
                        .put("median_ratio", Figures.median(ratios))
                        .put("median_ratio_in_flight", Figures.median(ratiosInFlight)));
    }

    private static double measure(Caller caller) throws Exception {
        AtomicLong done = new AtomicLong();
        long until = System.nanoTime() + TIME.toNanos();
        List<Thread> threads = new ArrayList<>();
        List<Throwable> failures = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            Act act = caller.open();
            Thread thread = new Thread(() -> {
                try {
                    while (System.nanoTime() < until) act.run(done.incrementAndGet());
                    act.end();
                } catch (SQLException | RuntimeException e) {
                    synchronized (failures) {
                        failures.add(e);
                    }
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread each : threads) each.join();
        if (!failures.isEmpty()) throw new IllegalStateException("a caller has failed", failures.get(0));
        return done.get() / (TIME.toNanos() / 1e9);
    }
}
