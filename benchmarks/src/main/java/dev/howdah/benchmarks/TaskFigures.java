package dev.howdah.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** The figures of the door of tasks, seen from outside: rows go in, and what the daemon wrote beside them is read. */
final class TaskFigures {
    static final List<String> SCENARIOS = List.of("latency", "throughput", "future", "idle");

    private static final int ROUNDS = 3;
    private static final int TASKS = 10_000;
    private static final int FUTURE = 100_000;
    private static final Duration IDLE = Duration.ofSeconds(60);

    private final Daemon daemon;
    private final ObjectMapper json = new ObjectMapper();

    TaskFigures(Daemon daemon) {
        this.daemon = daemon;
    }

    void measure(List<String> scenarios) throws SQLException, IOException {
        try (Connection connection = daemon.database().connect()) {
            for (String scenario : scenarios) {
                switch (scenario) {
                    case "latency" -> latency(connection);
                    case "throughput" -> throughput(connection);
                    case "future" -> future(connection);
                    case "idle" -> idle(connection);
                    default -> throw new IllegalArgumentException(scenario);
                }
            }
        }
    }

    /** From the insert (its statement's time) to the start of the task, one task at a time, nothing else to do. */
    private void latency(Connection connection) throws SQLException, IOException {
        for (int round = 1; round <= ROUNDS; round++) {
            execute(connection, "TRUNCATE task");
            for (int i = 0; i < 300; i++) {
                execute(connection, "INSERT INTO task (input) VALUES ('SELECT 1')");
                LockSupport.parkNanos(Duration.ofMillis(40).toNanos());
            }
            settle(connection);
            Double[] ms = (Double[]) value(
                    connection,
                    "SELECT percentile_cont(ARRAY[0.5, 0.9, 0.99, 1]) WITHIN GROUP"
                            + " (ORDER BY extract(epoch FROM start - plan)::float8 * 1000) FROM task");
            print(
                    "latency",
                    round,
                    Map.of("tasks", 300, "p50_ms", ms[0], "p90_ms", ms[1], "p99_ms", ms[2], "max_ms", ms[3]));
        }
    }

    /** Trivial tasks of one group, nine at a time, each in a clean session: first start to last stop. */
    private void throughput(Connection connection) throws SQLException, IOException {
        for (int round = 1; round <= ROUNDS; round++) {
            execute(connection, "TRUNCATE task");
            print("throughput", round, Map.of("tasks", TASKS, "max", 8, "tasks_per_s", drain(connection)));
        }
    }

    /** The same beside tasks of the same group that are planned for later, against none, in turn. */
    private void future(Connection connection) throws SQLException, IOException {
        List<Double> ratios = new ArrayList<>();
        for (int round = 1; round <= ROUNDS; round++) {
            execute(connection, "TRUNCATE task");
            double without = drain(connection);
            execute(connection, "TRUNCATE task");
            execute(
                    connection,
                    "INSERT INTO task (input, plan) SELECT 'SELECT 1', now() + interval '1 day' FROM generate_series(1, "
                            + FUTURE + ")");
            double with = drain(connection);
            ratios.add(with / without);
            print("future", round, Map.of("future", FUTURE, "tasks_per_s", with, "without", without));
        }
        ratios.sort(null);
        print("future", 0, Map.of("future", FUTURE, "median_ratio", ratios.get(ratios.size() / 2)));
    }

    private double drain(Connection connection) throws SQLException {
        execute(
                connection,
                "INSERT INTO task (input, max, plan) SELECT 'SELECT 1', 8, now() FROM generate_series(1, " + TASKS
                        + ")");
        settle(connection);
        Object rate = value(
                connection,
                "SELECT (count(*) / extract(epoch FROM max(stop) - min(start)))::float8 FROM task WHERE state = 'DONE'");
        return (Double) rate;
    }

    /** What an idle daemon costs. */
    private void idle(Connection connection) throws SQLException, IOException {
        execute(connection, "TRUNCATE task");
        pause(Duration.ofSeconds(25)); // sessions that are not needed are closed after ten seconds
        String commits = "SELECT pg_stat_get_db_xact_commit(oid) FROM pg_database WHERE datname = current_database()";
        long before = (Long) value(connection, commits);
        double cpu = daemon.cpuSeconds();
        pause(IDLE);
        double used = daemon.cpuSeconds() - cpu;
        long after = (Long) value(connection, commits);
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("seconds", IDLE.toSeconds());
        figures.put("transactions", after - before - 1); // the first question is counted in the second
        figures.put("cpu_percent", 100 * used / IDLE.toSeconds());
        figures.put("resident_mb", daemon.residentMegabytes());
        print("idle", 1, figures);
    }

    private static void pause(Duration duration) {
        long until = System.nanoTime() + duration.toNanos();
        while (System.nanoTime() < until) LockSupport.parkNanos(until - System.nanoTime());
    }

    /** Waits until nothing is due or running. Its own looking is cheap: a few index pages every 50 ms. */
    private static void settle(Connection connection) throws SQLException {
        String left = "SELECT EXISTS (SELECT FROM task WHERE state = 'PLAN' AND plan <= now())"
                + " OR EXISTS (SELECT FROM task WHERE state IN ('TAKE', 'WORK'))";
        while ((Boolean) value(connection, left)) pause(Duration.ofMillis(50));
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static Object value(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet row = statement.executeQuery()) {
            row.next();
            Object value = row.getObject(1);
            return value instanceof java.sql.Array array
                    ? Arrays.copyOf((Object[]) array.getArray(), 4, Double[].class)
                    : value;
        }
    }

    private void print(String scenario, int round, Map<String, ?> figures) throws IOException {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("scenario", scenario);
        if (round > 0) line.put("round", round);
        figures.forEach(
                (name, value) -> line.put(name, value instanceof Double d ? Math.round(d * 100) / 100.0 : value));
        System.out.println(json.writeValueAsString(line));
    }
}
