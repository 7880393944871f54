package dev.howdah.benchmarks;

import java.time.Duration;
import java.util.List;

/** What a task adds to the server's log and to its table, with and without the pages that a checkpoint makes it add whole. */
final class LogVolume implements Scenario {
    private static final int TASKS = 10_000;
    private static final String VERSIONS =
            "SELECT n_tup_ins, n_tup_upd, n_tup_del FROM pg_stat_user_tables WHERE relname = 'task'";

    @Override
    public String name() {
        return "wal";
    }

    @Override
    public void run(Bench bench) throws Exception {
        for (int round = 1; round <= bench.rounds(); round++) {
            for (boolean whole : List.of(false, true)) {
                bench.execute("ALTER SYSTEM SET full_page_writes = " + whole);
                bench.execute("SELECT pg_reload_conf()");
                bench.clear();
                bench.execute("CHECKPOINT");
                for (String variant : List.of("clean", "reused")) {
                    long inserted = insertedBytes(bench);
                    Object[] before = bench.row(VERSIONS);
                    String insert = TaskScenarios.trivial("group", TASKS, Throughput.MAX, variant.equals("reused"));
                    long bytes = whole
                            ? withCheckpoint(bench, insert)
                            : bench.drain("group", insert).usage().walBytes();
                    Figures figures = new Figures();
                    figures.put("tasks", TASKS);
                    figures.put("wal_bytes", (double) bytes / TASKS);
                    figures.put("of_these_insert", (double) inserted / TASKS);
                    Bench.pause(Duration.ofSeconds(3)); // sessions tell their counts when they have been idle
                    Object[] after = bench.row(VERSIONS);
                    List<String> names = List.of("inserted", "updated", "deleted");
                    for (int i = 0; i < names.size(); i++)
                        figures.put(names.get(i), ((Long) after[i] - (Long) before[i]) / (double) TASKS);
                    bench.print(variant + (whole ? ", whole pages" : ""), round, figures);
                }
            }
        }
        bench.execute("ALTER SYSTEM RESET full_page_writes");
        bench.execute("SELECT pg_reload_conf()");
    }

    /** A checkpoint between insert and start, so that each page that a claim touches is written whole once. */
    private static long withCheckpoint(Bench bench, String insert) throws Exception {
        Usage before = bench.usage();
        bench.execute(
                insert.replace("max", "plan, max").replace("'SELECT 1', ", "'SELECT 1', now() + interval '5 s', "));
        bench.execute("CHECKPOINT");
        while (bench.value(Boolean.class, "SELECT EXISTS (SELECT FROM task WHERE state = 'PLAN')"))
            Bench.pause(Duration.ofMillis(100));
        bench.settle();
        return bench.usage().minus(before).walBytes();
    }

    /** The same rows into a table of the same kind that no scheduler serves. */
    private static long insertedBytes(Bench bench) throws Exception {
        bench.execute("DROP TABLE IF EXISTS unserved");
        bench.execute("CREATE TABLE unserved (LIKE task INCLUDING ALL)");
        String lsn = "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint";
        long before = bench.value(Long.class, lsn);
        bench.execute(
                TaskScenarios.trivial("group", TASKS, Throughput.MAX, false).replace("INTO task", "INTO unserved"));
        long used = bench.value(Long.class, lsn) - before;
        bench.execute("DROP TABLE unserved");
        return used;
    }
}
