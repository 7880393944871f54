package dev.howdah.daemon.cli.job;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.cli.ListOptions;
import dev.howdah.daemon.cli.operation.ListCommands;
import dev.howdah.daemon.cli.operation.OperationCommands;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.operations.change.CalendarOperations;
import dev.howdah.operations.listed.ScheduleLists;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code howdah job calendar}: days on which schedules add no job. */
@Command(
        name = "calendar",
        description = "List, show, add and remove days on which schedules with a calendar add no job.",
        synopsisSubcommandLabel = "COMMAND")
final class CalendarCommands extends CommandGroup {
    private CalendarCommands(Terminal terminal) {
        super(terminal);
    }

    static CommandLine commandLine(Terminal terminal) {
        CommandLine line = new CommandLine(new CalendarCommands(terminal));
        ListCommands.add(line, terminal, ScheduleLists.CALENDARS);
        OperationCommands.add(line, "job calendar", terminal, CalendarOperations.ALL);
        return withDatabase(line);
    }

    private JobQueries queries(String command) {
        return JobQueries.of(command(command), terminal());
    }

    @Command(name = "show", description = "Print the days of a calendar.")
    int show(
            @Mixin ListOptions options,
            @Parameters(index = "0", paramLabel = "CALENDAR", description = "The name of the calendar.") String name) {
        return queries("show").list(options, "command_calendar_show", name);
    }
}
