package dev.howdah.daemon.cli.process;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.cli.LimitOption;
import dev.howdah.daemon.cli.ListOptions;
import dev.howdah.daemon.cli.SchemaVersions;
import dev.howdah.daemon.cli.operation.ListCommands;
import dev.howdah.daemon.cli.operation.OperationCommands;
import dev.howdah.daemon.config.Installation;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Listing;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.operations.change.ProcessOperations;
import dev.howdah.operations.listed.ProcessLists;
import dev.howdah.process.HistoryRange;
import dev.howdah.process.Payload;
import dev.howdah.process.ProcessState;
import dev.howdah.process.ProcessStatus;
import dev.howdah.process.Processes;
import dev.howdah.process.Request;
import dev.howdah.process.query.ProcessQuery;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code howdah process}: what can be done with processes. */
@Command(
        name = "process",
        description = "Start, call, repair, show and remove processes; decide on blocked notices.",
        synopsisSubcommandLabel = "COMMAND",
        addMethodSubcommands = false)
public final class ProcessCommands extends CommandGroup {
    private ProcessCommands(Terminal terminal, @Nullable String only) {
        super(terminal, only);
    }

    /** @param only the one command that is needed; null: all */
    public static CommandLine commandLine(Terminal terminal, @Nullable String only) {
        CommandLine line = withMethods(new ProcessCommands(terminal, only));
        ListCommands.add(
                line,
                terminal,
                ProcessLists.PROCESSES,
                ProcessLists.NAMESPACES,
                ProcessLists.TIMERS,
                ProcessLists.NOTICES);
        OperationCommands.add(line, "process", terminal, ProcessOperations.ALL);
        withDatabase(line);
        ConfigurationOptions.addInstallation(line);
        return line;
    }

    private ProcessTarget client(String command) {
        return ProcessTarget.of(command(command), terminal());
    }

    private ProcessPrinter printer(boolean json) {
        return new ProcessPrinter(terminal(), json);
    }

    /** Something that is asked and answered. */
    private interface Question {
        Payload ask(Processes processes, Request request);
    }

    private int ask(String command, ProcessRequest asked, Question question) {
        Request request = asked.read(terminal());
        Payload answer =
                client(command).await(asked.name(), asked.timeout(), processes -> question.ask(processes, request));
        printer(asked.json()).answer(answer);
        return 0;
    }

    @Command(name = "start", description = "Create a process, wait for its first step and print the answer.")
    int start(@Mixin ProcessRequest.One asked) {
        return ask("start", asked, Processes::init);
    }

    @Command(name = "call", description = "Call a process, wait for the answer and print it.")
    int call(@Mixin ProcessRequest.One asked) {
        return ask("call", asked, Processes::call);
    }

    @Command(name = "notify", description = "Send a message to a process, and wait only until it is durable.")
    int tell(@Mixin ProcessRequest.One asked) {
        Request request = asked.read(terminal());
        client("notify").ask(processes -> {
            processes.notify(request);
            return true;
        });
        printer(asked.json()).done("told");
        return 0;
    }

    /** Changes all processes that meet the filter. */
    private int changeAll(
            ProcessChange change,
            ProcessName.OneOrAll name,
            ProcessFilterOptions filter,
            @Nullable ProcessStatus only,
            boolean json) {
        if (name.hasId()) throw CliException.usage("--all and the id " + name.id() + ": it is one or the other");
        ProcessQuery query = filter.in(name.namespace(), only);
        return change.all(client(change.action()), terminal(), query, filter.isDryRun(), json);
    }

    @Command(
            name = "repair",
            description =
                    "Repair a process that is in error, by a step of its processor; with --all and --simple, many.")
    int repair(
            @Mixin ProcessRequest.OneOrAll asked,
            @Option(names = "--simple", description = "Without its processor: the timer that has broken it runs again.")
                    boolean simple,
            @Mixin ProcessFilterOptions filter) {
        if (filter.isAll()) {
            if (!simple)
                throw CliException.usage(
                        "--all without --simple: many processes are repaired without their processors");
            if (asked.hasMore())
                throw CliException.usage("--file, --context, --key and --timeout are for one process, not for --all");
            return changeAll(ProcessChange.repair(), asked.name(), filter, ProcessStatus.ERROR, asked.json());
        }
        filter.checkOne();
        if (!simple) return ask("repair", asked, Processes::repair);
        Request request = asked.read(terminal());
        client("repair").ask(processes -> {
            processes.simpleRepair(request);
            return true;
        });
        printer(asked.json()).done("repaired");
        return 0;
    }

    @Command(name = "get", description = "Show a process and its last events.")
    int get(
            @Mixin ProcessName.One name,
            @Option(
                            names = "--after",
                            paramLabel = "EVENT",
                            description = "Show the events after this one instead of the last events.")
                    @Nullable
                    Long after,
            @Mixin LimitOption limit,
            @Option(names = "--json", description = "Print a JSON object on one line.") boolean json) {
        HistoryRange range = after == null ? HistoryRange.last(limit.rows()) : HistoryRange.after(after, limit.rows());
        ProcessState found = client("get").see(processes -> processes.get(name.namespace(), name.id(), range));
        printer(json).state(found);
        return 0;
    }

    @Command(name = "trace", description = "Show every task of a process and its outcome.")
    int trace(@Mixin ListOptions options, @Mixin ProcessName.One name) {
        return options.print(
                terminal(),
                Listing.of(ProcessLists.STEP),
                () -> client("trace").see(processes -> processes.trace(name.namespace(), name.id())));
    }

    @Command(
            name = "remove",
            description = "Remove a process with all its rows, after the earlier calls; with --all, many.")
    int remove(
            @Mixin ProcessName.OneOrAll name,
            @Mixin ProcessFilterOptions filter,
            @Option(names = "--json", description = "Print a JSON object on one line.") boolean json) {
        if (filter.isAll()) return changeAll(ProcessChange.remove(), name, filter, null, json);
        filter.checkOne();
        String id = name.id();
        client("remove").ask(processes -> {
            processes.remove(name.namespace(), id);
            return true;
        });
        printer(json).done("removed");
        return 0;
    }

    @Command(name = "install", description = "Create the tables of processes, or bring them up to date.")
    int install() {
        client("install").install();
        terminal().out().println("the tables of processes are up to date");
        return 0;
    }

    @Command(name = "uninstall", description = "Drop the tables of processes with their rows.")
    int uninstall(
            @Option(names = "--force", description = "Drop them even if nodes run and there are processes.")
                    boolean force) {
        client("uninstall").uninstall(force);
        terminal().out().println("the tables of processes are gone");
        return 0;
    }

    @Command(name = "schema", description = "Print the SQL that creates the tables of processes.")
    int schema(@Mixin SchemaVersions versions) {
        SchemaName schema =
                Installation.of(ConfigurationOptions.read(command("schema"), terminal(), Setting.INSTALLATION));
        terminal().out().print(schema.in(versions.text(Processes::schema, Processes::schema)));
        return 0;
    }
}
