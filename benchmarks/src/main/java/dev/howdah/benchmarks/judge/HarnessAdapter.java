package dev.howdah.benchmarks.judge;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.Database;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsException;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Speaks the protocol of the harness: settings come from the environment, lines {@code ENQUEUE n} by standard input, and samples go as JSON lines to standard output. It
 * adds and works jobs by the public API, as a user of the library does.
 */
final class HarnessAdapter {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> TABLES =
            List.of("howdah_internal.job", "howdah_internal.failed", "howdah_internal.body");

    /** When it was offered, in microseconds, and what fills it up. */
    private record Offer(long micros, String padding) {}

    private static final Kind<Offer> WORK = Kind.of("work", Offer.class);

    private final PGSimpleDataSource source;
    private final String instance = text("BENCH_INSTANCE_ID", "0");
    private final long workNanos = TimeUnit.MILLISECONDS.toNanos(number("JOB_WORK_MS", 1));
    private final String padding = "x".repeat(Math.max(0, (int) number("JOB_PAYLOAD_BYTES", 256) - 40));
    private final RecentLatencies claims = new RecentLatencies();
    private final RecentLatencies ends = new RecentLatencies();
    private final RecentLatencies adds = new RecentLatencies();
    private final AtomicLong added = new AtomicLong();
    private final AtomicLong begun = new AtomicLong();
    private final AtomicLong done = new AtomicLong();
    private volatile long depth;

    private HarnessAdapter(Database database) {
        Database.HostPort server = database.hosts().get(0);
        source = new PGSimpleDataSource();
        source.setServerNames(new String[] {server.host()});
        source.setPortNumbers(new int[] {server.port()});
        source.setDatabaseName(database.database());
        source.setUser(database.user());
        source.setPassword(database.password(server));
    }

    /** Runs until it is told to stop. */
    public static void main(String[] arguments) throws Exception {
        Database database = Database.of(text("DATABASE_URL", ""));
        HarnessAdapter adapter = new HarnessAdapter(database);
        String scenario = text("SCENARIO", "long_horizon");
        switch (scenario) {
            case "migrate_only" -> Jobs.on(adapter.source).start().close();
            case "long_horizon" -> adapter.run(database.database());
            default -> throw new IllegalArgumentException("scenario long_horizon or migrate_only, not " + scenario);
        }
    }

    private static String text(String name, String otherwise) {
        String value = System.getenv(name);
        return value == null || value.isEmpty() ? otherwise : value;
    }

    private static long number(String name, long otherwise) {
        return Long.parseLong(text(name, Long.toString(otherwise)));
    }

    private static long nowMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    private void run(String database) throws Exception {
        boolean paced = text("PRODUCER_MODE", "fixed").equals("fixed");
        if (paced && !text("PRODUCER_PACING", "harness").equals("harness"))
            throw new IllegalArgumentException("at a fixed rate the harness sets the pace: PRODUCER_PACING=harness");
        Jobs jobs = Jobs.on(source)
                .concurrency((int) number("WORKER_COUNT", 32))
                .shutdownTimeout(Duration.ofSeconds(3))
                .handle(WORK, (offer, job) -> {
                    begun.incrementAndGet();
                    claims.record(nowMicros() - offer.micros(), System.nanoTime());
                    if (workNanos > 0) LockSupport.parkNanos(workNanos);
                    ends.record(nowMicros() - offer.micros(), System.nanoTime());
                    done.incrementAndGet();
                })
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            jobs.close();
            Runtime.getRuntime().halt(0);
        }));
        describe(database);
        daemon("sampler", this::sample);
        if (instance.equals("0")) daemon("depth", this::watchDepth);
        if (paced) addAsTold(jobs);
        else keepDepth(jobs);
        // The harness stops the adapter by a signal, not by the end of its input.
        Thread.currentThread().join();
    }

    private static void daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void describe(String database) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("kind", "descriptor");
        line.put("system", "howdah");
        line.put("event_tables", TABLES);
        line.put("extensions", List.of());
        line.put("version", text("HOWDAH_VERSION", "unreleased"));
        line.put("schema_version", Integer.toString(Jobs.schemaVersion()));
        line.put("db_name", database);
        line.put("started_at", now());
        print(line);
    }

    private static String now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS).toString();
    }

    private void print(Map<String, Object> line) {
        line.put("instance_id", Integer.parseInt(instance));
        try {
            String text = JSON.writeValueAsString(line);
            synchronized (System.out) {
                System.out.println(text);
                System.out.flush();
            }
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** One call of the bulk path for each line. */
    private void addAsTold(Jobs jobs) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.strip().split(" ");
            if (words.length != 2 || !words[0].equals("ENQUEUE") || !words[1].matches("\\d{1,6}")) {
                System.err.println("howdah: a line that is not ENQUEUE and a number: " + line);
                continue;
            }
            add(jobs, Integer.parseInt(words[1]));
        }
    }

    /** As many as are missing to the depth that the harness wants, in calls of the largest size that it allows. */
    private void keepDepth(Jobs jobs) {
        long target = number("TARGET_DEPTH", 1_000);
        long most = Math.max(1, number("PRODUCER_BATCH_MAX", 128));
        while (true) {
            long missing = Math.min(most, target - (added.get() - begun.get()));
            if (missing > 0) add(jobs, (int) missing);
            else LockSupport.parkNanos(1_000_000);
        }
    }

    private void add(Jobs jobs, int count) {
        List<NewJob<Offer>> step = new ArrayList<>(count);
        for (int i = 0; i < count; i++) step.add(NewJob.of(WORK, new Offer(nowMicros(), padding)));
        long before = System.nanoTime();
        try {
            jobs.addAll(step);
            added.addAndGet(count);
            adds.record((System.nanoTime() - before) / 1e3, System.nanoTime());
        } catch (JobsException e) {
            System.err.println("howdah: " + e.getMessage());
            LockSupport.parkNanos(100_000_000);
        }
    }

    private void watchDepth() {
        while (true) {
            try (Connection connection = source.getConnection();
                    Statement statement = connection.createStatement()) {
                while (true) {
                    try (ResultSet row = statement.executeQuery("SELECT count(*) FROM howdah_internal.job")) {
                        row.next();
                        depth = row.getLong(1);
                    }
                    LockSupport.parkNanos(500_000_000);
                }
            } catch (SQLException e) {
                LockSupport.parkNanos(500_000_000);
            }
        }
    }

    private void sample() {
        long every = number("SAMPLE_EVERY_S", 5);
        long lastAdded = 0;
        long lastDone = 0;
        long last = System.nanoTime();
        while (true) {
            long left = every * 1_000_000_000L - nowMicros() * 1_000 % (every * 1_000_000_000L);
            LockSupport.parkNanos(left);
            long now = System.nanoTime();
            if (now - last < left / 2) continue;
            double seconds = (now - last) / 1e9;
            last = now;
            long nowAdded = added.get();
            long nowDone = done.get();
            percentiles("claim", claims, now);
            percentiles("end_to_end", ends, now);
            percentiles("producer", adds, now);
            emit("enqueue_rate", (nowAdded - lastAdded) / seconds, every);
            emit("completion_rate", (nowDone - lastDone) / seconds, every);
            if (instance.equals("0")) {
                emit("queue_depth", depth, 0);
                emit(
                        "producer_target_rate",
                        text("PRODUCER_MODE", "fixed").equals("fixed") ? number("PRODUCER_RATE", 0) : 0,
                        0);
            }
            lastAdded = nowAdded;
            lastDone = nowDone;
        }
    }

    private void percentiles(String what, RecentLatencies of, long now) {
        double[] found = of.percentiles(now, 0.5, 0.95, 0.99);
        emit(what + "_p50_ms", found[0], 30);
        emit(what + "_p95_ms", found[1], 30);
        emit(what + "_p99_ms", found[2], 30);
    }

    private void emit(String metric, Number value, Number window) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("t", now());
        line.put("system", "howdah");
        line.put("kind", "adapter");
        line.put("subject_kind", "adapter");
        line.put("subject", "");
        line.put("metric", metric);
        line.put("value", value);
        line.put("window_s", window);
        print(line);
    }
}
