package dev.howdah.daemon.cli;

import dev.howdah.daemon.console.CliException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options {@code --from} and {@code --to} of the commands that print a schema. */
public final class SchemaVersions {
    @Option(
            names = "--from",
            paramLabel = "VERSION",
            description = "The version that the tables have, 0 for none; with --to.")
    private @Nullable Integer from;

    @Option(
            names = "--to",
            paramLabel = "VERSION",
            description = "The version that the tables are to have; with --from.")
    private @Nullable Integer to;

    /** Makes the SQL that leads from a version to another one. */
    @FunctionalInterface
    public interface Steps {
        String text(int from, int to);
    }

    /** The SQL of the steps that are asked for, or else of all tables. */
    public String text(Supplier<String> all, Steps steps) {
        if (from == null && to == null) return all.get();
        if (from == null || to == null) throw CliException.usage("--from and --to belong together");
        try {
            return steps.text(from, to);
        } catch (IllegalArgumentException e) {
            throw CliException.usage(String.valueOf(e.getMessage()));
        }
    }
}
