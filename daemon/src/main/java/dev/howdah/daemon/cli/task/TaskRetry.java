package dev.howdah.daemon.cli.task;

import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.task.TaskTable.Retry;
import picocli.CommandLine.Command;

/** {@code howdah task retry}. */
@Command(name = "retry", description = "Run a task that has ended again, now. Its earlier results are lost.")
final class TaskRetry extends TaskIdOption {
    TaskRetry(Terminal terminal) {
        super(terminal);
    }

    @Override
    public Integer call() {
        Retry done = TaskCommands.onTable(spec, terminal, table -> table.retry(id));
        if (done instanceof Retry.Planned planned) {
            TaskCommands.print(
                    terminal,
                    json,
                    Json.fields("id", id, "result", "planned", "before", planned.before()),
                    "task " + id + " was " + planned.before() + " and is planned again, now");
            return 0;
        }
        if (done instanceof Retry.Refused refused)
            throw CliException.failed("task " + id + " has not ended (" + refused.state() + "), so it cannot be retried"
                    + "; \"howdah task cancel " + id + "\" would end it");
        throw missing();
    }
}
