package dev.howdah.daemon.cli.job;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.cli.ListOptions;
import dev.howdah.daemon.cli.operation.OperationCommands;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.operations.change.LimitOperations;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code howdah job limit}: limits of queues, kinds and groups of jobs. */
@Command(
        name = "limit",
        description =
                "Limit how many jobs run at a time or begin within a period, share a queue between groups; list and remove limits.",
        synopsisSubcommandLabel = "COMMAND")
final class LimitCommands extends CommandGroup {
    private LimitCommands(Terminal terminal) {
        super(terminal);
    }

    static CommandLine commandLine(Terminal terminal) {
        CommandLine line = new CommandLine(new LimitCommands(terminal));
        OperationCommands.add(line, "job limit", terminal, LimitOperations.ALL);
        return withDatabase(line);
    }

    @Command(name = "list", description = "List all limits, rates, shares and ageings.")
    int list(@Mixin ListOptions options) {
        return JobQueries.of(command("list"), terminal()).list(options, "command_limit_list");
    }
}
