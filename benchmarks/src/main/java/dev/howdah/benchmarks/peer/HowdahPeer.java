package dev.howdah.benchmarks.peer;

import com.sun.management.OperatingSystemMXBean;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsBuilder;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import java.io.BufferedWriter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * {@code howdah-peer (setup|fill|work|produce|bulk|train) [--key value ...]}: the database stands in PGHOST, PGPORT, PGUSER and
 * PGDATABASE; times are of the machine's monotonic clock.
 */
public final class HowdahPeer {
    private static final Kind<Long> WORK = Kind.of("work", Long.class);
    private static final int STEP = 10_000;
    private static final int TRAINED = 100;

    private final Map<String, String> options = new HashMap<>();
    private final DataSource source = source();

    private HowdahPeer(String[] arguments) {
        for (int i = 1; i + 1 < arguments.length; i += 2) options.put(arguments[i].substring(2), arguments[i + 1]);
    }

    /** Runs one command. */
    public static void main(String[] arguments) throws Exception {
        HowdahPeer peer = new HowdahPeer(arguments);
        switch (arguments.length == 0 ? "" : arguments[0]) {
            case "setup" -> peer.setup();
            case "fill" -> peer.fill();
            case "work" -> peer.work();
            case "produce" -> peer.produce();
            case "bulk" -> peer.bulk();
            case "train" -> {
                peer.train();
                return; // the archive is written when the virtual machine ends by itself
            }
            default ->
                throw new IllegalArgumentException(
                        "setup, fill, work, produce, bulk or train, not " + Arrays.toString(arguments));
        }
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private static DataSource source() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setServerNames(new String[] {environment("PGHOST", "127.0.0.1")});
        source.setPortNumbers(new int[] {Integer.parseInt(environment("PGPORT", "5432"))});
        source.setDatabaseName(environment("PGDATABASE", "postgres"));
        source.setUser(environment("PGUSER", "postgres"));
        source.setApplicationName("howdah-peer");
        return source;
    }

    private static String environment(String name, String otherwise) {
        String value = System.getenv(name);
        return value == null || value.isEmpty() ? otherwise : value;
    }

    private long number(String key, long otherwise) {
        String value = options.get(key);
        return value == null ? otherwise : Long.parseLong(value);
    }

    private static double processorSeconds() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime() / 1e9;
    }

    private static void say(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, format, values));
        System.out.flush();
    }

    /** With {@code HOWDAH_STORAGE=log} the queue is a log queue. */
    private void setup() {
        try (Jobs jobs = Jobs.on(source).start()) {
            if (environment("HOWDAH_STORAGE", "table").equals("log"))
                jobs.admin().logQueues().create("default", Duration.ZERO);
        }
    }

    /** Does a little of everything, so that its classes come into the class data archive. Leaves nothing behind. */
    private void train() throws Exception {
        String schema = "training";
        CountDownLatch left = new CountDownLatch(2 * TRAINED);
        try (Jobs jobs = Jobs.on(source)
                .schema(schema)
                .handle(WORK, (seq, job) -> left.countDown())
                .start()) {
            jobs.admin().logQueues().create("log", Duration.ZERO);
            add(jobs, TRAINED, Duration.ZERO);
            for (long i = 0; i < TRAINED; i++) jobs.add(WORK, i);
            left.await();
        }
        try (Connection connection = source.getConnection()) {
            Jobs.uninstall(connection, schema, true);
        }
    }

    private void fill() {
        try (Jobs jobs = Jobs.on(source).start()) {
            add(jobs, number("ready", 0), Duration.ZERO);
            add(jobs, number("future", 0), Duration.ofHours(1));
        }
    }

    private static void add(Jobs jobs, long count, Duration delay) {
        List<NewJob<Long>> step = new ArrayList<>(STEP);
        for (long i = 0; i < count; i++) {
            step.add(NewJob.of(WORK, i).delay(delay));
            if (step.size() == STEP || i == count - 1) {
                jobs.addAll(step);
                step.clear();
            }
        }
    }

    private void work() throws Exception {
        long until = number("until", Long.MAX_VALUE);
        double most = Double.parseDouble(options.getOrDefault("max", "60"));
        AtomicLong done = new AtomicLong();
        AtomicLong last = new AtomicLong();
        Semaphore over = new Semaphore(0);
        long @Nullable [] starts = options.containsKey("out") ? new long[(int) number("track", 0)] : null;
        JobsBuilder builder = Jobs.on(source).handle(WORK, (seq, job) -> {
            long now = System.nanoTime();
            if (starts != null && seq >= 0 && seq < starts.length && starts[seq.intValue()] == 0)
                starts[seq.intValue()] = now;
            last.set(now);
            if (done.incrementAndGet() == until) over.release();
        });
        try (Connection warm = source.getConnection()) {
            warm.isValid(1);
        }
        Thread asked = new Thread(() -> awaitLine(over), "howdah-peer-stop");
        asked.setDaemon(true);
        asked.start();
        say("START");
        Thread.sleep(30);
        double processor = processorSeconds();
        long began = System.nanoTime();
        Jobs jobs = builder.start();
        List<String> ticks = new ArrayList<>();
        long tick = began + 1_000_000_000L;
        long end = began + (long) (most * 1e9);
        for (long now = System.nanoTime(); now < end; now = System.nanoTime()) {
            if (now >= tick) {
                ticks.add(String.format(Locale.ROOT, "[%.3f,%d]", (now - began) / 1e9, done.get()));
                tick += 1_000_000_000L;
            }
            // Not by looking again and again, which would be the larger part of an idle worker's processor time.
            if (over.tryAcquire(Math.min(tick, end) - now, TimeUnit.NANOSECONDS)) break;
        }
        long counted = done.get();
        long ended = counted >= until ? last.get() : System.nanoTime();
        double used = processorSeconds() - processor;
        say("END");
        long stopped = System.nanoTime();
        jobs.close();
        dump(starts);
        say(
                "RESULT {\"done\":%d,\"after_stop\":%d,\"seconds\":%.4f,\"stop_s\":%.3f,\"client_cpu\":%.3f,\"ticks\":[%s]}",
                counted,
                done.get(),
                (ended - began) / 1e9,
                (System.nanoTime() - stopped) / 1e9,
                used,
                String.join(",", ticks));
    }

    /** Any input, or its end, ends the work. */
    private static void awaitLine(Semaphore over) {
        try {
            System.in.read();
        } catch (IOException e) {
            System.err.println("standard input: " + e);
        }
        over.release();
    }

    private void dump(long @Nullable [] times) throws IOException {
        String file = options.get("out");
        if (file == null || times == null) return;
        try (BufferedWriter out = Files.newBufferedWriter(Path.of(file))) {
            for (int i = 0; i < times.length; i++) if (times[i] != 0) out.write(i + " " + times[i] + "\n");
        }
    }

    private void produce() throws Exception {
        int count = (int) number("count", 0);
        double rate = Double.parseDouble(options.getOrDefault("rate", "0"));
        int threads = (int) number("threads", 4);
        double most = Double.parseDouble(options.getOrDefault("max", "1000"));
        Jobs jobs = Jobs.on(source).start();
        for (long i = 0; i < number("warm", 0); i++) jobs.add(WORK, -1 - i);
        long[] commits = new long[count];
        long[] took = new long[count];
        say("START");
        Thread.sleep(30);
        double processor = processorSeconds();
        long began = System.nanoTime();
        AtomicLong next = new AtomicLong();
        Thread[] callers = new Thread[threads];
        for (int t = 0; t < threads; t++) {
            callers[t] = new Thread(() -> {
                while (true) {
                    int i = (int) next.getAndIncrement();
                    if (i >= count || System.nanoTime() - began > most * 1e9) return;
                    if (rate > 0) awaitUntil(began + (long) (i * 1e9 / rate));
                    long asked = System.nanoTime();
                    jobs.add(WORK, (long) i);
                    commits[i] = System.nanoTime();
                    took[i] = commits[i] - asked;
                }
            });
            callers[t].start();
        }
        for (Thread caller : callers) caller.join();
        double used = processorSeconds() - processor;
        double seconds = (Arrays.stream(commits).max().orElse(began) - began) / 1e9;
        say("END");
        dump(commits);
        long[] sorted = Arrays.stream(took).filter(t -> t > 0).sorted().toArray();
        say(
                "RESULT {\"done\":%d,\"seconds\":%.4f,\"rate\":%.1f,\"client_cpu\":%.3f,\"enq_p50_ms\":%.3f,\"enq_p99_ms\":%.3f}",
                sorted.length,
                seconds,
                sorted.length / seconds,
                used,
                percentile(sorted, 0.5),
                percentile(sorted, 0.99));
    }

    private static void awaitUntil(long nanos) {
        for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime())
            LockSupport.parkNanos(left);
    }

    private static double percentile(long[] sorted, double part) {
        return sorted.length == 0 ? 0 : sorted[(int) Math.min(sorted.length - 1, sorted.length * part)] / 1e6;
    }

    private void bulk() throws Exception {
        long count = number("count", 0);
        int batch = (int) number("batch", 1000);
        double most = Double.parseDouble(options.getOrDefault("max", "60"));
        try (Jobs jobs = Jobs.on(source).start();
                Connection connection = source.getConnection()) {
            // One batch before the clock starts, as the harness has its own contenders do.
            jobs.addAll(connection, step(-batch, batch));
            say("START");
            Thread.sleep(30);
            double processor = processorSeconds();
            long began = System.nanoTime();
            long done = 0;
            while (done < count && System.nanoTime() - began < most * 1e9) {
                jobs.addAll(connection, step(done, batch));
                done += batch;
            }
            double seconds = (System.nanoTime() - began) / 1e9;
            double used = processorSeconds() - processor;
            say("END");
            say(
                    "RESULT {\"supported\":true,\"batch\":%d,\"done\":%d,\"seconds\":%.4f,\"rate\":%.1f,\"client_cpu\":%.3f}",
                    batch, done, seconds, done / seconds, used);
        }
    }

    private static List<NewJob<Long>> step(long from, int size) {
        List<NewJob<Long>> step = new ArrayList<>(size);
        for (int i = 0; i < size; i++) step.add(NewJob.of(WORK, from + i));
        return step;
    }
}
