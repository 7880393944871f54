package dev.howdah.daemon.cli.process;

import dev.howdah.daemon.console.CliException;
import dev.howdah.process.ProcessStatus;
import dev.howdah.process.query.ProcessQuery;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of a change of all processes of a namespace that meet a filter. */
final class ProcessFilterOptions {
    @Option(
            names = "--all",
            description = "All processes that meet the filter, one by one, by the nodes that work on them.")
    private boolean all;

    @Option(names = "--dry-run", description = "With --all: only count them.")
    private boolean dryRun;

    @Option(
            names = "--status",
            paramLabel = "STATUS",
            description = "With --all: only processes with this status: init, running or error.")
    private @Nullable ProcessStatus status;

    @Option(names = "--prefix", paramLabel = "TEXT", description = "With --all: only processes whose ids begin so.")
    private @Nullable String prefix;

    boolean isAll() {
        return all;
    }

    boolean isDryRun() {
        return dryRun;
    }

    /**
     * The processes of a namespace that meet the filter.
     *
     * @param only the one status for which the change is; null: any
     * @throws CliException if another one was given
     */
    ProcessQuery in(String namespace, @Nullable ProcessStatus only) {
        if (only != null && status != null && status != only)
            throw CliException.usage("--status " + word(status) + ": it has to be " + word(only));
        ProcessQuery query = ProcessQuery.of(namespace).status(only == null ? status : only);
        return prefix == null ? query : query.prefix(prefix);
    }

    private static String word(ProcessStatus status) {
        return status.name().toLowerCase(Locale.ROOT);
    }

    /** @throws CliException if something was given that is for {@code --all} only */
    void checkOne() {
        if (dryRun || status != null || prefix != null)
            throw CliException.usage("--dry-run, --status and --prefix are for --all");
    }
}
