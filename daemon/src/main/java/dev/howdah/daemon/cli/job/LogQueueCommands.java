package dev.howdah.daemon.cli.job;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.cli.operation.OperationCommands;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.operations.change.LogQueueOperations;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

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
    int list(@Option(names = "--json", description = "Print a JSON object on a line for each.") boolean json) {
        JobQueries.of(command("list"), terminal()).table(json, "command_log_queue_list");
        return 0;
    }
}
