package dev.howdah.benchmarks.process;

import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** Timers that are due some at a time among many that are not, and many that are due at once. */
final class Timers {
    private final DataSource source;

    Timers(DataSource source) {
        this.source = source;
    }

    private void fill(String name, String prefix, int timers, String due) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "INSERT INTO howdah_internal.process (namespace, id, status, previous_status, timer_type, timer_task, timer_at, due_at, lane)"
                            + " SELECT n.id, '" + prefix
                            + "' || i, 'running', 'running', 'timeout', nextval('howdah_internal.process_task_id'), t.at, t.at, 1"
                            + " FROM howdah_internal.process_namespace n, generate_series(1, " + timers
                            + ") i, LATERAL (SELECT now() + " + due
                            + " AS at) t WHERE n.name = '" + name + "'");
        }
    }

    private Namespace namespace(String name, AtomicInteger ran, int concurrency) {
        return Namespace.builder(name, (task, process) -> {
                    ran.incrementAndGet();
                    return Intent.none();
                })
                .concurrency(concurrency)
                .build();
    }

    /** Milliseconds from due to begun, p50, p99 and max, of 1,000 a second for so many seconds, beside as many as said for later. */
    double[] lateness(int later, int seconds) throws SQLException, InterruptedException {
        AtomicInteger ran = new AtomicInteger();
        String name = "timers " + System.nanoTime();
        try (Processes worker =
                Processes.on(source).namespace(namespace(name, ran, 200)).start()) {
            if (later > 0) fill(name, "later ", later, "interval '1 day' + i * interval '1 ms'");
            fill(name, "soon ", seconds * 1_000, "interval '3 s' + i * interval '1 ms'");
            if (!worker.timers(name, 1).isEmpty()) wake(name);
            while (ran.get() < seconds * 1_000) Thread.sleep(10);
        }
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT p[1], p[2], p[3] FROM (SELECT percentile_cont(ARRAY[0.5, 0.99, 1])"
                                + " WITHIN GROUP (ORDER BY extract(epoch FROM t.started - t.scheduled)::float8 * 1000) AS p"
                                + " FROM howdah_internal.process_task t JOIN howdah_internal.process q ON q.number = t.process"
                                + " JOIN howdah_internal.process_namespace n ON n.id = q.namespace WHERE n.name = '"
                                + name
                                + "') s")) {
            row.next();
            return new double[] {row.getDouble(1), row.getDouble(2), row.getDouble(3)};
        }
    }

    /** What was written by hand rings by hand. */
    private void wake(String name) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "SELECT pg_notify('howdah_process', id::text) FROM howdah_internal.process_namespace WHERE name = '"
                            + name + "'");
        }
    }

    /** How many timers a second are worked when so many are overdue. */
    double backlog(int timers) throws SQLException, InterruptedException {
        AtomicInteger ran = new AtomicInteger();
        String name = "backlog " + System.nanoTime();
        try (Processes first =
                Processes.on(source).namespace(namespace(name, ran, 0)).start()) {
            if (!first.health().passing()) throw new IllegalStateException("not well");
            fill(name, "late ", timers, "interval '0 s'");
        }
        long began = System.nanoTime();
        try (Processes worker =
                Processes.on(source).namespace(namespace(name, ran, 500)).start()) {
            while (ran.get() < timers || !worker.timers(name, 1).isEmpty()) Thread.sleep(2);
        }
        return timers / ((System.nanoTime() - began) / 1e9);
    }
}
