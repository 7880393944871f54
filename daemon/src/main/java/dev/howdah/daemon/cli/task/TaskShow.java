package dev.howdah.daemon.cli.task;

import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.task.Task;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code howdah task show}. */
@Command(name = "show", description = "Show a task with all columns.")
final class TaskShow implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call
    private CommandSpec spec;

    @Parameters(paramLabel = "ID", description = "The id of the task.")
    private long id;

    @Option(names = "--json", description = "Print the result as a JSON object on one line.")
    private boolean json;

    TaskShow(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        Task task = TaskCommands.onTable(spec, terminal, table -> table.find(id))
                .orElseThrow(() -> CliException.failed("there is no task " + id));
        if (json) terminal.out().println(Json.line(TaskView.fields(task)));
        else TaskView.show(terminal.out(), task);
        return 0;
    }
}
