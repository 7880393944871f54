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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/**
 * A command that calls an operation on the objects of some ids, or with {@code --all} changes those that meet its filter.
 *
 * @param <S> their states
 */
public abstract class ChangeOfMany<S extends Enum<S>> implements Callable<Integer> {
    private final Terminal terminal;
    private final Operation operation;
    private final List<S> states;
    private final List<Parameter<?>> filters;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before the call
    private CommandSpec spec;

    @Parameters(paramLabel = "ID", arity = "0..*", description = "Their ids; none with --all.")
    private List<Long> ids = List.of();

    @Option(names = "--all", description = "All that meet the filter, up to a thousand in a transaction.")
    private boolean all;

    @Option(names = "--dry-run", description = "With --all: only count them.")
    private boolean dryRun;

    @Option(names = "--yes", description = "With --all: do not ask on a terminal.")
    private boolean yes;

    @Option(names = "--state", paramLabel = "STATE", description = "With --all: the state that they have.")
    private @Nullable String state;

    @Option(names = "--json", description = "Print a JSON object on a line for each, or for all.")
    private boolean json;

    /**
     * @param states of objects that are changed all at once; the first is the usual one
     * @param filters of these objects, besides their state
     */
    protected ChangeOfMany(Terminal terminal, Operation operation, List<S> states, List<Parameter<?>> filters) {
        this.terminal = terminal;
        this.operation = operation;
        this.states = List.copyOf(states);
        this.filters = List.copyOf(filters);
    }

    /** Adds the command to its group, with an option for each parameter of the operation. */
    public final void addTo(CommandLine group) {
        if (!CommandGroup.needs(group, operation.verb())) return;
        CommandLine line = new CommandLine(this);
        line.setCommandName(operation.verb());
        line.getCommandSpec().usageMessage().description(operation.help());
        for (Parameter<?> each : operation.parameters())
            line.getCommandSpec().addOption(OperationCommands.option(each));
        for (Parameter<?> each : filters) line.getCommandSpec().addOption(OperationCommands.option(each));
        group.addSubcommand(line);
    }

    protected final CommandSpec spec() {
        return spec;
    }

    protected final Terminal terminal() {
        return terminal;
    }

    /** The key of the object of an id. */
    protected abstract Values key(long id);

    /** A state as it is given and printed. */
    protected abstract String word(S of);

    /** All objects in a state that meet the filter. */
    protected abstract All all(OperationRun run, S of, Values filter, Values values);

    /** All objects that meet a filter. */
    protected interface All {
        long count();

        /** Returns the number of objects that were changed. */
        long change();
    }

    @Override
    public final Integer call() {
        if (all && !ids.isEmpty())
            throw CliException.usage("--all and the id " + ids.get(0) + ": it is one or the other");
        if (!all && ids.isEmpty()) throw CliException.usage("missing ID, or --all");
        Values filter = OperationCommand.options(filters, spec.commandLine().getParseResult());
        if (!all && (dryRun || yes || state != null || !filter.texts().isEmpty()))
            throw CliException.usage("--dry-run, --yes, --state and the filter are for --all");
        S of = state();
        Values values = values();
        try (OperationRun run = OperationRun.of(spec, terminal)) {
            if (all) changeAll(run, of, filter, values);
            else changeEach(run, values);
        }
        return 0;
    }

    private S state() {
        String given = state;
        if (given == null) return states.get(0);
        for (S each : states) if (each.name().equalsIgnoreCase(given)) return each;
        throw CliException.usage("--state " + given + ": it has to be one of "
                + states.stream().map(this::word).collect(Collectors.joining(", ")));
    }

    private Values values() {
        ParseResult parsed = spec.commandLine().getParseResult();
        try {
            return operation.read(name -> OperationCommand.text(operation.parameters(), name, parsed));
        } catch (ParameterException e) {
            throw CliException.usage(e.message("--" + e.parameter().word()));
        }
    }

    /** @throws CliException if nothing was done with one of the objects, after all have been tried */
    private void changeEach(OperationRun run, Values values) {
        List<String> complaints = new ArrayList<>();
        for (long id : ids) {
            ChangeOutcome outcome;
            try {
                outcome = run.call(operation, key(id), values);
            } catch (CliException e) {
                complaints.add(String.valueOf(e.getMessage()));
                throw CliException.failed(String.join("; ", complaints), e);
            }
            if (outcome.isFailed()) complaints.add(outcome.problem());
            if (json) {
                Map<String, @Nullable Object> fields = new LinkedHashMap<>(Map.of("id", id));
                OperationRun.put(fields, outcome);
                terminal.out().println(Json.line(fields));
            } else if (!outcome.isFailed()) terminal.out().println(outcome.sentence());
        }
        if (!complaints.isEmpty()) throw CliException.failed(String.join("; ", complaints));
    }

    private void changeAll(OperationRun run, S of, Values filter, Values values) {
        All meant = run.failing(() -> all(run, of, filter, values));
        long changed = dryRun ? run.failing(meant::count) : change(run, meant, of, filter, values);
        String many = operation.subject().many();
        if (json)
            terminal.out()
                    .println(Json.line(Json.fields(
                            "action", operation.verb(), "state", word(of), many, changed, "dry_run", dryRun)));
        else terminal.out().println(said(changed));
    }

    private long change(OperationRun run, All meant, S of, Values filter, Values values) {
        if (operation.isDangerous() && !yes && terminal.canAsk()) {
            long number = run.failing(meant::count);
            String which = (number == 1 ? "the only " : "all " + number + " ") + word(of) + " "
                    + (number == 1
                            ? operation.subject().one()
                            : operation.subject().many());
            if (number > 0) terminal.confirm(operation.question(which, number == 1, values));
        }
        Map<String, String> sent = new LinkedHashMap<>(filter.texts());
        sent.put("state", word(of));
        sent.putAll(values.texts());
        return run.audited(operation.audit(), null, sent, meant::change);
    }

    private String said(long number) {
        String one = operation.subject().one();
        if (number == 1) return "1 " + one + (dryRun ? " meets the filter" : " was changed");
        return number + " " + operation.subject().many() + (dryRun ? " meet the filter" : " were changed");
    }
}
