package dev.howdah.daemon.cli;

import dev.howdah.daemon.console.CliException;
import picocli.CommandLine.Option;

/** {@code --limit} of the commands that list. */
public final class LimitOption {
    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "20",
            description = "Maximum number of rows (default: ${DEFAULT-VALUE}).")
    private int rows;

    /** How many. */
    public int rows() {
        if (rows < 1) throw CliException.usage("--limit has to be 1 or more, not " + rows);
        return rows;
    }
}
