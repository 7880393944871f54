package dev.howdah.benchmarks.faults;

import dev.howdah.benchmarks.faults.ProcessHistory.Told;
import dev.howdah.benchmarks.faults.ProcessNode.Order;
import dev.howdah.process.Processes;
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

/** Processes under fire: two nodes work what callers ask, and one of them is killed, stopped or frozen all the time. */
final class ProcessFaults implements AutoCloseable {
    private static final int CALLERS = 6;
    private static final int TICKERS = 10;
    private static final int FROZEN_MILLIS = 11_000;
    private static final long READY_SECONDS = 60;

    private final Path directory;
    private final PostgresServer server;
    private final String address;
    private final PGSimpleDataSource source;
    private final Random random;
    private final long seed;
    private final List<NodeProcess> nodes = new ArrayList<>();
    private final List<Path> files = new ArrayList<>();
    private final List<long[]> frozen = new ArrayList<>();
    private final Map<String, Integer> harm = new LinkedHashMap<>();
    private final List<ProcessCaller> callers = new ArrayList<>();
    private boolean clean;

    private ProcessFaults(Path directory, long seed) {
        this.directory = directory;
        this.seed = seed;
        this.random = new Random(seed);
        this.server = PostgresServer.start(directory.resolve("postgres"), Map.of());
        this.address = server.uri().replace("postgresql://postgres@", "postgresql://") + "?user=postgres";
        this.source = NodeProgram.source(address);
    }

    /** In a fresh directory, which stays if anything is found. */
    static ProcessFaults open(long seed) throws IOException {
        return new ProcessFaults(Files.createTempDirectory("howdah-faults-processes"), seed);
    }

    /** Where all logs are. */
    Path directory() {
        return directory;
    }

    /**
     * Kills nodes, so many times, and does other harm in between; then waits until all has come to rest.
     *
     * @param freezes whether nodes are also frozen past their death notice
     * @return figures; {@code complaints} among them are what contradicts the promises
     */
    Map<String, Object> play(int kills, boolean freezes) throws Exception {
        List<String> complaints = new ArrayList<>();
        AtomicLong numbers = new AtomicLong();
        startNode();
        startNode();
        try (Processes client = Processes.on(source).name("callers").start()) {
            ProcessCaller first = new ProcessCaller(client, seed, numbers);
            callers.add(first);
            for (String namespace : List.of(ProcessNode.ONCE, ProcessNode.AGAIN, ProcessNode.TICK))
                for (int i = 0; i < (namespace.equals(ProcessNode.TICK) ? TICKERS : 12); i++)
                    first.ask(namespace, "shared-" + i, client::init);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                ProcessCaller caller = new ProcessCaller(client, seed + i + 1, numbers);
                callers.add(caller);
                threads.add(new Thread(caller, "caller-" + i));
            }
            threads.forEach(Thread::start);
            for (int i = 1; i <= kills; i++) {
                LockSupport.parkNanos(Duration.ofMillis(random.nextInt(400)).toNanos());
                if (i % 5 == 0) stop(complaints);
                if (i % 3 == 0) freeze(20 + random.nextInt(600));
                if (freezes && i % 10 == 0) freeze(FROZEN_MILLIS + random.nextInt(2_000));
                nodes.remove(random.nextInt(nodes.size())).kill();
                harm.merge("kill", 1, Integer::sum);
                startNode();
            }
            callers.forEach(ProcessCaller::over);
            for (Thread each : threads) each.join();
            for (int i = 0; i < TICKERS; i++)
                first.ask(ProcessNode.TICK, "shared-" + i, new Order(numbers.incrementAndGet(), 0, true), client::call);
            if (!comesToRest()) complaints.add("it does not come to rest");
        }
        for (NodeProcess each : nodes) if (!each.stop()) complaints.add("a node does not stop");
        nodes.clear();
        if (number("SELECT count(*) FROM howdah.process_node") != 0) complaints.add("nodes are left behind");
        return prove(complaints);
    }

    private Map<String, Object> prove(List<String> complaints) throws SQLException, IOException {
        List<Told> told = callers.stream().flatMap(each -> each.told().stream()).toList();
        ProcessChecker checker = new ProcessChecker(ProcessHistory.read(source, files, told), complaints);
        checker.check();
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("scenario", "processes");
        figures.put("seed", seed);
        figures.put("harm", harm);
        figures.putAll(checker.counts());
        figures.put("longest_gap_ms", checker.longestGap(frozen));
        figures.put("complaints", complaints);
        clean = complaints.isEmpty();
        return figures;
    }

    /** Waits until it works: there is always one. */
    private void startNode() throws IOException {
        NodeProcess node = NodeProcess.start(ProcessNode.class, address, directory, files.size() + 1);
        nodes.add(node);
        files.add(node.file());
        long until = System.nanoTime() + Duration.ofSeconds(READY_SECONDS).toNanos();
        while (!Files.exists(node.file()) || Files.size(node.file()) == 0) {
            if (System.nanoTime() - until > 0)
                throw new IllegalStateException("node " + files.size() + " does not start");
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
    }

    private void stop(List<String> complaints) throws IOException, InterruptedException {
        NodeProcess gone = nodes.remove(random.nextInt(nodes.size()));
        if (!gone.stop()) complaints.add("a node does not stop");
        harm.merge("stop", 1, Integer::sum);
        startNode();
    }

    private void freeze(int millis) throws IOException, InterruptedException, SQLException {
        long pid = nodes.get(random.nextInt(nodes.size())).pid();
        long from = now();
        Signal.send("STOP", pid);
        LockSupport.parkNanos(Duration.ofMillis(millis).toNanos());
        Signal.send("CONT", pid);
        frozen.add(new long[] {from, now()});
        harm.merge(millis < FROZEN_MILLIS ? "freeze" : "freeze_past_death", 1, Integer::sum);
    }

    private long now() throws SQLException {
        return number("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint");
    }

    private boolean comesToRest() throws SQLException {
        long until = System.nanoTime() + Duration.ofSeconds(READY_SECONDS).toNanos();
        while (System.nanoTime() - until < 0) {
            if (number("SELECT count(*) FROM howdah.process WHERE node IS NOT NULL OR due_at IS NOT NULL OR queued > 0")
                    == 0) return true;
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
        }
        return false;
    }

    private long number(String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    /** Ends everything; if nothing was found nothing stays. */
    @Override
    public void close() throws InterruptedException, IOException {
        callers.forEach(ProcessCaller::over);
        for (NodeProcess each : nodes) each.kill();
        server.close();
        if (!clean) return;
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) Files.deleteIfExists(each);
        }
    }
}
