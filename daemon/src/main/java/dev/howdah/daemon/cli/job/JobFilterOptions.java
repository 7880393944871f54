package dev.howdah.daemon.cli.job;

import dev.howdah.daemon.console.CliException;
import dev.howdah.job.query.JobOrder;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The filter of jobs: the options that lists and changes of many jobs have in common. */
final class JobFilterOptions {
    @Option(names = "--queue", paramLabel = "QUEUE", description = "Only those of this queue.")
    private @Nullable String queue;

    @Option(names = "--kind", paramLabel = "KIND", description = "Only those of this kind.")
    private @Nullable String kind;

    @Option(names = "--key", paramLabel = "KEY", description = "Only those with this key.")
    private @Nullable String key;

    @Option(names = "--error", paramLabel = "TEXT", description = "Only those whose error contains this text.")
    private @Nullable String error;

    @Option(names = "--payload", paramLabel = "JSON", description = "Only those whose payload contains this JSON.")
    private @Nullable String payload;

    @Option(names = "--tag", paramLabel = "TAG", description = "Only those with this tag; may be given again.")
    private List<String> tags = List.of();

    @Option(names = "--metadata", paramLabel = "JSON", description = "Only those whose metadata contain this object.")
    private @Nullable String metadata;

    @Option(
            names = "--from",
            paramLabel = "TIME",
            description = "Only those that ended, or are due, at this time or later.")
    private @Nullable String from;

    @Option(
            names = "--until",
            paramLabel = "TIME",
            description = "Only those that ended, or are due, before this time.")
    private @Nullable String until;

    /** What was given, by the names of the options. */
    Map<String, String> texts() {
        Map<String, String> texts = new LinkedHashMap<>();
        put(texts, "queue", queue);
        put(texts, "kind", kind);
        put(texts, "key", key);
        put(texts, "error", error);
        put(texts, "payload", payload);
        put(texts, "metadata", metadata);
        put(texts, "from", from);
        put(texts, "until", until);
        if (!tags.isEmpty()) texts.put("tags", String.join(", ", tags));
        return texts;
    }

    private static void put(Map<String, String> texts, String name, @Nullable String text) {
        if (text != null) texts.put(name, text);
    }

    /**
     * The query of these jobs; the database reads its times.
     *
     * @param day of what is done; null: any
     */
    JobQuery in(JobState state, @Nullable String day, JobQueries queries) {
        try {
            return queries.times(
                    from,
                    until,
                    day,
                    (since, before, on) -> new JobQuery(
                            state,
                            queue,
                            kind,
                            key,
                            error,
                            null,
                            payload,
                            tags,
                            metadata,
                            null,
                            since,
                            before,
                            on,
                            JobOrder.NEWEST,
                            1,
                            null));
        } catch (IllegalArgumentException e) {
            throw CliException.usage(String.valueOf(e.getMessage()));
        }
    }

    /** The state of that name, if it is one of these. */
    static JobState state(String given, JobState... known) {
        for (JobState each : known) if (name(each).equals(given.toLowerCase(Locale.ROOT))) return each;
        throw CliException.usage("--state " + given + ": it has to be " + (known.length > 1 ? "one of " : "")
                + Stream.of(known).map(JobFilterOptions::name).collect(Collectors.joining(", ")));
    }

    /** What is printed for a constant of the library. */
    static String name(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
