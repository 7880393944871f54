package dev.howdah.daemon.cli.operation;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.config.Installation;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.database.CommandTarget;
import dev.howdah.daemon.database.JobsFailure;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.job.JobsException;
import dev.howdah.operations.ChangeOutcome;
import dev.howdah.operations.Operation;
import dev.howdah.operations.OperationCall;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.ParameterException;
import dev.howdah.operations.Values;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
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
        List<Parameter<?>> names = operation.subject().key();
        Values key = read(() -> Values.read(names, name -> text(names, name, parsed)), parsed);
        Values values = read(() -> operation.read(name -> text(operation.parameters(), name, parsed)), parsed);
        Configuration configuration = ConfigurationOptions.read(command, terminal);
        CommandTarget target = CommandTarget.of(configuration, terminal.environment());
        SchemaName schema = Installation.of(configuration);
        OperationCall call = new OperationCall(new CommandEngine(target, schema), key, values);
        CommandAudit audit = CommandAudit.begin(operation, call, configuration, target, terminal);
        try {
            ChangeOutcome outcome = run(call, target, schema);
            if (outcome.isFailed()) throw CliException.failed(continued(outcome.sentence()));
            audit.end("done", outcome.sentence());
            print(outcome, parsed.hasMatchedOption("--json"));
            return 0;
        } catch (CliException e) {
            audit.end("failed", String.valueOf(e.getMessage()));
            throw e;
        }
    }

    private ChangeOutcome run(OperationCall call, CommandTarget target, SchemaName schema) {
        try {
            return operation.run(call);
        } catch (JobsException e) {
            if (e.getCause() instanceof SQLException cause) throw JobsFailure.of(cause, target, schema);
            throw CliException.failed(String.valueOf(e.getMessage()), e);
        } catch (IllegalArgumentException e) {
            throw CliException.usage(String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            throw CliException.failed(String.valueOf(e.getMessage()), e);
        }
    }

    private static Values read(Supplier<Values> reading, ParseResult parsed) {
        try {
            return reading.get();
        } catch (ParameterException e) {
            throw CliException.usage(e.message(word(e.parameter(), parsed)));
        }
    }

    private static String word(Parameter<?> parameter, ParseResult parsed) {
        String option = "--" + parameter.word();
        return parsed.commandSpec().findOption(option) == null ? OperationCommands.label(parameter) : option;
    }

    private static @Nullable String text(List<Parameter<?>> parameters, String name, ParseResult parsed) {
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

    private static @Nullable Object argument(String label, ParseResult parsed) {
        for (PositionalParamSpec each : parsed.matchedPositionals())
            if (each.paramLabel().equals(label)) return each.getValue();
        return null;
    }

    /** A sentence behind the name of the program and a colon. */
    private static String continued(String sentence) {
        String words = sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
        return words.substring(0, 1).toLowerCase(Locale.ROOT) + words.substring(1);
    }

    private void print(ChangeOutcome outcome, boolean json) {
        if (!json) {
            terminal.out().println(outcome.sentence());
            return;
        }
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("changed", outcome.kind() == ChangeOutcome.Kind.DONE);
        outcome.results().forEach((parameter, value) -> fields.put(parameter.name(), value));
        terminal.out().println(Json.line(fields));
    }
}
