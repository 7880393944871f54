package dev.howdah.daemon.cli.task;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.cli.operation.ListCommands;
import dev.howdah.daemon.cli.operation.OperationCommands;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.database.CommandTarget;
import dev.howdah.daemon.database.SqlFailure;
import dev.howdah.operations.change.TaskOperations;
import dev.howdah.operations.change.TaskScheduleOperations;
import dev.howdah.operations.listed.ChartLists;
import dev.howdah.operations.listed.TaskLists;
import dev.howdah.task.TaskException;
import dev.howdah.task.TaskTable;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;

/** {@code howdah task}: what can be done with tasks. */
@Command(
        name = "task",
        description = "Add, list, show, cancel, retry and delete tasks, and keep their schedules.",
        synopsisSubcommandLabel = "COMMAND")
public final class TaskCommands extends CommandGroup {
    private TaskCommands(Terminal terminal, @Nullable String only) {
        super(terminal, only);
    }

    /** @param only the one command that is needed; null: all */
    public static CommandLine commandLine(Terminal terminal, @Nullable String only) {
        CommandLine line = new CommandLine(new TaskCommands(terminal, only));
        ListCommands.add(line, terminal, TaskLists.TASKS, ChartLists.TASKS);
        if (needs(line, "show")) line.addSubcommand(new TaskShow(terminal));
        if (needs(line, "add")) line.addSubcommand(new TaskAdd(terminal));
        TaskChange.addTo(line, terminal);
        OperationCommands.add(line, "task", terminal, TaskOperations.OF_ONE);
        if (needs(line, "uninstall")) line.addSubcommand(new TaskUninstall(terminal));
        addSettings(line);
        if (!needs(line, "schedule")) return line;
        CommandLine schedule = new CommandLine(new TaskScheduleCommands(terminal));
        ListCommands.add(schedule, terminal, TaskLists.TASK_SCHEDULES, TaskLists.TASK_SCHEDULE_RUNS);
        OperationCommands.add(schedule, "task schedule", terminal, TaskScheduleOperations.ALL);
        addSettings(schedule);
        return line.addSubcommand(schedule);
    }

    private static void addSettings(CommandLine group) {
        for (CommandLine each : group.getSubcommands().values())
            ConfigurationOptions.add(
                    each.getCommandSpec(), Setting.DATA, Setting.URL, Setting.SCHEMA, Setting.TABLE, Setting.CONFIG);
    }

    /** Something to do with the table of tasks. */
    interface Work<T extends @Nullable Object> {
        T with(TaskTable tasks);
    }

    /** Does it with the table that the command's settings name, and says in one line what went wrong if it did. */
    static <T extends @Nullable Object> T onTable(CommandSpec command, Terminal terminal, Work<T> work) {
        CommandTarget target = CommandTarget.of(ConfigurationOptions.read(command, terminal), terminal.environment());
        try {
            return work.with(TaskTable.on(target.database(), target.schema(), target.table()));
        } catch (TaskException e) {
            throw SqlFailure.ofTasks(e.getCause(), target);
        }
    }

    /** Prints one object, or the line that says the same to a person. */
    static void print(Terminal terminal, boolean json, Map<String, ? extends @Nullable Object> object, String line) {
        terminal.out().println(json ? Json.line(object) : line);
    }
}
