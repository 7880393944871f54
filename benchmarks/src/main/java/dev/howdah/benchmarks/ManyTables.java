package dev.howdah.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What a minute of nothing costs with 100 tables in 20 databases: the daemon that serves, and then one that stands by. */
final class ManyTables implements Scenario {
    private static final int DATABASES = 20;
    private static final int TABLES = 5;
    private static final Duration SETTLED = Duration.ofSeconds(25); // sessions that are not needed are closed after ten
    private static final Duration WATCHED = Duration.ofSeconds(60);

    @Override
    public String name() {
        return "tables";
    }

    /** One of the tables is that of the other scenarios. */
    @Override
    public Daemon.Needs needs() {
        List<String> entries = new ArrayList<>();
        for (int d = 0; d < DATABASES; d++)
            for (int t = 0; t < TABLES; t++)
                entries.add("{\"data\":\"" + (d == 0 ? "postgres" : "d" + d)
                        + "\",\"user\":\"postgres\",\"table\":\"task" + (t == 0 ? "" : t) + "\"}");
        return new Daemon.Needs(List.of("--tables", "[" + String.join(",", entries) + "]"), Map.of());
    }

    @Override
    public void run(Bench bench) throws Exception {
        bench.clear();
        Figures alone = watch(bench, bench.daemon().figures());
        bench.print("serves alone", 1, alone);
        try (SecondDaemon second = bench.daemon().second()) {
            Figures both = watch(bench, second.figures());
            both.put("added_transactions", both.get("transactions") - alone.get("transactions"));
            both.put("added_connections", both.get("connections") - alone.get("connections"));
            bench.print("stands by", 1, both);
        }
    }

    /** Transactions and connections are those of all daemons, the rest is that process's. */
    private static Figures watch(Bench bench, ProcessFigures process) throws Exception {
        Bench.pause(SETTLED);
        String commits = "SELECT sum(xact_commit)::bigint FROM pg_stat_database";
        long before = bench.value(Long.class, commits);
        double seconds = process.cpuSeconds();
        Usage usage = bench.usage();
        Bench.pause(WATCHED);
        Usage used = bench.usage().minus(usage);
        double daemon = process.cpuSeconds() - seconds;
        Figures figures = new Figures();
        figures.put("seconds", WATCHED.toSeconds());
        // Our own questions: the first of them, and two about the log.
        figures.put("transactions", bench.value(Long.class, commits) - before - 3);
        figures.put(
                "connections",
                bench.value(
                        Long.class,
                        "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
                                + " AND pid <> pg_backend_pid()"));
        figures.put("daemon_cpu_percent", 100 * daemon / WATCHED.toSeconds());
        figures.put("server_cpu_percent", 100 * used.serverSeconds() / WATCHED.toSeconds());
        figures.put("resident_mb", process.residentMegabytes());
        figures.put("threads", process.threads());
        return figures;
    }
}
