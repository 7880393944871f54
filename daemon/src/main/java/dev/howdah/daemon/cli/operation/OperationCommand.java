package dev.howdah.daemon.cli.operation;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.operations.ChangeOutcome;
import dev.howdah.operations.Operation;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.ParameterException;
import dev.howdah.operations.Values;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/** A declared operation as a command. */
final class OperationCommand implements Callable<Integer> {
    private final Operation operation;
    private final Terminal terminal;
    private @Nullable CommandSpec spec;

    OperationCommand(Operation operation, Terminal terminal) {
        this.operation = operation;
        this.terminal = terminal;
    }

    void of(CommandSpec command) {
        spec = command;
    }

    @Override
    public Integer call() {
        CommandSpec command = spec;
        if (command == null) throw new IllegalStateException("the command has no arguments");
        CommandGroup.refuseOptionsBefore(command);
        ParseResult parsed = command.commandLine().getParseResult();
        List<Parameter<?>> names = operation.subject().names();
        Values key = read(() -> Values.read(names, name -> text(names, name, parsed)), parsed);
        Values values = read(() -> operation.read(name -> text(operation.parameters(), name, parsed)), parsed);
        try (OperationRun run = OperationRun.of(command, terminal)) {
            ChangeOutcome outcome = run.call(operation, key, values);
            if (outcome.isFailed()) throw CliException.failed(outcome.problem());
            print(outcome, parsed.hasMatchedOption("--json"));
            return 0;
        }
    }

    private static Values read(Supplier<Values> reading, ParseResult parsed) {
        try {
            return reading.get();
        } catch (ParameterException e) {
            throw CliException.usage(e.message(word(e.parameter(), parsed)));
        }
    }

    static String word(Parameter<?> parameter, ParseResult parsed) {
        String option = "--" + parameter.word();
        return parsed.commandSpec().findOption(option) == null ? OperationCommands.label(parameter) : option;
    }

    static @Nullable String text(List<Parameter<?>> parameters, String name, ParseResult parsed) {
        for (Parameter<?> each : parameters) {
            if (!each.name().equals(name)) continue;
            Object value = parsed.commandSpec().findOption("--" + each.word()) != null
                    ? parsed.matchedOptionValue("--" + each.word(), null)
                    : argument(OperationCommands.label(each), parsed);
            if (value instanceof String[] many) return String.join("\n", many);
            return value == null ? null : value.toString();
        }
        return null;
    }

    /** The values of options. */
    static Values options(List<Parameter<?>> parameters, ParseResult parsed) {
        return read(() -> Values.read(parameters, name -> text(parameters, name, parsed)), parsed);
    }

    private static @Nullable Object argument(String label, ParseResult parsed) {
        for (PositionalParamSpec each : parsed.matchedPositionals())
            if (each.paramLabel().equals(label)) return each.getValue();
        return null;
    }

    private void print(ChangeOutcome outcome, boolean json) {
        if (!json) {
            terminal.out().println(outcome.sentence());
            return;
        }
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        OperationRun.put(fields, outcome);
        terminal.out().println(Json.line(fields));
    }
}
