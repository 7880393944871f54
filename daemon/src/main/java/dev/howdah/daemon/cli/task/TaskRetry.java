package dev.howdah.daemon.cli.task;

import dev.howdah.daemon.console.Terminal;
import dev.howdah.task.TaskFilter;
import dev.howdah.task.TaskState;
import dev.howdah.task.TaskTable;
import dev.howdah.task.TaskTable.Retry;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** {@code howdah task retry}. */
@Command(name = "retry", description = "Run tasks that have ended again, now. Their earlier results are lost.")
final class TaskRetry extends TaskChange {
    TaskRetry(Terminal terminal) {
        super(terminal, "retry", TaskState.FAIL, TaskState.STOP, TaskState.GONE, TaskState.DONE);
    }

    @Override
    @Nullable
    String change(TaskTable table, long id) {
        Retry done = table.retry(id);
        if (done instanceof Retry.Planned planned) {
            print(
                    id,
                    "planned",
                    planned.before(),
                    "task " + id + " was " + planned.before() + " and is planned again, now");
            return null;
        }
        if (done instanceof Retry.Refused refused)
            return "task " + id + " has not ended (" + refused.state() + "), so it cannot be retried"
                    + "; \"howdah task cancel " + id + "\" would end it";
        return missing(id);
    }

    @Override
    long changeAll(TaskTable table, TaskFilter filter) {
        return table.retryAll(filter);
    }
}
