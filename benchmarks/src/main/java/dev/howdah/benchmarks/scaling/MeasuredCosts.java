package dev.howdah.benchmarks.scaling;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** The lines that {@code benchmarks/run jobs clients node-costs} has printed, and the costs that follow from their medians. */
final class MeasuredCosts {
    static final List<Integer> PROCESSES = List.of(1, 2, 4, 8);
    private static final int MANY_NODES = 4_000;
    private static final int FEW_LISTENERS = 10;
    private static final int MANY_LISTENERS = 100;
    private static final int IDLE_NODES = 16;

    private final List<JsonNode> lines = new ArrayList<>();

    MeasuredCosts(Path results) throws IOException {
        ObjectMapper json = new ObjectMapper();
        for (String line : Files.readAllLines(results)) if (line.startsWith("{")) lines.add(json.readTree(line));
    }

    private double median(String what, Predicate<JsonNode> of) {
        List<Double> values = lines.stream()
                .filter(each -> each.has(what) && of.test(each))
                .map(each -> each.get(what).asDouble())
                .sorted()
                .toList();
        if (values.isEmpty()) throw new IllegalArgumentException("the results have no line with " + what);
        int middle = values.size() / 2;
        return values.size() % 2 == 1 ? values.get(middle) : (values.get(middle - 1) + values.get(middle)) / 2;
    }

    private static Predicate<JsonNode> variant(String name) {
        return each -> each.path("variant").asText().equals(name);
    }

    private static Predicate<JsonNode> at(String name, int value) {
        return each -> each.path(name).asInt() == value;
    }

    /** What the server used for a run with that many client processes: its median in seconds. */
    double drainSeconds(int processes) {
        return median("server_cpu_s", at("processes", processes));
    }

    double jobsPerSecond(int processes) {
        return median("jobs_per_s", at("processes", processes));
    }

    double clientSeconds(int processes) {
        return median("client_cpu_s", at("processes", processes));
    }

    /** What the costs say that {@link #drainSeconds} is. */
    double expectedSeconds(int processes) {
        ServerCosts costs = costs();
        return (costs.start() * processes + costs.work() * jobs()) / 1e6;
    }

    private double jobs() {
        return median("jobs", at("processes", 1));
    }

    ServerCosts costs() {
        double[] drain = line(PROCESSES, this::drainSeconds);
        double fewHeard = median("server_cpu_us", variant("listen").and(at("listeners", FEW_LISTENERS)));
        double manyHeard = median("server_cpu_us", variant("listen").and(at("listeners", MANY_LISTENERS)));
        double heard = (manyHeard - fewHeard) / (MANY_LISTENERS - FEW_LISTENERS);
        double idle = median("server_cpu_ms_per_s", variant("idle").and(at("nodes", IDLE_NODES)))
                - median("server_cpu_ms_per_s", variant("idle").and(at("nodes", 1)));
        return new ServerCosts(
                median("add_server_us", each -> true),
                drain[0] * 1e6 / jobs(),
                median("server_cpu_us", variant("one by one")),
                median("add_wal_bytes", each -> true) + median("wal_bytes", each -> each.has("processes")),
                drain[1] * 1e6,
                idle * 1e3 / (IDLE_NODES - 1),
                median("server_cpu_us", variant("watch").and(at("nodes", MANY_NODES))),
                Math.max(0, fewHeard - heard * FEW_LISTENERS),
                heard,
                median("session_mb", at("nodes", IDLE_NODES)));
    }

    private interface Measure {
        double at(int x);
    }

    /** The straight line through these points with the least squares: its value at 0, and by how much it rises. */
    private static double[] line(List<Integer> points, Measure measure) {
        double meanX = points.stream().mapToDouble(each -> each).average().orElseThrow();
        double meanY = points.stream().mapToDouble(measure::at).average().orElseThrow();
        double both = 0;
        double squares = 0;
        for (int x : points) {
            both += (x - meanX) * (measure.at(x) - meanY);
            squares += (x - meanX) * (x - meanX);
        }
        return new double[] {meanY - both / squares * meanX, both / squares};
    }
}
