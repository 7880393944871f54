package dev.howdah.daemon.cli.job;

import dev.howdah.daemon.console.CliException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which jobs a command is for: the options that lists and changes of many jobs have in common. */
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

    /** Queue, kind, key, error, payload, from and until. */
    @Nullable
    Object[] values() {
        return new @Nullable Object[] {queue, kind, key, error, payload, from, until};
    }

    /** The tags, for an array of the database; null: any. */
    String @Nullable [] tags() {
        return tags.isEmpty() ? null : tags.toArray(String[]::new);
    }

    boolean isEmpty() {
        if (!tags.isEmpty()) return false;
        for (Object each : values()) if (each != null) return false;
        return true;
    }

    /** The state in small letters, if it is one of these. */
    static String state(String given, String... known) {
        String state = given.toLowerCase(Locale.ROOT);
        for (String each : known) if (each.equals(state)) return state;
        throw CliException.usage("--state " + given + ": it has to be " + (known.length > 1 ? "one of " : "")
                + String.join(", ", known));
    }
}
