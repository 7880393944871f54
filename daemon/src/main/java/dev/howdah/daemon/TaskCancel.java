package dev.howdah.daemon;

import dev.howdah.task.TaskTable.Cancellation;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code howdah task cancel}. */
@Command(
        name = "cancel",
        description =
                "Stops a waiting task (state STOP), or asks the server to cancel a running one (it ends as FAIL).")
final class TaskCancel implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call
    private CommandSpec spec;

    @Parameters(paramLabel = "ID", description = "The number of the task.")
    private long id;

    @Option(names = "--json", description = "Print what happened as a JSON object on one line.")
    private boolean json;

    TaskCancel(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        Cancellation done = TaskCommands.onTable(spec, terminal, table -> table.cancel(id));
        if (done instanceof Cancellation.Stopped) {
            print("stopped", "task " + id + " was waiting and is stopped");
        } else if (done instanceof Cancellation.Requested) {
            print("requested", "task " + id + " is running and was asked to cancel");
        } else if (done instanceof Cancellation.Refused refused) {
            throw Failure.failed("task " + id + " cannot be cancelled: " + why(refused));
        } else {
            throw Failure.failed("there is no task " + id);
        }
        return 0;
    }

    private void print(String result, String line) {
        TaskCommands.print(terminal, json, Json.fields("id", id, "result", result), line);
    }

    private static String why(Cancellation.Refused refused) {
        if (refused.state().ended()) return "it has already ended (" + refused.state() + ")";
        if (refused.remote()) return "it runs on another server (its remote), where its process has to be cancelled";
        return "it is just starting or ending (" + refused.state() + "); try again";
    }
}
