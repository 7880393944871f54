package dev.howdah.daemon.cli.operation;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.operations.Operation;
import dev.howdah.operations.list.ListModel;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;

/** Makes commands of declared lists: what they belong to is an argument, filters are options. */
public final class ListCommands {
    private ListCommands() {}

    /** Adds the command of a list to its group. */
    public static void add(CommandLine to, Terminal terminal, ListModel<?>... lists) {
        for (ListModel<?> each : lists) {
            List<String> words = each.command();
            String name = words.get(words.size() - 1);
            if (CommandGroup.needs(to, name)) to.addSubcommand(name, command(each, terminal));
        }
    }

    /** The command of a list by itself. */
    public static CommandSpec command(ListModel<?> list, Terminal terminal) {
        return new ListCommand<>(list, terminal).command();
    }

    /** A group of commands that has lists, and else only operations. */
    public static CommandLine group(
            Terminal terminal, String words, String description, List<Operation> operations, ListModel<?>... lists) {
        CommandLine line = new CommandLine(new Group(terminal));
        line.getCommandSpec().name(words.substring(words.lastIndexOf(' ') + 1));
        line.getCommandSpec().usageMessage().description(description);
        add(line, terminal, lists);
        OperationCommands.add(line, words, terminal, operations);
        return CommandGroup.withDatabase(line);
    }

    /** A group that has no command of its own. */
    @Command(synopsisSubcommandLabel = "COMMAND")
    private static final class Group extends CommandGroup {
        Group(Terminal terminal) {
            super(terminal);
        }
    }
}
