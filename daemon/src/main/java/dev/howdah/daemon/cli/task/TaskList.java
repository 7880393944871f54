package dev.howdah.daemon.cli.task;

import dev.howdah.daemon.cli.LimitOption;
import dev.howdah.daemon.cli.ListOptions;
import dev.howdah.daemon.cli.SortOption;
import dev.howdah.daemon.cli.operation.OperationCommands;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.Values;
import dev.howdah.operations.listed.TaskLists;
import dev.howdah.task.TaskFilter;
import dev.howdah.task.TaskQuery;
import dev.howdah.task.TaskState;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code howdah task list}. */
@Command(name = "list", description = "List tasks, the newest first unless --sort says another order.")
final class TaskList implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call
    private CommandSpec spec;

    @Option(
            names = "--state",
            paramLabel = "STATE",
            description = "Only tasks in this state: ${COMPLETION-CANDIDATES}.")
    private @Nullable TaskState state;

    @Mixin
    private final ListOptions options = new ListOptions();

    @Mixin
    private final LimitOption limit = new LimitOption();

    @Mixin
    private final SortOption sort = new SortOption();

    TaskList(Terminal terminal) {
        this.terminal = terminal;
    }

    /** The command, with an option for each filter. */
    CommandLine commandLine() {
        CommandLine line = new CommandLine(this);
        for (Parameter<?> each : TaskLists.FILTERS) line.getCommandSpec().addOption(OperationCommands.option(each));
        return line;
    }

    private TaskFilter filter() {
        Values values =
                OperationCommands.options(TaskLists.FILTERS, spec.commandLine().getParseResult());
        try {
            return TaskLists.filter(state, values);
        } catch (IllegalArgumentException e) {
            throw CliException.usage(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public Integer call() {
        int most = limit.rows();
        TaskFilter of = filter();
        TaskQuery.Order order = state == TaskState.PLAN
                ? sort.of(TaskQuery.Order.NEWEST, TaskQuery.Order.values())
                : sort.of(TaskQuery.Order.NEWEST, TaskQuery.Order.NEWEST, TaskQuery.Order.OLDEST);
        return options.print(
                terminal,
                TaskView.TASKS,
                () -> TaskCommands.onTable(spec, terminal, table -> table.list(of, order, most)));
    }
}
