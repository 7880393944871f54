package dev.howdah.daemon.cli.task;

import dev.howdah.daemon.console.Terminal;
import dev.howdah.task.TaskFilter;
import dev.howdah.task.TaskState;
import dev.howdah.task.TaskTable;
import dev.howdah.task.TaskTable.Cancellation;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** {@code howdah task cancel}. */
@Command(name = "cancel", description = "Stop waiting tasks (state STOP), or cancel running ones (state FAIL).")
final class TaskCancel extends TaskChange {
    TaskCancel(Terminal terminal) {
        super(terminal, "cancel", TaskState.PLAN, TaskState.WORK);
    }

    @Override
    @Nullable
    String change(TaskTable table, long id) {
        Cancellation done = table.cancel(id);
        if (done instanceof Cancellation.Stopped) {
            print(id, "stopped", null, "task " + id + " was waiting and is stopped");
        } else if (done instanceof Cancellation.Requested) {
            print(id, "requested", null, "task " + id + " is running and was asked to cancel");
        } else if (done instanceof Cancellation.Refused refused) {
            return "task " + id + " cannot be cancelled: " + why(refused);
        } else {
            return missing(id);
        }
        return null;
    }

    private static String why(Cancellation.Refused refused) {
        if (refused.state().ended()) return "it has already ended (" + refused.state() + ")";
        if (refused.remote())
            return "it runs on another server (its remote); where pg_task.cancel is on, UPDATE task SET state = 'STOP'"
                    + " ends it, otherwise its process has to be cancelled there";
        return "it is just starting or ending (" + refused.state() + "); try again";
    }

    @Override
    long changeAll(TaskTable table, TaskFilter filter) {
        return table.cancelAll(filter);
    }
}
