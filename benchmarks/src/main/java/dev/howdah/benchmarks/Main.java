package dev.howdah.benchmarks;

import dev.howdah.benchmarks.console.ConsoleBenchmark;
import dev.howdah.benchmarks.faults.Faults;
import dev.howdah.benchmarks.process.ProcessBenchmark;
import dev.howdah.benchmarks.scaling.ScalingReport;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * {@code Main LAUNCHER DOOR [--rounds N] [scenario...]}: runs the scenarios of a door, all of them if none is named.
 * {@code Main LAUNCHER processes ...}: the figures of processes. {@code Main LAUNCHER faults ...}: does it harm.
 */
final class Main {
    private static final Map<String, List<Scenario>> DOORS =
            new TreeMap<>(Map.of("tasks", TaskScenarios.ALL, "jobs", JobScenarios.ALL));

    private Main() {}

    public static void main(String[] arguments) throws Exception {
        List<String> words = new ArrayList<>(List.of(arguments));
        String launcher = words.remove(0);
        String kind = words.isEmpty() ? "" : words.remove(0);
        if (kind.equals("console")) {
            int jobs = number(words, "--rows", "[1-9]\\d{5,7}", 10_000_000);
            String data = word(words, "--data");
            if (!ConsoleBenchmark.PARTS.containsAll(words)) fail();
            ConsoleBenchmark.run(launcher, words, jobs, data == null ? null : Path.of(data));
            return;
        }
        if (kind.equals("scaling")) {
            System.out.print(ScalingReport.text(Path.of("benchmarks/results/scaling.jsonl")));
            return;
        }
        if (kind.equals("faults")) System.exit(Faults.run(launcher, words));
        int rounds = number(words, "--rounds", "[1-9]\\d{0,2}", 3);
        if (kind.equals("processes")) {
            if (!ProcessBenchmark.SCENARIOS.containsAll(words)) fail();
            ProcessBenchmark.run(words, rounds);
            return;
        }
        if (kind.equals("reach")) {
            if (!ReachScenarios.NAMES.containsAll(words)) fail();
            try (ReachedServers servers = new ReachedServers()) {
                run(launcher, ReachScenarios.of(servers), words, rounds);
            }
            return;
        }
        List<Scenario> all = kind.equals("sweeps")
                ? SweepScenarios.of(number(words, "--rows", "[1-9]\\d{3,7}", 1_000_000))
                : DOORS.getOrDefault(kind, List.of());
        if (all.isEmpty()) fail();
        for (String word : words) if (all.stream().noneMatch(each -> each.name().equals(word))) fail();
        run(launcher, all, words, rounds);
    }

    /** Runs those that are named, or all. */
    private static void run(String launcher, List<Scenario> all, List<String> words, int rounds) throws Exception {
        List<Scenario> chosen = all.stream()
                .filter(each -> words.isEmpty() || words.contains(each.name()))
                .toList();
        Set<Daemon.Needs> needs =
                chosen.stream().map(Scenario::needs).collect(Collectors.toCollection(LinkedHashSet::new));
        for (Daemon.Needs each : needs) {
            try (Daemon daemon = Daemon.start(launcher, each)) {
                if (all == TaskScenarios.ALL) warmUp(daemon);
                for (Scenario scenario : chosen) if (scenario.needs().equals(each)) run(scenario, daemon, rounds);
            }
        }
    }

    /** Takes an option and its value out of the words; null: it is not there. */
    private static @Nullable String word(List<String> words, String option) {
        int at = words.indexOf(option);
        if (at < 0 || at + 1 >= words.size()) return null;
        String value = words.get(at + 1);
        words.subList(at, at + 2).clear();
        return value;
    }

    /** Takes an option and its value out of the words. */
    private static int number(List<String> words, String option, String form, int otherwise) {
        int at = words.indexOf(option);
        if (at < 0) return otherwise;
        if (at + 1 >= words.size() || !words.get(at + 1).matches(form)) fail();
        int value = Integer.parseInt(words.get(at + 1));
        words.subList(at, at + 2).clear();
        return value;
    }

    private static void run(Scenario scenario, Daemon daemon, int rounds) throws Exception {
        try (Connection connection = daemon.database().connect()) {
            scenario.run(new Bench(daemon, connection, scenario.name(), rounds));
        }
    }

    /** A daemon that has just started has not compiled its own code yet. */
    private static void warmUp(Daemon daemon) throws Exception {
        try (Connection connection = daemon.database().connect()) {
            Bench bench = new Bench(daemon, connection, "warm-up", 1);
            for (int i = 0; i < 5; i++) {
                bench.clear();
                bench.drain("warm-up", TaskScenarios.trivial("warm-up", 2_000, 4, i % 2 == 0));
            }
        }
    }

    private static void fail() {
        System.err.println("usage:");
        DOORS.forEach((door, scenarios) -> System.err.println("  benchmarks/run " + door + " [--rounds N] ["
                + scenarios.stream().map(Scenario::name).collect(Collectors.joining("|")) + "]..."));
        System.err.println(
                "  benchmarks/run processes [--rounds N] [" + String.join("|", ProcessBenchmark.SCENARIOS) + "]...");
        System.err.println(
                "  benchmarks/run sweeps [--rounds N] [--rows N] [" + String.join("|", SweepScenarios.NAMES) + "]...");
        System.err.println("  benchmarks/run reach [--rounds N] [" + String.join("|", ReachScenarios.NAMES) + "]...");
        System.err.println("  benchmarks/run scaling");
        System.err.println("  benchmarks/run console [--rows N] [--data DIR] ["
                + String.join("|", ConsoleBenchmark.PARTS) + "]...");
        System.err.println("  benchmarks/run " + Faults.USAGE);
        System.exit(2);
    }
}
