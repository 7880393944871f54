package dev.howdah.benchmarks;

import static dev.howdah.benchmarks.JobScenarios.WORK;

import dev.howdah.internal.node.NodeSql;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.Jobs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * What nodes cost that have nothing to do: the look for nodes that have died, among 100, 1,000 and 4,000 that live; a notification that 10, 50 and 100 sessions listen
 * to; idle nodes, 1 and 16 in one database; the memory of a session. Inputs of {@code benchmarks/run scaling}.
 */
final class NodeCosts implements Scenario {
    private static final Sql WATCH = NodeSql.NODE.statement("node_watch");
    private static final int LOCK_CLASS = 1215264874;
    private static final int NOTIFICATIONS = 300;

    @Override
    public String name() {
        return "node-costs";
    }

    @Override
    public void run(Bench bench) throws Exception {
        DataSource source = JobScenarios.source(bench.daemon().database());
        Jobs.on(source).start().close(); // makes the tables
        for (int round = 1; round <= bench.rounds(); round++) {
            for (int nodes : List.of(100, 1_000, 4_000)) watch(bench, source, nodes, round);
            for (int listeners : List.of(10, 50, 100)) listen(bench, source, listeners, round);
            for (int nodes : List.of(1, 16)) idle(bench, source, nodes, round);
        }
    }

    private static void watch(Bench bench, DataSource source, int nodes, int round) throws Exception {
        try (Connection holder = source.getConnection();
                Connection watcher = source.getConnection();
                Statement hold = holder.createStatement()) {
            holder.setAutoCommit(false);
            hold.execute("SELECT pg_advisory_lock(" + LOCK_CLASS + ", id) FROM generate_series(1000001, 1000000 + "
                    + nodes + ") AS id");
            hold.execute(
                    "INSERT INTO howdah_internal.node (id, name, features) OVERRIDING SYSTEM VALUE SELECT id, 'figure',"
                            + " '{figure}' FROM generate_series(1000001, 1000000 + " + nodes + ") AS id");
            holder.commit();
            try {
                hold.execute("ANALYZE howdah_internal.node");
                holder.commit();
                ProcessFigures backend = new ProcessFigures(pid(watcher));
                double used;
                int looks = 0;
                try (PreparedStatement look = WATCH.prepare(
                        watcher, 1_000_001, "00000000-0000-0000-0000-000000000000", new String[] {"figure"})) {
                    double before = backend.cpuSeconds();
                    long began = System.nanoTime();
                    while (System.nanoTime() - began < 2_000_000_000L) {
                        look.executeQuery().close();
                        looks++;
                    }
                    used = backend.cpuSeconds() - before;
                }
                bench.print("watch", round, new Figures().put("nodes", nodes).put("server_cpu_us", used * 1e6 / looks));
            } finally {
                hold.execute("DELETE FROM howdah_internal.node WHERE name = 'figure'");
                holder.commit();
            }
        }
    }

    private static void listen(Bench bench, DataSource source, int listeners, int round) throws Exception {
        List<Connection> open = new ArrayList<>();
        try (Connection teller = source.getConnection();
                Statement tell = teller.createStatement()) {
            for (int i = 0; i < listeners; i++) {
                Connection each = source.getConnection();
                open.add(each);
                try (Statement listen = each.createStatement()) {
                    listen.execute("LISTEN howdah_figure");
                }
            }
            Usage before = bench.usage();
            for (int i = 0; i < NOTIFICATIONS; i++) {
                tell.execute("NOTIFY howdah_figure, '" + i + "'");
                // As rings of the doorbell, which are some milliseconds apart.
                Bench.pause(Duration.ofMillis(4));
            }
            Usage used = bench.usage().minus(before);
            bench.print(
                    "listen",
                    round,
                    new Figures()
                            .put("listeners", listeners)
                            .put("server_cpu_us", used.serverSeconds() * 1e6 / NOTIFICATIONS));
        } finally {
            for (Connection each : open) each.close();
        }
    }

    private static void idle(Bench bench, DataSource source, int nodes, int round) throws Exception {
        List<Jobs> open = new ArrayList<>();
        try {
            for (int i = 0; i < nodes; i++)
                open.add(Jobs.on(JobScenarios.source(bench.daemon().database()))
                        .nodeName("figure " + i)
                        .handle(WORK, (payload, job) -> {})
                        .start());
            Bench.pause(Duration.ofSeconds(3));
            Usage before = bench.usage();
            Bench.pause(Duration.ofSeconds(8));
            Usage used = bench.usage().minus(before);
            bench.print(
                    "idle",
                    round,
                    new Figures()
                            .put("nodes", nodes)
                            .put("server_cpu_ms_per_s", used.serverSeconds() * 1e3 / 8)
                            .put("session_mb", sessionMegabytes(source)));
        } finally {
            for (Jobs each : open) each.close();
        }
    }

    private static int pid(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
            row.next();
            return row.getInt(1);
        }
    }

    /** What a session of a node has in memory that no other process has, on the average. */
    private static double sessionMegabytes(DataSource source) throws SQLException, IOException {
        List<Integer> pids = new ArrayList<>();
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pid FROM pg_stat_activity WHERE backend_type = 'client"
                        + " backend' AND pid <> pg_backend_pid()")) {
            while (row.next()) pids.add(row.getInt(1));
        }
        double kilobytes = 0;
        for (int pid : pids) {
            try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/smaps_rollup"))) {
                kilobytes += lines.filter(line -> line.startsWith("Private_"))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                        .sum();
            }
        }
        return kilobytes / 1024 / pids.size();
    }
}
