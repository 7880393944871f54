package dev.howdah.daemon.cli.job;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of a job that is added: which other jobs are the same, and what happens to the second one. */
final class UniqueOptions {
    @Option(
            names = "--unique",
            paramLabel = "BY",
            description = "Which jobs are the same: key (those with the --key) or payload.")
    private @Nullable String by;

    @Option(
            names = "--while",
            paramLabel = "STATE",
            description = "For how long: unfinished (while one waits or runs, the default) or waiting.")
    private @Nullable String state;

    @Option(
            names = "--within",
            paramLabel = "INTERVAL",
            description = "Also for so long after the first one was added, such as '1 hour'.")
    private @Nullable String within;

    @Option(
            names = "--then",
            paramLabel = "ACTION",
            description =
                    "What happens to the second one: skip (the default), replace, push-back (replace, and start later), append (its elements to the payload of the first) or run-last (at the end of --within).")
    private @Nullable String then;

    @Option(
            names = "--longest",
            paramLabel = "INTERVAL",
            description = "With --then push-back: start not later than so long after the first one was added.")
    private @Nullable String longest;

    @Option(names = "--most", paramLabel = "N", description = "With --then append: how many elements at most.")
    private @Nullable Integer most;

    /** The option {@code unique} of {@code howdah.add}; null: none of them is given. */
    @Nullable
    Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        put(fields, "by", by);
        put(fields, "while", state);
        put(fields, "within", within);
        put(fields, "then", then == null ? null : then.replace('-', '_'));
        put(fields, "longest", longest);
        put(fields, "most", most);
        return fields.isEmpty() ? null : fields;
    }

    private static void put(Map<String, Object> fields, String name, @Nullable Object value) {
        if (value != null) fields.put(name, value);
    }
}
