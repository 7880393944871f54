package dev.howdah.daemon.cli.why;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.console.Terminal;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code howdah why}: why a task, job, process, sweep or schedule does not run. */
@Command(
        name = "why",
        description =
                "Say why something does not run: the answer first, then what holds as well; below each what to do.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Examples:", "  howdah why task 42", "  howdah why job 7 --json"})
public final class WhyCommands extends CommandGroup {
    private WhyCommands(Terminal terminal) {
        super(terminal);
    }

    public static CommandLine commandLine(Terminal terminal) {
        WhyCommands group = new WhyCommands(terminal);
        CommandLine line = commandLine(group);
        ConfigurationOptions.add(group.command("task"), Setting.SCHEMA, Setting.TABLE);
        for (String each : List.of("job", "schedule", "process"))
            ConfigurationOptions.add(group.command(each), Setting.INSTALLATION);
        return line;
    }

    @Command(
            name = "task",
            description = "Say why a task does not run.",
            footer = {"", "Example:", "  howdah why task 42"})
    int task(
            @Parameters(index = "0", paramLabel = "ID", description = "The id of the task.") long id,
            @Option(names = "--json", description = "Print a JSON object on a line for each cause.") boolean json) {
        return CausePrinter.print(
                terminal(), json, WhyTarget.of(command("task"), terminal()).tasks(tasks -> tasks.why(id)));
    }

    @Command(
            name = "job",
            description = "Say why a job does not run.",
            footer = {"", "Example:", "  howdah why job 7"})
    int job(
            @Parameters(index = "0", paramLabel = "ID", description = "The id of the job.") long id,
            @Option(names = "--json", description = "Print a JSON object on a line for each cause.") boolean json) {
        return CausePrinter.print(
                terminal(), json, WhyTarget.of(command("job"), terminal()).jobs(jobs -> jobs.why(id)));
    }

    @Command(
            name = "schedule",
            description = "Say why a schedule adds no job.",
            footer = {"", "Example:", "  howdah why schedule nightly"})
    int schedule(
            @Parameters(index = "0", paramLabel = "NAME", description = "The name of the schedule.") String name,
            @Option(names = "--json", description = "Print a JSON object on a line for each cause.") boolean json) {
        return CausePrinter.print(
                terminal(), json, WhyTarget.of(command("schedule"), terminal()).jobs(jobs -> jobs.whySchedule(name)));
    }

    @Command(
            name = "process",
            description = "Say why a process does nothing.",
            footer = {"", "Example:", "  howdah why process payments 4711"})
    int process(
            @Parameters(index = "0", paramLabel = "NAMESPACE", description = "The namespace of the process.")
                    String namespace,
            @Parameters(index = "1", paramLabel = "ID", description = "The id of the process.") String id,
            @Option(names = "--json", description = "Print a JSON object on a line for each cause.") boolean json) {
        return CausePrinter.print(
                terminal(), json, WhyTarget.of(command("process"), terminal()).process(namespace, id));
    }

    @Command(
            name = "sweep",
            description = "Say why a sweep does not go on.",
            footer = {"", "Example:", "  howdah why sweep cleanup"})
    int sweep(
            @Parameters(index = "0", paramLabel = "NAME", description = "The name of the sweep.") String name,
            @Option(names = "--json", description = "Print a JSON object on a line for each cause.") boolean json) {
        return CausePrinter.print(
                terminal(), json, WhyTarget.of(command("sweep"), terminal()).sweep(name));
    }
}
