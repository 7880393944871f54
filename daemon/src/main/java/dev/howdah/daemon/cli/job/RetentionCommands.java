package dev.howdah.daemon.cli.job;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.console.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

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
        return commandLine(new RetentionCommands(terminal));
    }

    private JobQueries queries(String command) {
        return JobQueries.of(command(command), terminal());
    }

    @Command(name = "list", description = "List all rules by queue and outcome, and how many jobs each has removed.")
    int list(@Option(names = "--json", description = "Print a JSON object on a line for each.") boolean json) {
        queries("list").table(json, "command_retention_list");
        return 0;
    }

    @Command(name = "put", description = "Store a rule in place of that of its queue and outcome.")
    int put(
            @Parameters(index = "0", paramLabel = "OUTCOME", description = "done, failed or cancelled.") String outcome,
            @Parameters(
                            index = "1",
                            paramLabel = "INTERVAL",
                            description = "How long such jobs are kept; 0 for not at all.")
                    String keep,
            @Option(
                            names = "--queue",
                            paramLabel = "QUEUE",
                            description = "The queue (default: all queues without a rule of their own).")
                    @Nullable
                    String queue,
            @Option(
                            names = "--archive",
                            paramLabel = "NAME",
                            description = "A table, or a function that takes jsonb, for the removed jobs.")
                    @Nullable
                    String archive) {
        queries("put").one("command_retention_put", queue, outcome, keep, archive);
        terminal().out().println("stored");
        return 0;
    }

    @Command(name = "remove", description = "Remove the rule of a queue and outcome.")
    int remove(
            @Parameters(index = "0", paramLabel = "OUTCOME", description = "done, failed or cancelled.") String outcome,
            @Option(
                            names = "--queue",
                            paramLabel = "QUEUE",
                            description = "The queue (default: all queues without a rule of their own).")
                    @Nullable
                    String queue) {
        queries("remove").one("command_retention_put", queue, outcome, null, null);
        terminal().out().println("removed");
        return 0;
    }
}
