package dev.howdah.daemon.cli;

import dev.howdah.daemon.console.CliException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --timeout} of the commands that wait for an answer. */
public final class TimeoutOption {
    private static final int LONGEST = 86_400;
    private static final int USUAL = 60;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description = "How long to wait for the answer (default: " + USUAL + ").")
    private @Nullable Integer given;

    /** Returns whether the command line has it. */
    public boolean isGiven() {
        return given != null;
    }

    /** @throws CliException if it is out of bounds */
    public Duration time() {
        return Duration.ofSeconds(seconds());
    }

    /** @throws CliException if it is out of bounds */
    public int seconds() {
        int seconds = given == null ? USUAL : given;
        if (seconds < 1 || seconds > LONGEST)
            throw CliException.usage("--timeout has to be from 1 to " + LONGEST + " seconds, not " + seconds);
        return seconds;
    }
}
