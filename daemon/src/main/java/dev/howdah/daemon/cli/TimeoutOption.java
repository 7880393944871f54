package dev.howdah.daemon.cli;

import dev.howdah.daemon.console.CliException;
import picocli.CommandLine.Option;

/** {@code --timeout} of the commands that wait for an answer. */
public final class TimeoutOption {
    private static final int LONGEST = 86_400;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "How long to wait for the answer (default: ${DEFAULT-VALUE}).")
    private int seconds;

    public int seconds() {
        if (seconds < 1 || seconds > LONGEST)
            throw CliException.usage("--timeout has to be from 1 to " + LONGEST + " seconds, not " + seconds);
        return seconds;
    }
}
