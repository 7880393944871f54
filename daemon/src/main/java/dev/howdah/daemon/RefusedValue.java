package dev.howdah.daemon;

import dev.howdah.daemon.console.CliException;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** A time, an interval or a number of an option that the server cannot read: wrong usage, and the option is named. */
final class RefusedValue {
    /** Invalid text, invalid or overflowing time, number out of range. */
    private static final Set<String> UNREADABLE = Set.of("22P02", "22007", "22008", "22003", "22015", "22023");

    private RefusedValue() {}

    /** The failure itself, unless it is about the value of one option. */
    static CliException of(CliException failure, @Nullable ParseResult result) {
        if (!(failure.getCause() instanceof SQLException e)
                || e.getSQLState() == null
                || !UNREADABLE.contains(e.getSQLState())) return failure;
        ParseResult command = result;
        while (command != null && command.hasSubcommand()) command = command.subcommand();
        if (command == null) return failure;
        String message = String.valueOf(failure.getMessage());
        for (OptionSpec each : command.matchedOptions())
            for (String value : each.originalStringValues())
                if (message.contains('"' + value + '"'))
                    return CliException.usage(each.longestName() + ": " + message, e);
        return failure;
    }
}
