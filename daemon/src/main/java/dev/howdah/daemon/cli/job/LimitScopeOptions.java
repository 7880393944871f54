package dev.howdah.daemon.cli.job;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The jobs of a queue that a limit is for. */
final class LimitScopeOptions {
    @Option(names = "--kind", paramLabel = "KIND", description = "For the jobs of this kind.")
    @Nullable
    String kind;

    @Option(names = "--group", paramLabel = "GROUP", description = "For the jobs of this group.")
    @Nullable
    String group;

    @Option(names = "--each-group", description = "For each group that has no such limit of its own.")
    boolean eachGroup;

    /** Returns whether none was given. */
    boolean isWholeQueue() {
        return kind == null && group == null && !eachGroup;
    }
}
