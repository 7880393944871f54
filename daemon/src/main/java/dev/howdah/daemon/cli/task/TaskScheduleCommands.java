package dev.howdah.daemon.cli.task;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.internal.schedule.CronSchedule;
import dev.howdah.internal.schedule.ZoneNames;
import dev.howdah.task.NewTask;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code howdah task schedule}: schedules of tasks by name. */
@Command(
        name = "schedule",
        description = "List, put, run now, pause, resume and remove schedules of tasks; list their runs.",
        synopsisSubcommandLabel = "COMMAND")
final class TaskScheduleCommands extends CommandGroup {
    TaskScheduleCommands(Terminal terminal) {
        super(terminal);
    }

    private <T extends @Nullable Object> T on(String command, TaskCommands.Work<T> work) {
        return TaskCommands.onTable(command(command), terminal(), work);
    }

    @Command(
            name = "put",
            description = "Add a schedule and print the id of its task; one of that name is changed.",
            footer = {"", "An option that is not given takes the default of its column; delete is false."})
    int put(
            @Parameters(index = "0", paramLabel = "NAME", description = "The name of the schedule.") String name,
            @Parameters(
                            index = "1",
                            paramLabel = "CRON",
                            description = "Five fields, six with seconds in front, or @daily and the like.")
                    String cron,
            @Parameters(index = "2", paramLabel = "SQL", description = "The SQL, one statement or several.") String sql,
            @Option(names = "--zone", paramLabel = "ZONE", description = "The time zone of the cron: Europe/Berlin.")
                    @Nullable
                    String zone,
            @Option(names = "--owner", paramLabel = "ROLE", description = "Another owner than the role that connects.")
                    @Nullable
                    String owner,
            @Option(
                            names = "--set",
                            paramLabel = "COLUMN=VALUE",
                            description = "Any other column of the table, such as attempts=3; may be repeated.")
                    @Nullable
                    List<String> others,
            @Option(names = "--json", description = "Print {\"id\": N}.") boolean json) {
        Map<String, String> columns = new LinkedHashMap<>();
        if (others != null) for (String each : others) TaskAdd.set(columns, each);
        for (String own : List.of("input", "cron", "zone", "owner", "schedule"))
            if (columns.containsKey(own))
                throw CliException.usage("--set " + own + "=...: this command has a word of its own for it");
        columns.put("cron", Objects.requireNonNull(TaskAdd.checked("cron", cron, CronSchedule::parse)));
        if (zone != null) {
            TaskAdd.checked("zone", zone, ZoneNames::zone);
            columns.put("zone", zone);
        }
        if (owner != null) columns.put("owner", owner);
        NewTask task = NewTask.of(sql);
        for (Map.Entry<String, String> each : columns.entrySet()) task = task.column(each.getKey(), each.getValue());
        NewTask wanted = task;
        long id = on("put", table -> table.schedules().put(name, wanted));
        TaskCommands.print(terminal(), json, Json.fields("id", id), Long.toString(id));
        return 0;
    }
}
