package dev.howdah.benchmarks.scaling;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The tables of {@code docs/scaling.md}: what they say is computed here, from the costs that were measured. */
public final class ScalingReport {
    /** A server that is busier than this has no room for checkpoints, vacuum and a bad day. */
    private static final double USED = 0.7;

    private static final int CORES = 16;
    private static final double JOBS_PER_SECOND = 1_000;
    private static final double SECONDS = 20;

    /** As the library says in its first line of the log. */
    private static final int SESSIONS = 4;

    private final MeasuredCosts measured;
    private final ServerCosts costs;

    ScalingReport(MeasuredCosts measured) {
        this.measured = measured;
        this.costs = measured.costs();
    }

    /**
     * All of them, as the page has them.
     *
     * @param results the lines of {@code benchmarks/run jobs clients node-costs}
     */
    public static String text(Path results) throws IOException {
        ScalingReport report = new ScalingReport(new MeasuredCosts(results));
        return String.join("\n", report.inputs(), report.checked(), report.carries(), report.nodes(), report.divided());
    }

    /** The costs that all others are computed from. */
    String inputs() {
        return "| what | processor time of the server |\n| --- | --- |\n"
                + line("| a job added in steps of 5,000 | %.1f µs |\n", costs.add())
                + line("| a job claimed and settled in batches | %.1f µs |\n", costs.work())
                + line("| a job added, claimed and settled alone | %,.0f µs |\n", costs.single())
                + line("| a node that starts | %,.0f ms |\n", costs.start() / 1e3)
                + line("| a node that has nothing to do, each second | %.1f ms |\n", costs.idle() / 1e3)
                + line("| a look for dead nodes | %.0f µs |\n", costs.watch())
                + line(
                        "| a notification | %.0f µs and %.0f µs for each session that listens |\n",
                        costs.ring(), costs.heard());
    }

    /** The model beside what was measured. */
    String checked() {
        StringBuilder text = new StringBuilder("| client processes | server, s measured | by the model | ratio |"
                + " clients, s measured | jobs/s |\n| --- | --- | --- | --- | --- | --- |\n");
        for (int processes : MeasuredCosts.PROCESSES) {
            double seen = measured.drainSeconds(processes);
            double expected = measured.expectedSeconds(processes);
            text.append(line(
                    "| %d | %.2f | %.2f | %.2f | %.2f | %,.0f |\n",
                    processes,
                    seen,
                    expected,
                    seen / expected,
                    measured.clientSeconds(processes),
                    rounded(measured.jobsPerSecond(processes))));
        }
        return text.toString();
    }

    private static String line(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    /** What a server carries. */
    String carries() {
        StringBuilder text =
                new StringBuilder("| cores of the server | jobs/s in batches | log, MB/s | jobs/s one by one |\n"
                        + "| --- | --- | --- | --- |\n");
        for (int cores : List.of(2, 4, 8, 16, 32)) {
            double bulk = cores * USED * 1e6 / (costs.add() + costs.work());
            double single = cores * USED * 1e6 / costs.single();
            text.append(line(
                    "| %d | %,.0f | %,.0f | %,.0f |\n",
                    cores, rounded(bulk), bulk * costs.bulkWal() / 1e6, rounded(single)));
        }
        return text.toString();
    }

    /** What nodes cost the server that work one database. */
    String nodes() {
        StringBuilder text = new StringBuilder(
                "| nodes | sessions | memory of sessions, GB | cores for looking after each other | cores for ringing |"
                        + " cores in all | p50, p99 in ms |\n| --- | --- | --- | --- | --- | --- | --- |\n");
        for (int nodes : List.of(10, 100, 300, 1_000, 3_000, 10_000))
            text.append(line("| %,d | %s\n", nodes, cells(nodes, JOBS_PER_SECOND)));
        return text.toString();
    }

    /** What ten thousand nodes cost each of several servers. */
    String divided() {
        StringBuilder text = new StringBuilder(
                "| databases | sessions | memory of sessions, GB | cores for looking after each other | cores for ringing |"
                        + " cores in all | p50, p99 in ms |\n| --- | --- | --- | --- | --- | --- | --- |\n");
        for (int databases : List.of(1, 4, 16, 64))
            text.append(line("| %d | %s\n", databases, cells(10_000 / databases, JOBS_PER_SECOND / databases)));
        return text.toString();
    }

    private String cells(int nodes, double jobsPerSecond) {
        DatabaseSimulation.Result seen = DatabaseSimulation.run(costs, CORES, nodes, jobsPerSecond, SECONDS);
        boolean late = seen.busy() > CORES * 0.99;
        int sessions = nodes * SESSIONS;
        return line(
                "%,d | %.1f | %.2f | %s | %s | %s |",
                sessions,
                sessions * costs.sessionMegabytes() / 1024,
                seen.watching(),
                late ? "" : line("%.2f", seen.ringing()),
                late ? "more than " + CORES : line("%.2f", seen.busy()),
                late ? "falls behind" : line("%.1f, %.1f", seen.p50(), seen.p99()));
    }

    /** To two digits: the costs are no more exact. */
    private static double rounded(double value) {
        double unit = Math.pow(10, Math.floor(Math.log10(value)) - 1);
        return Math.round(value / unit) * unit;
    }
}
