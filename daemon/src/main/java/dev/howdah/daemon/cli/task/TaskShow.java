package dev.howdah.daemon.cli.task;

import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.task.Task;
import picocli.CommandLine.Command;

/** {@code howdah task show}. */
@Command(name = "show", description = "Show a task with all columns.")
final class TaskShow extends TaskIdOption {
    TaskShow(Terminal terminal) {
        super(terminal);
    }

    @Override
    public Integer call() {
        Task task =
                TaskCommands.onTable(spec, terminal, table -> table.find(id)).orElseThrow(this::missing);
        if (json) terminal.out().println(Json.line(TaskView.fields(task)));
        else TaskView.show(terminal.out(), task);
        return 0;
    }
}
