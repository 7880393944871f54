package dev.howdah.daemon.cli.task;

import dev.howdah.daemon.console.Terminal;
import dev.howdah.task.TaskFilter;
import dev.howdah.task.TaskState;
import dev.howdah.task.TaskTable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** {@code howdah task delete}. */
@Command(name = "delete", description = "Delete tasks that have ended or were stopped, with their results.")
final class TaskDelete extends TaskChange {
    TaskDelete(Terminal terminal) {
        super(terminal, "delete", TaskState.FAIL, TaskState.STOP, TaskState.GONE, TaskState.DONE);
    }

    @Override
    @Nullable
    String change(TaskTable table, long id) {
        if (table.delete(id)) {
            print(id, "deleted", null, "task " + id + " is deleted");
            return null;
        }
        return table.state(id)
                .map(state -> "task " + id + " has not ended (" + state + "), so it cannot be deleted")
                .orElseGet(() -> missing(id));
    }

    @Override
    long changeAll(TaskTable table, TaskFilter filter) {
        return table.deleteAll(filter);
    }
}
