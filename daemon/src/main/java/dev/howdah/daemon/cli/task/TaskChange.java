package dev.howdah.daemon.cli.task;

import dev.howdah.daemon.cli.operation.ChangeOfMany;
import dev.howdah.daemon.cli.operation.OperationRun;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.operations.Operation;
import dev.howdah.operations.Values;
import dev.howdah.operations.change.TaskOperations;
import dev.howdah.operations.listed.TaskLists;
import dev.howdah.task.TaskFilter;
import dev.howdah.task.TaskState;
import dev.howdah.task.TaskTable;
import java.util.List;
import java.util.function.ToLongBiFunction;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** A command that changes tasks. */
@Command
final class TaskChange extends ChangeOfMany<TaskState> {
    private static final List<TaskState> ENDED =
            List.of(TaskState.FAIL, TaskState.STOP, TaskState.GONE, TaskState.DONE);

    private final ToLongBiFunction<TaskTable, TaskFilter> changeAll;

    private TaskChange(
            Terminal terminal,
            Operation operation,
            ToLongBiFunction<TaskTable, TaskFilter> changeAll,
            List<TaskState> states) {
        super(terminal, operation, states, TaskLists.FILTERS);
        this.changeAll = changeAll;
    }

    /** A command for each change. */
    static List<CommandLine> commandLines(Terminal terminal) {
        List<TaskState> going = List.of(TaskState.PLAN, TaskState.WORK);
        return List.of(
                new TaskChange(terminal, TaskOperations.CANCEL, TaskTable::cancelAll, going).commandLine(),
                new TaskChange(terminal, TaskOperations.RETRY, TaskTable::retryAll, ENDED).commandLine(),
                new TaskChange(terminal, TaskOperations.DELETE, TaskTable::deleteAll, ENDED).commandLine());
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
        TaskFilter given = TaskLists.filter(of, filter).schedules(filter.find(TaskLists.SCHEDULE) != null);
        TaskTable table = run.engine().tasks(null);
        return new All() {
            @Override
            public long count() {
                return table.count(given);
            }

            @Override
            public long change() {
                return changeAll.applyAsLong(table, given);
            }
        };
    }
}
