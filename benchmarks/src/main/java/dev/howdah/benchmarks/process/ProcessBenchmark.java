package dev.howdah.benchmarks.process;

import dev.howdah.benchmarks.Directories;
import dev.howdah.embedded.EmbeddedPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.postgresql.ds.PGSimpleDataSource;

/** {@code processes [--rounds N] [scenario...]}: the figures of processes, on a durable PostgreSQL of its own. */
public final class ProcessBenchmark {
    /** The scenarios, in the order in which they are run. */
    public static final List<String> SCENARIOS = List.of("chains", "calls", "queued", "timers", "backlog");

    private static final long NANOS = TimeUnit.SECONDS.toNanos(5);

    private final PGSimpleDataSource source;
    private final Map<String, List<Double>> all = new LinkedHashMap<>();

    private ProcessBenchmark(PGSimpleDataSource source) {
        this.source = source;
    }

    /** Prints a line of JSON for each figure of each round, and one with its median for all of them. */
    public static void run(List<String> scenarios, int rounds) throws Exception {
        Path directory = Files.createTempDirectory("howdah-processes");
        try (EmbeddedPostgres postgres =
                EmbeddedPostgres.at(directory).setting("max_wal_size", "4GB").start()) {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl("jdbc:postgresql://127.0.0.1:" + postgres.port() + "/postgres?user=postgres");
            ProcessBenchmark figures = new ProcessBenchmark(source);
            for (int round = 1; round <= rounds; round++)
                for (String each : SCENARIOS)
                    if (scenarios.isEmpty() || scenarios.contains(each)) figures.measure(each, round);
            figures.all.forEach((name, values) -> print(name, 0, median(values)));
        } finally {
            Directories.delete(directory);
        }
    }

    private void measure(String scenario, int round) throws Exception {
        switch (scenario) {
            case "chains" -> chains(round);
            case "calls" -> calls(round);
            case "queued" -> queued(round);
            case "timers" -> timers(round);
            case "backlog" -> say("backlog, timers/s", round, new Timers(source).backlog(100_000));
            default -> throw new IllegalArgumentException(scenario);
        }
    }

    private void chains(int round) throws Exception {
        if (round == 1) {
            UpstreamChains.makeTables(source);
            new Chains(source).run(50, NANOS);
        }
        fresh();
        double upstream = new UpstreamChains(source, false).run(2_000, NANOS);
        say("upstream, each statement parsed, steps/s", round, upstream);
        fresh();
        double best = new UpstreamChains(source, true).run(2_000, NANOS);
        say("upstream, one prepared statement, steps/s", round, best);
        for (int processes : new int[] {50, 2_000}) {
            fresh();
            double ours = new Chains(source).run(processes, NANOS);
            say("howdah, " + processes + " processes, steps/s", round, ours);
            say("howdah, " + processes + " processes, times upstream", round, ours / upstream);
            say("howdah, " + processes + " processes, times upstream in one statement", round, ours / best);
        }
    }

    private void calls(int round) {
        if (round == 1) new Calls(source).run(500);
        double[] millis = new Calls(source).run(1_000);
        Arrays.sort(millis);
        say("call, p50 ms", round, millis[millis.length / 2]);
        say("call, p99 ms", round, millis[millis.length * 99 / 100]);
    }

    private void queued(int round) throws Exception {
        if (round == 1) new Queued(source).run(200, false);
        for (boolean elsewhere : new boolean[] {false, true}) {
            double[] millis = new Queued(source).run(500, elsewhere);
            Arrays.sort(millis);
            String what =
                    "call behind a running step, asked " + (elsewhere ? "elsewhere" : "here") + ", begins after, ";
            say(what + "p50 ms", round, millis[millis.length / 2]);
            say(what + "p99 ms", round, millis[millis.length * 99 / 100]);
        }
    }

    private void timers(int round) throws SQLException, InterruptedException {
        for (int later : new int[] {0, 1_000_000}) {
            double[] millis = new Timers(source).lateness(later, 8);
            say("timers, " + later + " for later, p50 ms", round, millis[0]);
            say("timers, " + later + " for later, p99 ms", round, millis[1]);
            say("timers, " + later + " for later, max ms", round, millis[2]);
        }
    }

    /** What others have left behind shall not be cleaned up meanwhile. */
    private void fresh() throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CHECKPOINT");
        }
    }

    private void say(String name, int round, double value) {
        all.computeIfAbsent(name, n -> new ArrayList<>()).add(value);
        print(name, round, value);
    }

    private static void print(String name, int round, double value) {
        System.out.printf(
                Locale.ROOT,
                "{\"figure\":\"%s\",\"%s\":%.2f}%n",
                name,
                round == 0 ? "median" : "round " + round,
                value);
    }

    private static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
