package dev.howdah.benchmarks.faults;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;

/** {@code benchmarks/run faults}: runs scenarios one after the other, each prints one line of JSON. */
public final class Faults {
    /** What can be written behind {@code benchmarks/run}. */
    public static final String USAGE =
            "faults [" + Scenario.names("|") + "|jobs]... [--short] [--seed N] [--rounds N | --seconds N]";

    private static final String JOBS = "jobs";
    private static final int JOBS_SECONDS = 300;

    private Faults() {}

    /** The history of jobs under fire: see {@link JobFaults}. */
    private static int jobs(List<String> arguments) throws Exception {
        Options options = Options.parse(arguments);
        Integer amount = options.amount();
        try (JobFaults faults = JobFaults.open(options.seed())) {
            Map<String, Object> line =
                    faults.play(amount != null ? amount : JOBS_SECONDS / (options.shortly() ? 5 : 1));
            System.out.println(new ObjectMapper().writeValueAsString(line));
            boolean kept = String.valueOf(line.get("complaints")).equals("[]");
            if (!kept) System.err.println("jobs: logs and data are in " + faults.directory());
            return kept ? 0 : 1;
        }
    }

    /** The exit code: 0 if every promise was kept, 1 if one was not, 2 for a mistake on the command line. */
    public static int run(String launcher, List<String> arguments) throws Exception {
        Options options;
        try {
            if (!arguments.isEmpty() && arguments.get(0).equals(JOBS))
                return jobs(arguments.subList(1, arguments.size()));
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
