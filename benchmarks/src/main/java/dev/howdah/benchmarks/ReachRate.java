package dev.howdah.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Tasks that reach a server of this process, or make documents: how many a second, 20 at once, with a heap of 256 MiB. */
final class ReachRate implements Scenario {
    private static final int AT_ONCE = 20;

    private final String name;
    private final ReachedServers servers;
    private final int tasks;
    private final String columns;
    private final String values;

    /**
     * @param columns of the row, each task's values of them as SQL with {@code i} as its number
     */
    ReachRate(String name, ReachedServers servers, int tasks, String columns, String values) {
        this.name = name;
        this.servers = servers;
        this.tasks = tasks;
        this.columns = columns;
        this.values = values;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Daemon.Needs needs() {
        return needs(servers);
    }

    static Daemon.Needs needs(ReachedServers servers) {
        return new Daemon.Needs(
                List.of(
                        "--sessions",
                        Integer.toString(AT_ONCE),
                        "--console",
                        "off",
                        "--reach",
                        servers.settings().toString(),
                        "--allow",
                        servers.places()),
                java.util.Map.of("pg_task.functions", "on"));
    }

    /** An INSERT of so many of its tasks. */
    String insert(int many) {
        return "INSERT INTO task (\"group\", max, timeout, " + columns + ") SELECT '" + name + "', 1000, '2 minutes', "
                + values + " FROM generate_series(1, " + many + ") i";
    }

    int tasks() {
        return tasks;
    }

    @Override
    public void run(Bench bench) throws Exception {
        ReachTemplates.make(bench);
        bench.drain(name, insert(tasks / 4));
        List<Figures> all = new ArrayList<>();
        for (int round = 1; round <= bench.rounds(); round++) {
            bench.clear();
            servers.forget();
            double helpers = bench.daemon().helperSeconds();
            Bench.Drain drain = bench.drain(name, insert(tasks));
            Figures figures = drain.figures();
            figures.put("helper_cpu_us", (bench.daemon().helperSeconds() - helpers) * 1e6 / drain.tasks());
            figures.put("daemon_mb", bench.daemon().figures().residentMegabytes());
            figures.put("load", load());
            bench.print("20 at once", round, figures);
            all.add(figures);
        }
        bench.print("20 at once", 0, Figures.medians(all));
    }

    /** How busy the machine is, by all that runs on it. */
    static double load() throws java.io.IOException {
        return Double.parseDouble(Files.readString(Path.of("/proc/loadavg")).split(" ")[0]);
    }
}
