package dev.howdah.benchmarks;

import dev.howdah.internal.sql.SqlFile;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/**
 * The least that tasks could cost, beside what they cost: one-row inserts into a plain table by five sessions, and the statements of a task by four sessions that need no scheduler: claim
 * (which does not wait for the disk), text, end. Each task by itself, and with the ends of eight in one statement.
 */
final class TaskFloor implements Scenario {
    private static final SqlFile SQL = SqlFile.of(TaskFloor.class, "task-floor.sql");
    private static final int INSERTERS = 5;
    private static final Duration INSERTING = Duration.ofSeconds(3);
    private static final List<String> DRAINS = List.of("statements of a task", "with ends of eight", "clean", "reused");

    @Override
    public String name() {
        return "floor";
    }

    @Override
    public void run(Bench bench) throws Exception {
        DataSource source = JobScenarios.source(bench.daemon().database());
        bench.execute(SQL.text("floor_insert_table"));
        bench.execute(SQL.text("floor_table"));
        Map<String, List<Figures>> all = new LinkedHashMap<>();
        for (int round = 0; round <= bench.rounds(); round++) {
            bench.clear();
            bench.execute(SQL.text("floor_clear"));
            double inserts = inserts(source);
            if (round > 0) bench.print("insert", round, new Figures().put("inserts_per_s", inserts));
            for (String variant : DRAINS) {
                Figures figures = drain(bench, source, variant);
                if (round == 0) continue; // to warm up
                figures.put("ratio_to_insert", figures.get("tasks_per_s") / inserts);
                bench.print(variant, round, figures);
                all.computeIfAbsent(variant, v -> new ArrayList<>()).add(figures);
            }
        }
        all.forEach((variant, of) -> bench.print(variant, 0, Figures.medians(of)));
    }

    private static Figures drain(Bench bench, DataSource source, String variant) throws Exception {
        boolean reused = variant.equals("reused");
        if (reused || variant.equals("clean")) {
            String insert = TaskScenarios.trivial("group", Throughput.TASKS, Throughput.MAX, reused);
            return bench.drain("group", insert).figures();
        }
        int ends = variant.equals("with ends of eight") ? 8 : 1;
        bench.execute(SQL.text("floor_clear"));
        try (Connection connection = source.getConnection();
                PreparedStatement fill = SQL.statement("floor_fill").prepare(connection, Throughput.TASKS)) {
            fill.execute();
        }
        Usage before = bench.usage();
        double seconds = statements(source, ends);
        return new Bench.Drain(Throughput.TASKS, seconds, bench.usage().minus(before)).figures();
    }

    /** One-row inserts a second, each durable. */
    private static double inserts(DataSource source) throws Exception {
        long until = System.nanoTime() + INSERTING.toNanos();
        AtomicInteger count = new AtomicInteger();
        double seconds = together(INSERTERS, number -> {
            try (Connection connection = source.getConnection();
                    PreparedStatement insert = SQL.statement("floor_insert").prepare(connection)) {
                while (System.nanoTime() < until) {
                    insert.execute();
                    count.incrementAndGet();
                }
            }
        });
        return count.get() / seconds;
    }

    private static double statements(DataSource source, int ends) throws Exception {
        List<Long> ids = new ArrayList<>();
        try (Connection connection = source.getConnection();
                PreparedStatement statement = SQL.statement("floor_ids").prepare(connection);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) ids.add(row.getLong(1));
        }
        return together(Throughput.MAX, number -> {
            List<Long> mine = new ArrayList<>();
            for (int i = number; i < ids.size(); i += Throughput.MAX) mine.add(ids.get(i));
            work(source, mine, ends);
        });
    }

    private static void work(DataSource source, List<Long> ids, int ends) throws SQLException {
        try (Connection claims = source.getConnection();
                Connection session = source.getConnection();
                Statement text = session.createStatement();
                PreparedStatement end = SQL.statement("floor_end").prepare(session, (Object) null)) {
            try (Statement setting = claims.createStatement()) {
                setting.execute("SET synchronous_commit = off");
            }
            List<Long> ended = new ArrayList<>();
            try (PreparedStatement claim = SQL.statement("floor_claim").prepare(claims, 0L)) {
                for (long id : ids) {
                    claim.setLong(1, id);
                    try (ResultSet row = claim.executeQuery()) {
                        if (!row.next()) throw new IllegalStateException("task " + id + " is not there");
                    }
                    text.executeQuery("SELECT 1").close();
                    ended.add(id);
                    if (ended.size() == ends) end(session, end, ended);
                }
            }
            if (!ended.isEmpty()) end(session, end, ended);
        }
    }

    private static void end(Connection session, PreparedStatement end, List<Long> ended) throws SQLException {
        Array ids = session.createArrayOf("bigint", ended.toArray());
        end.setArray(1, ids);
        end.execute();
        ids.free();
        ended.clear();
    }

    @FunctionalInterface
    private interface Part {
        void run(int number) throws SQLException;
    }

    /** Runs a part in that many threads; the seconds until the last one has ended. */
    private static double together(int threads, Part part) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            long began = System.nanoTime();
            List<Future<?>> parts = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int number = i;
                parts.add(executor.submit(() -> {
                    part.run(number);
                    return null;
                }));
            }
            for (Future<?> each : parts) each.get();
            return (System.nanoTime() - began) / 1e9;
        } finally {
            executor.shutdownNow();
        }
    }
}
