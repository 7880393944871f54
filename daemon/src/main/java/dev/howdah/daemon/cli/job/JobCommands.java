package dev.howdah.daemon.cli.job;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.cli.LimitOption;
import dev.howdah.daemon.cli.ListOptions;
import dev.howdah.daemon.cli.SchemaVersions;
import dev.howdah.daemon.cli.TimeoutOption;
import dev.howdah.daemon.cli.operation.ListCommands;
import dev.howdah.daemon.cli.operation.OperationCommands;
import dev.howdah.daemon.config.Installation;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.job.Jobs;
import dev.howdah.operations.change.EventOperations;
import dev.howdah.operations.change.JobOperations;
import dev.howdah.operations.change.LimitOperations;
import dev.howdah.operations.change.LogQueueOperations;
import dev.howdah.operations.change.QueueOperations;
import dev.howdah.operations.change.RetentionOperations;
import dev.howdah.operations.change.TagOperations;
import dev.howdah.operations.listed.ChartLists;
import dev.howdah.operations.listed.JobLists;
import dev.howdah.operations.listed.QueueLists;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code howdah job}: what can be done with jobs. */
@Command(
        name = "job",
        description =
                "Add, list, show, cancel and retry jobs; pause and limit queues; keep schedules; count jobs and errors.",
        synopsisSubcommandLabel = "COMMAND",
        addMethodSubcommands = false)
public final class JobCommands extends CommandGroup {
    /** In the order of the help. */
    private static final Map<String, Function<Terminal, CommandLine>> GROUPS = new LinkedHashMap<>();

    static {
        GROUPS.put("workflow", WorkflowCommands::commandLine);
        GROUPS.put("pipeline", PipelineCommands::commandLine);
        GROUPS.put("calendar", CalendarCommands::commandLine);
        GROUPS.put(
                "retention",
                terminal -> ListCommands.group(
                        terminal,
                        "job retention",
                        "List, put and remove rules for how long jobs that have ended are kept.",
                        RetentionOperations.ALL,
                        QueueLists.RETENTION));
        GROUPS.put(
                "queue",
                terminal -> ListCommands.group(
                        terminal, "job queue", "List queues of jobs.", List.of(), QueueLists.QUEUES));
        GROUPS.put(
                "limit",
                terminal -> ListCommands.group(
                        terminal,
                        "job limit",
                        "Limit how many jobs run at a time or begin within a period, share a queue between groups; list and remove limits.",
                        LimitOperations.ALL,
                        QueueLists.ALL_LIMITS));
        GROUPS.put(
                "log-queue",
                terminal -> ListCommands.group(
                        terminal,
                        "job log-queue",
                        "Create log queues; list, add, move and drop their readers.",
                        LogQueueOperations.ALL,
                        QueueLists.LOG_READERS));
        GROUPS.put("schedule", ScheduleCommands::commandLine);
    }

    private JobCommands(Terminal terminal, @Nullable String only) {
        super(terminal, only);
    }

    /** @param only the one command that is needed; null: all */
    public static CommandLine commandLine(Terminal terminal, @Nullable String only) {
        CommandLine line = withMethods(new JobCommands(terminal, only));
        JobChange.addTo(line, terminal);
        ListCommands.add(
                line, terminal, JobLists.JOBS, JobLists.ERRORS, ChartLists.JOBS, ChartLists.ERRORS, QueueLists.TAGS);
        OperationCommands.add(line, "job", terminal, JobOperations.OF_ONE);
        OperationCommands.add(line, "job", terminal, QueueOperations.ALL);
        OperationCommands.add(line, "job", terminal, TagOperations.ALL);
        OperationCommands.add(line, "job", terminal, EventOperations.ALL);
        ConfigurationOptions.addToCommandsOf(line);
        GROUPS.forEach((name, group) -> {
            if (needs(line, name)) line.addSubcommand(group.apply(terminal));
        });
        ConfigurationOptions.addInstallation(line);
        return line;
    }

    private JobQueries queries(String command) {
        return JobQueries.of(command(command), terminal());
    }

    @Command(name = "add", description = "Add a job and print its id.")
    int add(
            @Parameters(index = "0", paramLabel = "KIND", description = "The kind of the job.") String kind,
            @Parameters(index = "1", paramLabel = "PAYLOAD", description = "JSON.", defaultValue = "null")
                    String payload,
            @Option(
                            names = "--queue",
                            paramLabel = "QUEUE",
                            defaultValue = "default",
                            description = "The queue (default: ${DEFAULT-VALUE}).")
                    String queue,
            @Option(
                            names = "--priority",
                            paramLabel = "N",
                            defaultValue = "0",
                            description = "-100 to 100, lower runs first (default: ${DEFAULT-VALUE}).")
                    int priority,
            @Option(names = "--at", paramLabel = "TIME", description = "Not before this time.") @Nullable String at,
            @Option(names = "--delay", paramLabel = "INTERVAL", description = "Not before this has passed.") @Nullable
                    String delay,
            @Option(
                            names = "--key",
                            paramLabel = "KEY",
                            description = "Add the job only if no job with this key waits or runs.")
                    @Nullable
                    String key,
            @Mixin AddedOptions options,
            @Mixin UniqueOptions unique,
            @Option(names = "--wait", description = "Wait until the job has ended, and print its result.") boolean wait,
            @Option(
                            names = "--json",
                            description =
                                    "Print {\"id\": N, \"added\": true}, or with --wait the state and the result, on one line.")
                    boolean json) {
        Map<String, @Nullable String> added = queries("add")
                .one("command_add", queue, kind, payload, priority, at, delay, key, options.json(unique.fields()));
        boolean isNew = "t".equals(added.get("added"));
        String there = unique.fields() == null ? "a job with this key is there already" : "such a job is there already";
        if (wait) {
            if (!isNew) terminal().err().println(there + ": it is the one to wait for");
            return queries("add").await(Long.parseLong(String.valueOf(added.get("id"))), null, json);
        }
        if (json) terminal().out().println("{\"id\":" + added.get("id") + ",\"added\":" + isNew + "}");
        else {
            terminal().out().println(added.get("id"));
            if (!isNew) terminal().err().println(there + "; nothing was added");
        }
        return 0;
    }

    @Command(name = "show", description = "Show a job with its attempts and steps.")
    int show(
            @Parameters(paramLabel = "ID", description = "The id of the job.") long id,
            @Option(names = "--json", description = "Print a JSON object on one line.") boolean json) {
        new JobPrinter(queries("show"), terminal()).show(id, json);
        return 0;
    }

    @Command(name = "log", description = "Print the last lines that handlers have logged for a job.")
    int log(
            @Parameters(paramLabel = "ID", description = "The id of the job.") long id,
            @Mixin ListOptions options,
            @Mixin LimitOption limit) {
        int most = limit.rows();
        return new JobPrinter(queries("log"), terminal()).log(options, id, most);
    }

    @Command(name = "wait", description = "Wait until a job is done, failed or cancelled, and print its result.")
    int await(
            @Parameters(paramLabel = "ID", description = "The id of the job.") long id,
            @Mixin TimeoutOption timeout,
            @Option(names = "--json", description = "Print a JSON object on one line.") boolean json) {
        return queries("wait").await(id, timeout.time(), json);
    }

    @Command(name = "stats", description = "Count jobs by hour, queue and kind, or by tag.")
    int stats(
            @Option(names = "--queue", paramLabel = "QUEUE", description = "Only those of this queue.") @Nullable
                    String queue,
            @Option(
                            names = "--hours",
                            paramLabel = "N",
                            defaultValue = "24",
                            description = "How many hours back (default: ${DEFAULT-VALUE}).")
                    int hours,
            @Option(names = "--by-tag", description = "By tag, of the tags that are counted.") boolean byTag,
            @Mixin ListOptions options) {
        if (byTag && queue != null)
            throw CliException.usage("--by-tag and --queue " + queue + ": tags are counted in all queues together");
        if (hours < 1) throw CliException.usage("--hours has to be 1 or more, not " + hours);
        return byTag
                ? queries("stats").list(options, "command_tag_stats", hours)
                : queries("stats").list(options, "command_stats", queue, hours);
    }

    @Command(name = "install", description = "Create the tables of jobs, or bring them up to date.")
    int install() {
        queries("install").install();
        return 0;
    }

    @Command(name = "uninstall", description = "Drop the tables of jobs with their rows.")
    int uninstall(
            @Option(names = "--force", description = "Drop them even if nodes run and jobs wait.") boolean force) {
        queries("uninstall").uninstall(force);
        return 0;
    }

    @Command(name = "schema", description = "Print the SQL that creates the tables of jobs.")
    int schema(@Mixin SchemaVersions versions) {
        SchemaName schema =
                Installation.of(ConfigurationOptions.read(command("schema"), terminal(), Setting.INSTALLATION));
        terminal().out().print(schema.in(versions.text(Jobs::schema, Jobs::schema)));
        return 0;
    }
}
