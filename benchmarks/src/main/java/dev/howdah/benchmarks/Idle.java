package dev.howdah.benchmarks;

import java.time.Duration;

/** What an idle daemon costs. */
final class Idle implements Scenario {
    private static final Duration WATCHED = Duration.ofSeconds(60);

    @Override
    public String name() {
        return "idle";
    }

    @Override
    public void run(Bench bench) throws Exception {
        bench.clear();
        Bench.pause(Duration.ofSeconds(25)); // sessions that are not needed are closed after ten seconds
        String commits = "SELECT pg_stat_get_db_xact_commit(oid) FROM pg_database WHERE datname = current_database()";
        Usage usage = bench.usage();
        long before = bench.value(Long.class, commits);
        Bench.pause(WATCHED);
        long after = bench.value(Long.class, commits);
        Usage used = bench.usage().minus(usage);
        Figures figures = new Figures();
        figures.put("seconds", WATCHED.toSeconds());
        figures.put("transactions", after - before - 1); // the first question is counted in the second
        figures.put("daemon_cpu_percent", 100 * used.daemonSeconds() / WATCHED.toSeconds());
        figures.put("server_cpu_percent", 100 * used.serverSeconds() / WATCHED.toSeconds());
        figures.put("resident_mb", bench.daemon().figures().residentMegabytes());
        bench.print("idle", 1, figures);
    }
}
