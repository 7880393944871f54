package dev.howdah.benchmarks;

import static dev.howdah.benchmarks.JobScenarios.WORK;

import dev.howdah.job.Job;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.postgresql.ds.PGPoolingDataSource;

/**
 * Handlers that wait: functions of five steps, a sleep of zero and one signal, eight at a time; how long a signal takes from its commit to the handler's next
 * line; and the drain of ordinary jobs. Each beside suspended jobs of the same queue, half of which sleep, against none.
 */
final class Waits implements Scenario {
    private static final int FUNCTIONS = Integer.getInteger("howdah.waits.functions", 1_000);
    private static final int SUSPENDED = Integer.getInteger("howdah.waits.suspended", 100_000);
    private static final int THREADS = 8;
    private static final int SIGNALS = 200;
    private static final int DRAINED = 20_000;
    private static final Kind<Long> FUNCTION = Kind.of("function", Long.class);
    private static final Kind<Long> ANSWER = Kind.of("answer", Long.class);
    private static final Duration LONG = Duration.ofDays(30);

    private final Map<Long, Long> resumed = new ConcurrentHashMap<>();
    private final AtomicLong done = new AtomicLong();

    @Override
    public String name() {
        return "waits";
    }

    @Override
    public void run(Bench bench) throws Exception {
        PGPoolingDataSource source = Steps.pool(bench.daemon().database(), "waits");
        try {
            run(bench, source);
        } finally {
            source.close();
        }
    }

    private void run(Bench bench, DataSource source) throws Exception {
        List<Double> functions = new ArrayList<>();
        List<Double> drains = new ArrayList<>();
        for (int round = 0; round <= bench.rounds(); round++) {
            Figures alone = measure(bench, source);
            suspend(bench, source);
            Figures beside = measure(bench, source);
            bench.execute("DELETE FROM howdah_internal.job; DELETE FROM howdah_internal.job_record;"
                    + " DELETE FROM howdah_internal.job_step; DELETE FROM howdah_internal.job_signal");
            bench.execute("VACUUM (ANALYZE) howdah_internal.job");
            if (round == 0) continue; // to warm up
            bench.print("no suspended jobs", round, alone);
            bench.print(SUSPENDED + " suspended jobs", round, beside);
            functions.add(beside.get("functions_per_s") / alone.get("functions_per_s"));
            drains.add(beside.get("jobs_per_s") / alone.get("jobs_per_s"));
        }
        bench.print(
                "all",
                0,
                new Figures()
                        .put("median_ratio_functions", Figures.median(functions))
                        .put("median_ratio_drain", Figures.median(drains)));
    }

    private Jobs node(Bench bench, DataSource source) {
        return Jobs.on(source)
                .sessionDataSource(JobScenarios.source(bench.daemon().database()))
                .handle(FUNCTION, this::function)
                .handle(ANSWER, (number, job) -> {
                    job.await("ok", Long.class, LONG);
                    resumed.put(job.id(), System.nanoTime());
                })
                .handle(WORK, (number, job) -> done.incrementAndGet())
                .concurrency(THREADS)
                .start();
    }

    private void function(long number, Job job) throws Exception {
        for (int i = 0; i < 3; i++) {
            int step = i;
            job.step("step " + i, Long.class, () -> number + step);
        }
        job.sleep("none", Duration.ZERO);
        job.await("ok", Long.class, LONG);
        for (int i = 3; i < 5; i++) {
            int step = i;
            job.step("step " + i, Long.class, () -> number + step);
        }
        done.incrementAndGet();
    }

    /** Rows as suspensions leave them: half of them sleep, half wait for a signal. */
    private static void suspend(Bench bench, DataSource source) throws Exception {
        CountDownLatch waits = new CountDownLatch(2);
        try (Jobs jobs = Jobs.on(source)
                .sessionDataSource(JobScenarios.source(bench.daemon().database()))
                .handle(Kind.of("template", Long.class), (number, job) -> {
                    waits.countDown();
                    if (number == 0) job.sleep("long", LONG);
                    else job.await("never", Long.class, LONG);
                })
                .start()) {
            for (long i = 0; i < 2; i++) jobs.add(NewJob.of(Kind.of("template", Long.class), i));
            waits.await();
        }
        bench.execute(
                "WITH two AS (SELECT row_number() OVER (ORDER BY id) AS n, * FROM howdah_internal.job WHERE kind = 'template'),"
                        + " many AS (SELECT nextval('howdah_internal.job_id_seq') AS id, g FROM generate_series(1, "
                        + SUSPENDED + ") g),"
                        + " records AS (INSERT INTO howdah_internal.job_record (job, number, kind, type, name, nth, at, until, node)"
                        + " SELECT m.id, 1, 'template', t.more -> 'wait' ->> 'type', t.more -> 'wait' ->> 'name', 1, now(), t.run_at, 1"
                        + " FROM many m JOIN two t ON t.n = 1 + m.g % 2)"
                        + " INSERT INTO howdah_internal.job (id, lane, priority, kind, run_at, payload, more)"
                        + " SELECT m.id, t.lane, t.priority, t.kind, t.run_at + m.g * interval '1 ms', t.payload, t.more"
                        + " FROM many m JOIN two t ON t.n = 1 + m.g % 2");
        bench.execute("VACUUM (ANALYZE) howdah_internal.job");
        bench.execute("VACUUM (ANALYZE) howdah_internal.job_record");
    }

    private Figures measure(Bench bench, DataSource source) throws Exception {
        Figures figures = new Figures();
        try (Jobs jobs = node(bench, source)) {
            figures.put("functions_per_s", functions(jobs)).put("jobs_per_s", drained(jobs));
            List<Double> millis = latencies(jobs);
            figures.put("signal_p50_ms", millis.get(millis.size() / 2))
                    .put("signal_p99_ms", millis.get(millis.size() * 99 / 100));
        }
        bench.execute("CHECKPOINT");
        return figures;
    }

    /** Each of eight threads adds one and signals it. */
    private double functions(Jobs jobs) throws InterruptedException {
        done.set(0);
        long began = System.nanoTime();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        for (long i = 0; i < FUNCTIONS; i++) {
            long number = i;
            threads.execute(() -> jobs.signal(jobs.add(FUNCTION, number), "ok", number));
        }
        threads.shutdown();
        while (done.get() < FUNCTIONS) Bench.pause(Duration.ofMillis(1));
        return FUNCTIONS / ((System.nanoTime() - began) / 1e9);
    }

    private double drained(Jobs jobs) throws InterruptedException {
        done.set(0);
        List<NewJob<Long>> all = new ArrayList<>();
        for (long i = 0; i < DRAINED; i++) all.add(NewJob.of(WORK, i));
        long began = System.nanoTime();
        jobs.addAll(all);
        while (done.get() < DRAINED) Bench.pause(Duration.ofMillis(1));
        return DRAINED / ((System.nanoTime() - began) / 1e9);
    }

    private List<Double> latencies(Jobs jobs) throws InterruptedException {
        List<Double> millis = new ArrayList<>();
        List<NewJob<Long>> all = new ArrayList<>();
        for (long i = 0; i < SIGNALS; i++) all.add(NewJob.of(ANSWER, i));
        List<Long> ids = jobs.addAll(all);
        for (long id : ids)
            while (jobs.admin().why(id).stream().noneMatch(cause -> cause.code().equals("awaits-signal")))
                Bench.pause(Duration.ofMillis(1));
        for (long id : ids) {
            jobs.signal(id, "ok", id);
            long committed = System.nanoTime();
            while (!resumed.containsKey(id)) Bench.pause(Duration.ofMillis(1));
            millis.add(Math.max(0, resumed.get(id) - committed) / 1e6);
        }
        Collections.sort(millis);
        return millis;
    }
}
