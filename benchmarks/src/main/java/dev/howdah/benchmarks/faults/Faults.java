package dev.howdah.benchmarks.faults;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** {@code benchmarks/run faults}: runs scenarios one after the other, each prints one line of JSON. */
public final class Faults {
    /** What can be written behind {@code benchmarks/run}. */
    public static final String USAGE =
            "faults [" + Scenario.names("|") + "|jobs|processes]... [--short] [--seed N] [--rounds N | --seconds N]";

    private static final String JOBS = "jobs";
    private static final int JOBS_SECONDS = 300;
    private static final String PROCESSES = "processes";
    private static final int PROCESSES_KILLS = 50;
    private static final long RECOVERY_MILLIS = 5_000;

    private Faults() {}

    /** The history of jobs under fire: see {@link JobFaults}. */
    private static int jobs(List<String> arguments) throws Exception {
        Options options = Options.parse(arguments);
        Integer amount = options.amount();
        try (JobFaults faults = JobFaults.open(options.seed())) {
            Map<String, Object> line =
                    faults.play(amount != null ? amount : JOBS_SECONDS / (options.shortly() ? 5 : 1));
            return say(JOBS, line, faults.directory());
        }
    }

    /** Processes whose nodes die: see {@link ProcessFaults}. */
    private static int processes(List<String> arguments) throws Exception {
        Options options = Options.parse(arguments);
        Integer amount = options.amount();
        try (ProcessFaults faults = ProcessFaults.open(options.seed())) {
            Map<String, Object> line =
                    faults.play(amount != null ? amount : PROCESSES_KILLS / (options.shortly() ? 5 : 1), true);
            int code = say(PROCESSES, line, faults.directory());
            if (line.get("longest_gap_ms") instanceof Long gap && gap > RECOVERY_MILLIS) {
                System.err.println("processes: one stood still for " + gap + " ms");
                return 1;
            }
            return code;
        }
    }

    private static int say(String scenario, Map<String, Object> line, Path directory) throws IOException {
        System.out.println(new ObjectMapper().writeValueAsString(line));
        boolean kept = String.valueOf(line.get("complaints")).equals("[]");
        if (!kept) System.err.println(scenario + ": logs and data are in " + directory);
        return kept ? 0 : 1;
    }

    /** The exit code: 0 if every promise was kept, 1 if one was not, 2 for a mistake on the command line. */
    public static int run(String launcher, List<String> arguments) throws Exception {
        Options options;
        try {
            if (!arguments.isEmpty() && arguments.get(0).equals(JOBS))
                return jobs(arguments.subList(1, arguments.size()));
            if (!arguments.isEmpty() && arguments.get(0).equals(PROCESSES))
                return processes(arguments.subList(1, arguments.size()));
            options = Options.parse(arguments);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.err.println("usage: benchmarks/run " + USAGE);
            return 2;
        }
        boolean kept = true;
        ObjectMapper json = new ObjectMapper();
        for (Scenario scenario : options.scenarios()) {
            Map<String, Object> line;
            try (Stage stage = Stage.open(launcher, scenario, options)) {
                line = stage.play();
                kept &= stage.complaints().isEmpty();
                stage.complaints().stream()
                        .limit(30)
                        .forEach(each -> System.err.println(scenario.word() + ": " + each));
                if (!stage.complaints().isEmpty())
                    System.err.println(scenario.word() + ": logs and data are in " + stage.directory());
            }
            System.out.println(json.writeValueAsString(line));
        }
        return kept ? 0 : 1;
    }
}
