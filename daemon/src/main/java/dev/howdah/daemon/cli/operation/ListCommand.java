package dev.howdah.daemon.cli.operation;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.cli.ListOptions;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Listing;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.ParameterException;
import dev.howdah.operations.list.ListCall;
import dev.howdah.operations.list.ListModel;
import dev.howdah.operations.list.ListPage;
import dev.howdah.operations.list.ListPlace;
import dev.howdah.operations.value.NameValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** A declared list as a command. */
final class ListCommand<R> implements Callable<Integer> {
    /** Rows of a page that is read, whatever the limit is. */
    private static final int LARGEST_PAGE = 1_000;

    private static final Parameter<String> AFTER = Parameter.maybe(
            "after",
            new NameValue(2_000),
            "Only rows behind this place, which is next of a page of the API; in lists by id or name an id or a name.");

    private final ListModel<R> list;
    private final Terminal terminal;
    private final ListOptions options = new ListOptions();
    private @Nullable CommandSpec spec;

    ListCommand(ListModel<R> list, Terminal terminal) {
        this.list = list;
        this.terminal = terminal;
    }

    CommandSpec command() {
        CommandSpec command = CommandSpec.wrapWithoutInspection(this);
        spec = command;
        command.usageMessage().description(list.help().replace("%", "%%"));
        int index = 0;
        for (Parameter<?> each : list.key()) command.addPositional(OperationCommands.argument(each, index++));
        for (Parameter<?> each : list.filters()) command.addOption(OperationCommands.option(each));
        Parameter<Integer> limit = list.limit();
        if (limit != null) command.addOption(OperationCommands.option(limit));
        if (list.isPaged()) command.addOption(OperationCommands.option(AFTER));
        command.addMixin("list", CommandSpec.forAnnotatedObject(options));
        return command;
    }

    @Override
    public Integer call() {
        CommandSpec command = Objects.requireNonNull(spec, "the command has no arguments");
        CommandGroup.refuseOptionsBefore(command);
        ParseResult parsed = command.commandLine().getParseResult();
        int rows = rows(parsed);
        // Before a database is looked for: what is wrong here is so in any.
        reading(parsed, () -> list.check(key(parsed), given(parsed)));
        Listing<R>.Rows printed = options.begin(terminal, Listing.of(list.item()));
        try (OperationRun run = OperationRun.of(command, terminal)) {
            ListCall call = reading(parsed, () -> list.call(run.engine(), key(parsed), given(parsed)));
            run.failing(() -> {
                print(call, rows, printed);
                return true;
            });
            printed.end();
            return 0;
        }
    }

    private Function<String, @Nullable String> key(ParseResult parsed) {
        return name -> OperationCommand.text(list.key(), name, parsed);
    }

    private Function<String, @Nullable String> given(ParseResult parsed) {
        List<Parameter<?>> filters = new ArrayList<>(list.filters());
        if (list.isPaged()) filters.add(AFTER);
        return name -> OperationCommand.text(filters, name, parsed);
    }

    private static <T> T reading(ParseResult parsed, Supplier<T> work) {
        try {
            return work.get();
        } catch (ParameterException e) {
            throw CliException.usage(e.message(OperationCommand.word(e.parameter(), parsed)));
        }
    }

    /** How many rows are wanted: a command may print more than a page has. */
    private int rows(ParseResult parsed) {
        Parameter<Integer> limit = list.limit();
        if (limit == null) return Integer.MAX_VALUE;
        String given = OperationCommand.text(List.of(limit), limit.name(), parsed);
        if (given == null) return Objects.requireNonNull(limit.preset());
        if (given.matches("[1-9]\\d{0,8}")) return Integer.parseInt(given);
        throw CliException.usage("--limit has to be 1 or more, not " + given);
    }

    private void print(ListCall call, int rows, Listing<R>.Rows printed) {
        int left = rows;
        ListCall asked = call;
        while (left > 0) {
            int most = Math.min(left, LARGEST_PAGE);
            ListPage<R> page =
                    list.read(new ListCall(asked.engine(), asked.key(), asked.values(), asked.place(), most));
            page.rows().stream().limit(left).forEach(printed::add);
            left -= page.rows().size();
            String next = page.beside().next();
            if (next == null) return;
            asked = asked.at(new ListPlace(next, null));
        }
    }
}
