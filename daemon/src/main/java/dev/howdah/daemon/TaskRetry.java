package dev.howdah.daemon;

import dev.howdah.task.TaskTable.Retry;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code howdah task retry}. */
@Command(name = "retry", description = "Plans a task that has ended to run again, now. Its earlier results are lost.")
final class TaskRetry implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call
    private CommandSpec spec;

    @Parameters(paramLabel = "ID", description = "The number of the task.")
    private long id;

    @Option(names = "--json", description = "Print what happened as a JSON object on one line.")
    private boolean json;

    TaskRetry(Terminal terminal) {
        this.terminal = terminal;
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
            throw Failure.failed("task " + id + " has not ended (" + refused.state() + "), so it cannot be retried"
                    + "; \"howdah task cancel " + id + "\" would end it");
        throw Failure.failed("there is no task " + id);
    }
}
