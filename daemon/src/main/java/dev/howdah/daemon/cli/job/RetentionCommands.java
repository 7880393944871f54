package dev.howdah.daemon.cli.job;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.cli.ListOptions;
import dev.howdah.daemon.cli.operation.OperationCommands;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.operations.change.RetentionOperations;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code howdah job retention}: retention of ended jobs. */
@Command(
        name = "retention",
        description = "List, put and remove rules for how long jobs that have ended are kept.",
        synopsisSubcommandLabel = "COMMAND")
final class RetentionCommands extends CommandGroup {
    private RetentionCommands(Terminal terminal) {
        super(terminal);
    }

    static CommandLine commandLine(Terminal terminal) {
        CommandLine line = new CommandLine(new RetentionCommands(terminal));
        OperationCommands.add(line, "job retention", terminal, RetentionOperations.ALL);
        return withDatabase(line);
    }

    @Command(name = "list", description = "List all rules by queue and outcome, and how many jobs each has removed.")
    int list(@Mixin ListOptions options) {
        return JobQueries.of(command("list"), terminal()).list(options, "command_retention_list");
    }
}
