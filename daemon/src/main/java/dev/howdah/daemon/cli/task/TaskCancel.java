package dev.howdah.daemon.cli.task;

import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.task.TaskTable.Cancellation;
import picocli.CommandLine.Command;

/** {@code howdah task cancel}. */
@Command(name = "cancel", description = "Stop a waiting task (state STOP), or cancel a running one (state FAIL).")
final class TaskCancel extends TaskIdOption {
    TaskCancel(Terminal terminal) {
        super(terminal);
    }

    @Override
    public Integer call() {
        Cancellation done = TaskCommands.onTable(spec, terminal, table -> table.cancel(id));
        if (done instanceof Cancellation.Stopped) {
            print("stopped", "task " + id + " was waiting and is stopped");
        } else if (done instanceof Cancellation.Requested) {
            print("requested", "task " + id + " is running and was asked to cancel");
        } else if (done instanceof Cancellation.Refused refused) {
            throw CliException.failed("task " + id + " cannot be cancelled: " + why(refused));
        } else {
            throw missing();
        }
        return 0;
    }

    private void print(String result, String line) {
        TaskCommands.print(terminal, json, Json.fields("id", id, "result", result), line);
    }

    private static String why(Cancellation.Refused refused) {
        if (refused.state().ended()) return "it has already ended (" + refused.state() + ")";
        if (refused.remote())
            return "it runs on another server (its remote); where pg_task.cancel is on, UPDATE task SET state = 'STOP'"
                    + " ends it, otherwise its process has to be cancelled there";
        return "it is just starting or ending (" + refused.state() + "); try again";
    }
}
