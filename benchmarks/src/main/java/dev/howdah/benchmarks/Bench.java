package dev.howdah.benchmarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** What a scenario works with: a daemon that runs, a session at its database, and a place for its figures. */
final class Bench {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String LEFT = "SELECT EXISTS (SELECT FROM task WHERE state = 'PLAN' AND plan <= now())"
            + " OR EXISTS (SELECT FROM task WHERE state IN ('TAKE', 'WORK'))";

    private final Daemon daemon;
    private final Connection connection;
    private final String scenario;
    private final int rounds;

    Bench(Daemon daemon, Connection connection, String scenario, int rounds) {
        this.daemon = daemon;
        this.connection = connection;
        this.scenario = scenario;
        this.rounds = rounds;
    }

    Daemon daemon() {
        return daemon;
    }

    /** How often each variant is to be measured. */
    int rounds() {
        return rounds;
    }

    void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The first row of a query. */
    Object[] row(String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet row = statement.executeQuery()) {
            row.next();
            Object[] values = new Object[row.getMetaData().getColumnCount()];
            for (int i = 0; i < values.length; i++) values[i] = row.getObject(i + 1);
            return values;
        }
    }

    /** The first value of a query. */
    <T> T value(Class<T> type, String sql) throws SQLException {
        return type.cast(row(sql)[0]);
    }

    /** Empties the table. */
    void clear() throws SQLException {
        execute("TRUNCATE task");
    }

    /** Waits until nothing is due or running. Its own looking is cheap: a few index pages every 20 ms. */
    void settle() throws SQLException {
        while (!settled()) pause(Duration.ofMillis(20));
    }

    /** Returns whether nothing is due or running. */
    boolean settled() throws SQLException {
        return !value(Boolean.class, LEFT);
    }

    /** What a number of tasks took. */
    record Drain(long tasks, double seconds, Usage usage) {
        double tasksPerSecond() {
            return tasks / seconds;
        }

        /** Figures for a line of output; costs are those of one task. */
        Figures figures() {
            Figures figures = new Figures();
            figures.put("tasks", tasks);
            figures.put("tasks_per_s", tasksPerSecond());
            figures.put("server_cpu_us", usage.serverSeconds() * 1e6 / tasks);
            figures.put("daemon_cpu_us", usage.daemonSeconds() * 1e6 / tasks);
            figures.put("server_switches", (double) usage.serverSwitches() / tasks);
            figures.put("daemon_switches", (double) usage.daemonSwitches() / tasks);
            figures.put("wal_bytes", (double) usage.walBytes() / tasks);
            return figures;
        }
    }

    /**
     * Inserts tasks with one statement and waits until they have ended: from the first plan to the last stop.
     *
     * @param group of the tasks
     * @param insert an INSERT into task
     */
    Drain drain(String group, String insert) throws SQLException, IOException {
        long last = value(Long.class, "SELECT COALESCE(max(id), 0) FROM task");
        Usage before = usage();
        execute(insert);
        settle();
        Usage after = usage();
        Object[] row = row("SELECT count(*), extract(epoch FROM max(stop) - min(plan))::float8,"
                + " count(*) FILTER (WHERE state <> 'DONE') FROM task WHERE \"group\" = '" + group
                + "' AND id > " + last);
        if ((Long) row[2] > 0) throw new IllegalStateException(row[2] + " tasks have failed");
        return new Drain((Long) row[0], (Double) row[1], after.minus(before));
    }

    /** What server and daemon have used up to now. */
    Usage usage() throws SQLException, IOException {
        return daemon.usage(value(Long.class, "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint"));
    }

    /** Percentiles of the milliseconds from insert (the time of its statement) to start; of the tasks that meet a condition. */
    Figures latency(String condition) throws SQLException {
        Object[] row = row(
                "SELECT n, p[1], p[2], p[3], p[4] FROM (SELECT count(*) AS n, percentile_cont(ARRAY[0.5, 0.9, 0.99, 1])"
                        + " WITHIN GROUP (ORDER BY extract(epoch FROM start - plan)::float8 * 1000) AS p FROM task WHERE "
                        + condition + ") t");
        Figures figures = new Figures();
        List<String> names = List.of("tasks", "p50_ms", "p90_ms", "p99_ms", "max_ms");
        for (int i = 0; i < names.size(); i++) figures.put(names.get(i), (Number) row[i]);
        return figures;
    }

    /** One line of figures: what was measured (a variant of the scenario, a round of it) and what was seen. */
    void print(String variant, int round, Figures figures) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("scenario", scenario);
        line.put("variant", variant);
        if (round > 0) line.put("round", round);
        figures.values()
                .forEach((name, value) ->
                        line.put(name, value instanceof Double d ? Math.round(d * 1000) / 1000.0 : value));
        try {
            System.out.println(JSON.writeValueAsString(line));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    static void pause(Duration duration) {
        long until = System.nanoTime() + duration.toNanos();
        while (System.nanoTime() < until) LockSupport.parkNanos(until - System.nanoTime());
    }
}
