package dev.howdah.benchmarks.faults;

import dev.howdah.benchmarks.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A server, and nodes of the library as programs of their own, to which harm is done: by chance, of which the seed is known, and
 * counted. All of it is in a fresh directory, which stays if anything is found.
 */
final class TestBed implements AutoCloseable {
    private final Path directory;
    private final Class<?> program;
    private final PostgresServer server;
    private final String address;
    private final PGSimpleDataSource source;
    private final Random random;
    private final long seed;
    private final List<NodeProcess> nodes = new ArrayList<>();
    private final List<Path> files = new ArrayList<>();
    private final Map<String, Integer> harm = new LinkedHashMap<>();
    private boolean clean;

    private TestBed(Path directory, Class<?> program, long seed) {
        this.directory = directory;
        this.program = program;
        this.seed = seed;
        this.random = new Random(seed);
        this.server = PostgresServer.start(directory.resolve("postgres"), Map.of());
        this.address = server.uri().replace("postgresql://postgres@", "postgresql://") + "?user=postgres";
        this.source = NodeProgram.source(address);
    }

    /**
     * @param what the nodes work, for the name of the directory
     * @param program that a node is
     */
    static TestBed open(String what, Class<?> program, long seed) throws IOException {
        return new TestBed(Files.createTempDirectory("howdah-faults-" + what), program, seed);
    }

    /** Where all logs are. */
    Path directory() {
        return directory;
    }

    PGSimpleDataSource source() {
        return source;
    }

    long seed() {
        return seed;
    }

    /** A number below that one. */
    int chance(int bound) {
        return random.nextInt(bound);
    }

    /** What all nodes have said. */
    List<Path> files() {
        return files;
    }

    /** What was done to them, and how often. */
    Map<String, Integer> harm() {
        return harm;
    }

    void count(String what, int times) {
        harm.merge(what, times, Integer::sum);
    }

    /** One more; where it says what it does. */
    Path startNode() throws IOException {
        NodeProcess node = NodeProcess.start(program, address, directory, files.size() + 1);
        nodes.add(node);
        files.add(node.file());
        return node.file();
    }

    private NodeProcess any() {
        return nodes.get(random.nextInt(nodes.size()));
    }

    /** Kills one of them. */
    void killNode() throws InterruptedException {
        NodeProcess gone = any();
        nodes.remove(gone);
        gone.kill();
        count("kill", 1);
    }

    /** Stops one of them in good order; says whether it ended in time. */
    boolean stopNode() throws IOException, InterruptedException {
        NodeProcess gone = any();
        nodes.remove(gone);
        count("stop", 1);
        return gone.stop();
    }

    /**
     * Stops all of them in good order. A node that loses its session meanwhile, or was lost in the moment before, leaves a row: the
     * next node that is started has to remove it.
     */
    void stopNodes(List<String> complaints) throws IOException, InterruptedException, SQLException {
        stopAll(complaints);
        long left = number("SELECT count(*) FROM howdah_internal.node");
        if (left == 0) return;
        count("row_left_to_the_next_node", (int) left);
        long last = number("SELECT max(id) FROM howdah_internal.node");
        startNode();
        if (!comesToRest("SELECT count(*) FROM howdah_internal.node WHERE id <= " + last, Duration.ofSeconds(60)))
            complaints.add("a node that has died is not removed by the next one");
        stopAll(complaints);
    }

    private void stopAll(List<String> complaints) throws IOException, InterruptedException {
        for (NodeProcess each : nodes) if (!each.stop()) complaints.add("a node does not stop");
        nodes.clear();
    }

    /** Freezes one of them, and lets it go on. */
    void freezeNode(int millis) throws IOException, InterruptedException {
        long pid = any().pid();
        Signal.send("STOP", pid);
        pause(millis);
        Signal.send("CONT", pid);
        count(millis > 10_000 ? "freeze_past_death" : "freeze", 1);
    }

    /** Ends the server by that signal, and starts it again. */
    void restartServer(String signal) throws IOException, InterruptedException {
        server.end(signal);
        server.restart();
        count("restart", 1);
    }

    static void pause(int millis) {
        LockSupport.parkNanos(Duration.ofMillis(millis).toNanos());
    }

    /** Waits until a query answers 0; says whether it did in time. */
    boolean comesToRest(String query, Duration patience) throws SQLException {
        long until = System.nanoTime() + patience.toNanos();
        while (System.nanoTime() - until < 0) {
            if (number(query) == 0) return true;
            pause(50);
        }
        return false;
    }

    long number(String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** What was played, and what is found. */
    Map<String, Object> figures(String scenario, Map<String, ?> counts, List<String> complaints) {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("scenario", scenario);
        figures.put("seed", seed);
        figures.put("faults", harm.values().stream().mapToInt(Integer::intValue).sum());
        figures.put("harm", harm);
        figures.putAll(counts);
        figures.put("complaints", complaints);
        clean = complaints.isEmpty();
        return figures;
    }

    /** Ends everything; if nothing was found nothing stays. */
    @Override
    public void close() throws InterruptedException, IOException {
        for (NodeProcess each : nodes) each.kill();
        server.close();
        if (clean) Directories.delete(directory);
    }
}
