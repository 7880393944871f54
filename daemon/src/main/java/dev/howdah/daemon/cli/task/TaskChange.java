package dev.howdah.daemon.cli.task;

import dev.howdah.daemon.cli.operation.ChangeOfMany;
import dev.howdah.daemon.cli.operation.OperationRun;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.operations.Values;
import dev.howdah.operations.change.TaskOperations;
import dev.howdah.operations.listed.TaskLists;
import dev.howdah.task.TaskQuery;
import dev.howdah.task.TaskState;
import dev.howdah.task.TaskTable;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** A command that changes tasks. */
@Command
final class TaskChange extends ChangeOfMany<TaskState> {
    private final TaskTable.Change change;

    private TaskChange(Terminal terminal, TaskTable.Change change) {
        super(terminal, TaskOperations.of(change), change.states(), TaskLists.FILTERS);
        this.change = change;
    }

    /** Adds a command for each change. */
    static void addTo(CommandLine group, Terminal terminal) {
        for (TaskTable.Change each : TaskTable.Change.values()) new TaskChange(terminal, each).addTo(group);
    }

    @Override
    protected Values key(long id) {
        return TaskOperations.key(id, null);
    }

    @Override
    protected String word(TaskState of) {
        return of.name();
    }

    @Override
    protected All all(OperationRun run, TaskState of, Values filter, Values values) {
        // A schedule would be at an end: that has to be asked for by name.
        TaskQuery given = TaskLists.query(filter).state(of).schedules(filter.find(TaskLists.SCHEDULE) != null);
        TaskTable table = run.engine().tasks(null);
        return new All() {
            @Override
            public long count() {
                return table.count(given);
            }

            @Override
            public long change() {
                return table.change(change, given, (changed, left) -> true);
            }
        };
    }
}
