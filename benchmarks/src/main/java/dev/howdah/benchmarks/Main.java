package dev.howdah.benchmarks;

import java.util.List;

/** {@code Main LAUNCHER tasks [scenario...]}: runs the scenarios of a door, all of them if none is named. */
final class Main {
    private Main() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length < 2 || !arguments[1].equals("tasks")) {
            System.err.println("usage: benchmarks/run tasks [" + String.join("|", TaskFigures.SCENARIOS) + "]...");
            System.exit(2);
        }
        List<String> scenarios = List.of(arguments).subList(2, arguments.length);
        for (String scenario : scenarios) {
            if (TaskFigures.SCENARIOS.contains(scenario)) continue;
            System.err.println("no scenario " + scenario + ", only " + String.join(", ", TaskFigures.SCENARIOS));
            System.exit(2);
        }
        try (Daemon daemon = Daemon.start(arguments[0])) {
            new TaskFigures(daemon).measure(scenarios.isEmpty() ? TaskFigures.SCENARIOS : scenarios);
        }
    }
}
