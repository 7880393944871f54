package dev.howdah.daemon.cli.operation;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.operations.Engine;
import dev.howdah.operations.Operation;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.Values;
import dev.howdah.operations.value.ChoiceValue;
import dev.howdah.operations.value.ValueType.Form;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/** Makes commands of declared operations: keys and required values are arguments, most others are options. */
public final class OperationCommands {
    private OperationCommands() {}

    /**
     * Adds a command for each operation of a group.
     *
     * @param group the words behind {@code howdah}, such as {@code job schedule}
     */
    public static void add(CommandLine to, String group, Terminal terminal, List<Operation> operations) {
        List<String> words = List.of(group.split(" ", -1));
        for (Operation each : operations) {
            List<String> command = each.command();
            String name = command.get(command.size() - 1);
            if (command.subList(0, command.size() - 1).equals(words) && CommandGroup.needs(to, name))
                to.addSubcommand(name, command(each, terminal));
        }
    }

    private static CommandSpec command(Operation operation, Terminal terminal) {
        OperationCommand run = new OperationCommand(operation, terminal);
        CommandSpec command = CommandSpec.wrapWithoutInspection(run);
        run.of(command);
        command.usageMessage().description(described(operation.help()));
        int index = 0;
        for (Parameter<?> each : operation.subject().key()) command.addPositional(argument(each, index++));
        for (Parameter<?> each : operation.subject().beside())
            if (!each.equals(Engine.TABLE)) command.addOption(option(each));
        for (Parameter<?> each : operation.parameters())
            if (each.isArgument()) command.addPositional(argument(each, index++));
            else command.addOption(option(each));
        command.addOption(OptionSpec.builder("--json")
                .description("Print a JSON object on one line.")
                .build());
        return command;
    }

    static PositionalParamSpec argument(Parameter<?> parameter, int index) {
        boolean isMany = parameter.type().form() == Form.TEXTS;
        return PositionalParamSpec.builder()
                .index(isMany ? index + "..*" : Integer.toString(index))
                .paramLabel(label(parameter))
                .type(isMany ? String[].class : String.class)
                .description(described(parameter.help()))
                .arity((parameter.isRequired() ? "1" : "0") + (isMany ? "..*" : "..1"))
                .required(parameter.isRequired())
                .build();
    }

    public static OptionSpec option(Parameter<?> parameter) {
        OptionSpec.Builder option = OptionSpec.builder("--" + parameter.word())
                .description(described(parameter.help()
                        + (parameter.type() instanceof ChoiceValue choices
                                ? " Possible: " + choices.words() + "."
                                : "")))
                .required(parameter.isRequired());
        if (parameter.type() instanceof ChoiceValue choices) option.completionCandidates(choices.choices());
        Form form = parameter.type().form();
        return form == Form.FLAG
                ? option.build()
                : option.paramLabel(label(parameter))
                        .type(form == Form.TEXTS ? String[].class : String.class)
                        .build();
    }

    /** The values of options that {@link #option} has made. */
    public static Values options(List<Parameter<?>> parameters, ParseResult parsed) {
        return OperationCommand.options(parameters, parsed);
    }

    /** The name of an argument, such as {@code ROWS_PER_SECOND}. */
    static String label(Parameter<?> parameter) {
        return parameter.name().toUpperCase(Locale.ROOT);
    }

    private static String described(String help) {
        return help.replace("%", "%%");
    }
}
