package dev.howdah.daemon.cli.job;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.cli.ListOptions;
import dev.howdah.daemon.cli.operation.OperationCommands;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.operations.change.LogQueueOperations;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code howdah job log-queue}: queues whose jobs are entries of a log, and their readers. */
@Command(
        name = "log-queue",
        description = "Create log queues; list, add, move and drop their readers.",
        synopsisSubcommandLabel = "COMMAND")
final class LogQueueCommands extends CommandGroup {
    private LogQueueCommands(Terminal terminal) {
        super(terminal);
    }

    static CommandLine commandLine(Terminal terminal) {
        CommandLine line = new CommandLine(new LogQueueCommands(terminal));
        OperationCommands.add(line, "job log-queue", terminal, LogQueueOperations.ALL);
        return withDatabase(line);
    }

    @Command(name = "list", description = "List the readers of all log queues, and how many entries wait for each.")
    int list(@Mixin ListOptions options) {
        return JobQueries.of(command("list"), terminal()).list(options, "command_log_queue_list");
    }
}
