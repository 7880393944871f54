package dev.howdah.daemon.cli;

import dev.howdah.daemon.console.DidYouMean;
import dev.howdah.daemon.console.Terminal;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Commands below one name, such as {@code howdah job}, which alone does nothing. */
public abstract class CommandGroup implements Runnable {
    private final Terminal terminal;
    private final @Nullable String only;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before run
    private CommandSpec spec;

    public CommandGroup(Terminal terminal) {
        this(terminal, null);
    }

    /** @param only the one command that is needed, since to make all of them takes longer than most of them run; null: all */
    public CommandGroup(Terminal terminal, @Nullable String only) {
        this.terminal = terminal;
        this.only = only;
    }

    /** A group whose commands are methods, of which those that are needed are made. */
    public static CommandLine withMethods(CommandGroup group) {
        CommandLine line = new CommandLine(group);
        for (Method each : CommandLine.getCommandMethods(group.getClass(), null)) {
            String name = each.getAnnotation(Command.class).name();
            if (group.needs(name)) line.addSubcommand(name, new CommandLine(each));
        }
        return line;
    }

    /** Whether a group needs the command of that name; what is no group needs all. */
    public static boolean needs(CommandLine line, String name) {
        return !(line.getCommand() instanceof CommandGroup group) || group.needs(name);
    }

    private boolean needs(String name) {
        return only == null || only.equals(name);
    }

    /** With the settings that name a database. */
    public static CommandLine commandLine(CommandGroup group) {
        return withDatabase(new CommandLine(group));
    }

    /** Gives each command of a group the settings that name a database. */
    public static CommandLine withDatabase(CommandLine group) {
        ConfigurationOptions.addToCommandsOf(group);
        return group;
    }

    @Override
    public final void run() {
        throw new ParameterException(
                spec.commandLine(),
                "a command is missing: " + String.join(", ", spec.subcommands().keySet()));
    }

    public final Terminal terminal() {
        return terminal;
    }

    /** The command of that name. */
    public final CommandSpec command(String name) {
        CommandLine command = spec.subcommands().get(name);
        if (command == null) throw new IllegalArgumentException("no command " + name);
        return command.getCommandSpec();
    }

    /** @throws ParameterException if options of the command above stand before a command */
    public static void refuseOptionsBefore(CommandSpec command) {
        CommandSpec above = command.parent();
        if (above == null) return;
        above.commandLine().getParseResult().matchedOptions().stream()
                .filter(option -> !option.longestName().equals("--verbose"))
                .findFirst()
                .ifPresent(option -> {
                    throw new ParameterException(
                            command.commandLine(),
                            option.longestName() + " belongs behind the command " + command.name());
                });
    }

    /** Says that there is no such command, and which one was probably meant. */
    public static String unknownCommand(String word, CommandSpec command) {
        Collection<String> known = command.subcommands().keySet();
        String hint = DidYouMean.hint(word, known);
        List<String> names = new ArrayList<>(known);
        return "unknown command " + word + (hint.isEmpty() ? ", there are: " + String.join(", ", names) : hint);
    }
}
