package dev.howdah.daemon.cli.job;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Terminal;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
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
        return commandLine(new CalendarCommands(terminal));
    }

    private JobQueries queries(String command) {
        return JobQueries.of(command(command), terminal());
    }

    @Command(name = "list", description = "List all calendars by name.")
    int list(@Option(names = "--json", description = "Print a JSON object on a line for each.") boolean json) {
        queries("list").table(json, "command_calendar_list");
        return 0;
    }

    @Command(name = "show", description = "Print the days of a calendar.")
    int show(
            @Parameters(index = "0", paramLabel = "CALENDAR", description = "The name of the calendar.") String name,
            @Option(names = "--json", description = "Print a JSON object on a line for each.") boolean json) {
        queries("show").table(json, "command_calendar_show", name);
        return 0;
    }

    @Command(name = "add", description = "Add days to a calendar; the first ones create it.")
    int add(
            @Parameters(index = "0", paramLabel = "CALENDAR", description = "The name of the calendar.") String name,
            @Parameters(index = "1..*", arity = "1..*", paramLabel = "DATE", description = "Days such as 2026-12-25.")
                    List<String> days) {
        return change("add", name, dates(days), "added");
    }

    @Command(name = "remove", description = "Remove days from a calendar, or with --all the calendar.")
    int remove(
            @Parameters(index = "0", paramLabel = "CALENDAR", description = "The name of the calendar.") String name,
            @Parameters(index = "1..*", arity = "0..*", paramLabel = "DATE", description = "Days such as 2026-12-25.")
                    @Nullable
                    List<String> days,
            @Option(names = "--all", description = "All days.") boolean all) {
        if (all == (days != null && !days.isEmpty()))
            throw CliException.usage("calendar " + name + ": either days are needed, or --all");
        return change("remove", name, all || days == null ? null : dates(days), "removed");
    }

    private static String[] dates(List<String> days) {
        List<String> dates = new ArrayList<>();
        for (String each : days) {
            try {
                dates.add(LocalDate.parse(each).toString());
            } catch (DateTimeException e) {
                throw CliException.usage("\"" + each + "\" is no day: it has to be like 2026-12-25");
            }
        }
        return dates.toArray(String[]::new);
    }

    private int change(String command, String name, String @Nullable [] dates, String changed) {
        String days = queries(command)
                .one("command_calendar_" + command, name, (Object) dates)
                .get("days");
        terminal().out().println(days + ("1".equals(days) ? " day was " : " days were ") + changed);
        return 0;
    }
}
