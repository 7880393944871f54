package dev.howdah.benchmarks.faults;

import dev.howdah.job.Jobs;
import dev.howdah.job.NewJob;
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

    /** What has to be gone when all has come to rest. */
    private static final Map<String, String> LEFT = new LinkedHashMap<>();

    static {
        LEFT.put("jobs wait", "(SELECT count(*) FROM howdah.job)");
        LEFT.put("batches are open", "(SELECT count(*) FROM howdah.batch WHERE ended IS NULL)");
        LEFT.put("jobs wait for their turn", "(SELECT count(*) FROM howdah.ordered)");
        LEFT.put("turns are held", "(SELECT count(*) FROM howdah.order_key)");
        LEFT.put("jobs follow others", "(SELECT count(*) FROM howdah.follower)");
        LEFT.put("keys are held", "(SELECT count(*) FROM howdah.key WHERE ended IS NULL)");
        LEFT.put("keys are late", "(SELECT count(*) FROM howdah.key_late)");
        LEFT.put("jobs are to be cancelled", "(SELECT count(*) FROM howdah.cancellation)");
    }

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
    private final Pauses pauses = new Pauses();
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
        execute("CREATE TABLE effect (n bigint NOT NULL); SELECT howdah.limit('" + NodeProgram.NARROW + "', "
                + NodeProgram.NARROW_MOST + "), howdah.limit('" + NodeProgram.NARROW + "', " + NodeProgram.DECIDES_MOST
                + ", kind => '" + NodeProgram.DECIDES.name() + "')");
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
        JobHistory history = JobHistory.read(source, files, complaints);
        List<Asked> asked = producers.stream().map(JobProducer::asked).toList();
        JobChecker checker = new JobChecker(history, asked, complaints);
        checker.check();
        GroupChecker groups = new GroupChecker(history, asked, complaints);
        groups.check();
        complaints.addAll(pauses.complaints(source));
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("scenario", "jobs");
        figures.put("seed", seed);
        figures.put("seconds", seconds);
        figures.put("faults", harm.values().stream().mapToInt(Integer::intValue).sum());
        figures.put("harm", harm);
        figures.putAll(checker.counts());
        figures.putAll(groups.counts());
        figures.put("pauses_watched", pauses.count());
        figures.put("complaints", complaints);
        clean = complaints.isEmpty();
        return figures;
    }

    private void startNode() throws IOException {
        NodeProcess node = NodeProcess.start(NodeProgram.class, address, directory, ++started);
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
        } else if (what < 47) {
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

    /** A queue, or a kind of it, for a moment or so long that it can be said that nothing was taken. */
    private void pause() {
        boolean longer = random.nextInt(4) == 0;
        try {
            pauses.pause(
                    source,
                    random.nextBoolean() ? NewJob.DEFAULT_QUEUE : NodeProgram.NARROW,
                    random.nextBoolean() ? null : NodeProgram.PLAIN.name(),
                    longer ? 3_000 : random.nextInt(200));
            count(longer ? "pause_long" : "pause", 1);
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
        execute("UPDATE howdah.lane SET paused = NULL, kinds_paused = NULL");
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() - until < 0) {
            if (number("SELECT " + String.join(" + ", LEFT.values())) == 0) return true;
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
        }
        return false;
    }

    private String left() throws SQLException {
        List<String> left = new ArrayList<>();
        for (Map.Entry<String, String> each : LEFT.entrySet()) {
            long count = number("SELECT " + each.getValue());
            if (count > 0) left.add(count + " " + each.getKey());
        }
        return String.join(", ", left);
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
