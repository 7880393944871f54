package dev.howdah.daemon.cli.job;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.cli.ListOptions;
import dev.howdah.daemon.cli.operation.OperationCommands;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.operations.Operation;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** A group below {@code howdah job} that has a list, and else only operations. */
@Command(synopsisSubcommandLabel = "COMMAND")
final class JobListGroup extends CommandGroup {
    private final String statement;

    private JobListGroup(Terminal terminal, String statement) {
        super(terminal);
        this.statement = statement;
    }

    /**
     * Makes the commands of a group.
     *
     * @param name of the group
     * @param statement that reads its list
     * @param description of the group
     * @param listed the description of its list
     */
    static CommandLine commandLine(
            Terminal terminal,
            String name,
            String statement,
            String description,
            String listed,
            List<Operation> operations) {
        JobListGroup group = new JobListGroup(terminal, statement);
        CommandLine line = new CommandLine(group);
        line.getCommandSpec().name(name).usageMessage().description(description);
        group.command("list").usageMessage().description(listed);
        OperationCommands.add(line, "job " + name, terminal, operations);
        return withDatabase(line);
    }

    @Command(name = "list")
    int list(@Mixin ListOptions options) {
        return JobQueries.of(command("list"), terminal()).list(options, statement);
    }
}
