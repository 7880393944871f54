package dev.howdah.benchmarks.faults;

import dev.howdah.job.Jobs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.postgresql.ds.PGSimpleDataSource;

/** Nodes under fire: three processes work what two producers add, while something breaks all the time. */
final class JobFaults implements AutoCloseable {
    private static final int NODES = 3;
    private static final int PRODUCERS = 2;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final Path directory;
    private final PostgresServer server;
    private final String address;
    private final PGSimpleDataSource source;
    private final Random random;
    private final long seed;
    private final List<NodeProcess> nodes = new ArrayList<>();
    private final List<Path> files = new ArrayList<>();
    private final List<JobProducer> producers = new ArrayList<>();
    private final Map<String, Integer> harm = new LinkedHashMap<>();
    private int started;
    private boolean clean;

    private JobFaults(Path directory, long seed) {
        this.directory = directory;
        this.seed = seed;
        this.random = new Random(seed);
        this.server = PostgresServer.start(directory.resolve("postgres"), Map.of());
        this.address = server.uri().replace("postgresql://postgres@", "postgresql://") + "?user=postgres";
        this.source = NodeProgram.source(address);
    }

    /** In a fresh directory, which stays if anything is found. */
    static JobFaults open(long seed) throws IOException {
        return new JobFaults(Files.createTempDirectory("howdah-faults-jobs"), seed);
    }

    /** Where all logs are. */
    Path directory() {
        return directory;
    }

    /**
     * Does harm for so long, then waits until all has come to rest.
     *
     * @return figures; {@code complaints} among them are what contradicts the promises
     */
    Map<String, Object> play(int seconds) throws Exception {
        Jobs.on(source).start().close();
        execute("CREATE TABLE effect (n bigint NOT NULL)");
        for (int i = 0; i < NODES; i++) startNode();
        AtomicLong numbers = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < PRODUCERS; i++) {
            JobProducer producer = new JobProducer(source, seed + i + 1, numbers, 2_000);
            producers.add(producer);
            Thread thread = new Thread(producer, "producer-" + i);
            threads.add(thread);
            thread.start();
        }
        long until = System.nanoTime() + Duration.ofSeconds(seconds).toNanos();
        while (System.nanoTime() - until < 0) {
            harm();
            measure();
            LockSupport.parkNanos(Duration.ofMillis(random.nextInt(60)).toNanos());
        }
        producers.forEach(JobProducer::over);
        for (Thread each : threads) each.join();
        List<String> complaints = new ArrayList<>();
        if (!comesToRest()) complaints.add("it does not come to rest: " + left());
        for (NodeProcess each : nodes) if (!each.stop()) complaints.add("a node does not stop");
        nodes.clear();
        JobChecker checker = JobChecker.read(source, files, producers, complaints);
        checker.check();
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("scenario", "jobs");
        figures.put("seed", seed);
        figures.put("seconds", seconds);
        figures.put("faults", harm.values().stream().mapToInt(Integer::intValue).sum());
        figures.put("harm", harm);
        figures.putAll(checker.counts());
        figures.put("complaints", complaints);
        clean = complaints.isEmpty();
        return figures;
    }

    private void startNode() throws IOException {
        NodeProcess node = NodeProcess.start(address, directory, ++started);
        nodes.add(node);
        files.add(node.file());
    }

    private void harm() throws Exception {
        int what = random.nextInt(1000);
        if (what < 12) {
            nodes.remove(random.nextInt(nodes.size())).kill();
            startNode();
            count("kill", 1);
        } else if (what < 16) {
            NodeProcess gone = nodes.remove(random.nextInt(nodes.size()));
            gone.stop();
            startNode();
            count("stop", 1);
        } else if (what < 40) {
            freeze(20 + random.nextInt(800));
        } else if (what < 43) {
            freeze(11_000 + random.nextInt(3000));
        } else if (what < 45) {
            server.end(random.nextBoolean() ? "INT" : "QUIT");
            server.restart();
            count("restart", 1);
        } else if (what < 100) {
            pause();
        } else {
            terminate();
        }
    }

    private void freeze(int millis) throws IOException, InterruptedException {
        long pid = nodes.get(random.nextInt(nodes.size())).pid();
        Signal.send("STOP", pid);
        LockSupport.parkNanos(Duration.ofMillis(millis).toNanos());
        Signal.send("CONT", pid);
        count(millis > 10_000 ? "freeze_past_death" : "freeze", 1);
    }

    /** All lanes, for a moment. */
    private void pause() {
        try {
            execute("UPDATE howdah.lane SET paused = now()");
            LockSupport.parkNanos(Duration.ofMillis(random.nextInt(200)).toNanos());
            execute("UPDATE howdah.lane SET paused = NULL");
            count("pause", 1);
        } catch (SQLException e) {
            // Next time; before rest all go on anyway.
        }
    }

    private void terminate() {
        String which = switch (random.nextInt(4)) {
            case 0 -> "query LIKE '%howdah.batch%'";
            case 1 -> "state <> 'idle'";
            case 2 -> "query LIKE '%howdah.node%'";
            default -> "true";
        };
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT count(pg_terminate_backend(s.pid)) FROM (SELECT a.pid FROM"
                                + " pg_stat_activity a WHERE a.datname = current_database() AND a.pid <> pg_backend_pid() AND "
                                + which + " ORDER BY random() LIMIT " + (1 + random.nextInt(4)) + ") s")) {
            row.next();
            count("terminate", row.getInt(1));
        } catch (SQLException e) {
            // The server is down or full.
        }
    }

    private void count(String what, int times) {
        harm.merge(what, times, Integer::sum);
    }

    private void measure() {
        try {
            long waiting = number("SELECT count(*) FROM (SELECT FROM howdah.job LIMIT 5000) j");
            producers.forEach(each -> each.waiting(waiting));
        } catch (SQLException e) {
            // Another time.
        }
    }

    private boolean comesToRest() throws SQLException {
        execute("UPDATE howdah.lane SET paused = NULL");
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() - until < 0) {
            if (number(
                            "SELECT (SELECT count(*) FROM howdah.job) + (SELECT count(*) FROM howdah.batch WHERE ended IS NULL)")
                    == 0) return true;
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
        }
        return false;
    }

    private String left() throws SQLException {
        return number("SELECT count(*) FROM howdah.job") + " jobs wait, "
                + number("SELECT count(*) FROM howdah.batch WHERE ended IS NULL") + " batches are open";
    }

    private long number(String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Ends everything; if nothing was found nothing stays. */
    @Override
    public void close() throws InterruptedException, IOException {
        producers.forEach(JobProducer::over);
        for (NodeProcess each : nodes) each.kill();
        server.close();
        if (!clean) return;
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) Files.deleteIfExists(each);
        }
    }
}
