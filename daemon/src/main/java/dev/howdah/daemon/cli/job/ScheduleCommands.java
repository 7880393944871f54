package dev.howdah.daemon.cli.job;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.cli.ListOptions;
import dev.howdah.daemon.cli.operation.ListCommands;
import dev.howdah.daemon.cli.operation.OperationCommands;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.operations.change.ScheduleOperations;
import dev.howdah.operations.listed.ScheduleLists;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code howdah job schedule}: what can be done with the schedules of jobs. */
@Command(
        name = "schedule",
        description = "List, put, run, pause, resume and remove schedules of jobs; print their next times.",
        synopsisSubcommandLabel = "COMMAND")
final class ScheduleCommands extends CommandGroup {
    private static final int MOST_TIMES = 1_000;

    private ScheduleCommands(Terminal terminal) {
        super(terminal);
    }

    static CommandLine commandLine(Terminal terminal) {
        CommandLine line = new CommandLine(new ScheduleCommands(terminal));
        ListCommands.add(line, terminal, ScheduleLists.SCHEDULES, ScheduleLists.SCHEDULE_JOBS);
        OperationCommands.add(line, "job schedule", terminal, ScheduleOperations.ALL);
        return withDatabase(line);
    }

    private JobQueries queries(String command) {
        return JobQueries.of(command(command), terminal());
    }

    @Command(name = "put", description = "Store a schedule and its job; one of that name is changed.")
    int put(
            @Parameters(index = "0", paramLabel = "NAME", description = "The name of the schedule.") String name,
            @Parameters(index = "1", paramLabel = "KIND", description = "The kind of its jobs.") String kind,
            @Parameters(index = "2", paramLabel = "PAYLOAD", description = "JSON.", defaultValue = "null")
                    String payload,
            @Option(
                            names = "--cron",
                            paramLabel = "CRON",
                            description = "Five fields, six with seconds in front, or @daily and the like.")
                    @Nullable
                    String cron,
            @Option(
                            names = "--period",
                            paramLabel = "INTERVAL",
                            description = "Instead of --cron: the time between two jobs, a second or longer.")
                    @Nullable
                    String period,
            @Option(
                            names = "--zone",
                            paramLabel = "ZONE",
                            defaultValue = "UTC",
                            description = "The time zone of the cron (default: ${DEFAULT-VALUE}).")
                    String zone,
            @Option(
                            names = "--missed",
                            paramLabel = "POLICY",
                            defaultValue = "once",
                            description =
                                    "For times at which no node ran: skip, once or all (default: ${DEFAULT-VALUE}).")
                    String missed,
            @Option(
                            names = "--overlap",
                            paramLabel = "POLICY",
                            defaultValue = "allow",
                            description =
                                    "For times at which the last job has not ended: allow, skip, queue_one or cancel_old (default: ${DEFAULT-VALUE}).")
                    String overlap,
            @Option(
                            names = "--jitter",
                            paramLabel = "INTERVAL",
                            defaultValue = "0",
                            description = "Move each job by a random time up to this (default: ${DEFAULT-VALUE}).")
                    String jitter,
            @Option(
                            names = "--catch-up",
                            paramLabel = "INTERVAL",
                            description = "Leave out missed times that are longer ago (default: none).")
                    @Nullable
                    String catchUp,
            @Option(names = "--from", paramLabel = "TIME", description = "No job before this time.") @Nullable
                    String from,
            @Option(
                            names = "--queue",
                            paramLabel = "QUEUE",
                            defaultValue = "default",
                            description = "The queue of its jobs (default: ${DEFAULT-VALUE}).")
                    String queue,
            @Option(
                            names = "--priority",
                            paramLabel = "N",
                            defaultValue = "0",
                            description = "-100 to 100, lower runs first (default: ${DEFAULT-VALUE}).")
                    int priority,
            @Option(
                            names = "--key",
                            paramLabel = "KEY",
                            description = "The key of its jobs: none is added while one with it waits or runs.")
                    @Nullable
                    String key,
            @Mixin AddedOptions options,
            @Mixin ClockOptions clocks) {
        if ((cron == null) == (period == null))
            throw CliException.usage("schedule " + name + ": it needs either --cron or --period");
        queries("put")
                .one(
                        "command_schedule_put",
                        name,
                        queue,
                        kind,
                        payload,
                        cron,
                        period,
                        zone,
                        missed,
                        priority,
                        from,
                        overlap,
                        jitter,
                        catchUp,
                        key,
                        clocks.calendar(),
                        clocks.onHoliday(),
                        clocks.skippedHour(),
                        clocks.doubledHour(),
                        options.json());
        terminal().out().println("stored");
        return 0;
    }

    @Command(name = "next", description = "Print the next times of a schedule, or of a cron that is not stored.")
    int next(
            @Mixin ListOptions options,
            @Parameters(index = "0", arity = "0..1", paramLabel = "NAME", description = "The name of the schedule.")
                    @Nullable
                    String name,
            @Option(names = "--cron", paramLabel = "CRON", description = "Instead of NAME: a cron.") @Nullable
                    String cron,
            @Option(names = "--zone", paramLabel = "ZONE", description = "The time zone of --cron (default: UTC).")
                    @Nullable
                    String zone,
            @Option(
                            names = "--count",
                            paramLabel = "N",
                            defaultValue = "10",
                            description = "How many times, 1 to 1000 (default: ${DEFAULT-VALUE}).")
                    int count,
            @Mixin ClockOptions clocks) {
        if ((name == null) == (cron == null))
            throw CliException.usage("either the NAME of a schedule is needed, or --cron");
        if (name != null && zone != null)
            throw CliException.usage("--zone " + zone + ": it is for --cron, the schedule " + name + " has its own");
        if (name != null && !clocks.isPlain())
            throw CliException.usage("--calendar, --on-holiday, --skipped-hour and --doubled-hour are for --cron,"
                    + " the schedule " + name + " has its own");
        if (count < 1 || count > MOST_TIMES)
            throw CliException.usage("--count has to be from 1 to " + MOST_TIMES + ", not " + count);
        JobQueries queries = queries("next");
        if (name == null)
            return queries.list(
                    options,
                    "command_cron_next",
                    cron,
                    zone == null ? "UTC" : zone,
                    count,
                    clocks.skippedHour(),
                    clocks.doubledHour(),
                    clocks.calendar(),
                    clocks.onHoliday());
        Map<String, @Nullable String> state = queries.one("command_schedule_state", name);
        if (state.isEmpty()) throw queries.noSchedule(name);
        if (state.get("error") != null)
            throw CliException.failed("schedule " + name + " cannot be kept: " + state.get("error"));
        if ("t".equals(state.get("paused")))
            terminal().err().println("schedule " + name + " is paused: it adds no job until it is resumed");
        return queries.list(options, "command_schedule_next", name, count);
    }
}
