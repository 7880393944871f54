package dev.howdah.daemon.cli.process;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.cli.LimitOption;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.process.HistoryRange;
import dev.howdah.process.Payload;
import dev.howdah.process.PendingTimer;
import dev.howdah.process.ProcessState;
import dev.howdah.process.ProcessStatus;
import dev.howdah.process.ProcessSummary;
import dev.howdah.process.Processes;
import dev.howdah.process.Request;
import dev.howdah.process.TraceEntry;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code howdah process}: what can be done with processes. */
@Command(
        name = "process",
        description = "Starts processes, calls and repairs them, shows them and what they have done, removes them.",
        synopsisSubcommandLabel = "COMMAND")
public final class ProcessCommands extends CommandGroup {
    private ProcessCommands(Terminal terminal) {
        super(terminal);
    }

    public static CommandLine commandLine(Terminal terminal) {
        return commandLine(new ProcessCommands(terminal));
    }

    private ProcessClient desk(String command) {
        return ProcessClient.of(command(command), terminal());
    }

    private ProcessPrinter printer(boolean json) {
        return new ProcessPrinter(terminal().out(), json);
    }

    /** Something that is asked and answered. */
    private interface Question {
        Payload ask(Processes processes, Request request);
    }

    private int ask(String command, ProcessRequest asked, Question question) {
        Request request = asked.read(terminal());
        Payload answer =
                desk(command).await(asked.name(), asked.patience(), processes -> question.ask(processes, request));
        printer(asked.json()).answer(answer);
        return 0;
    }

    @Command(name = "start", description = "Makes a process, waits for its first step and prints the answer.")
    int start(@Mixin ProcessRequest asked) {
        return ask("start", asked, Processes::init);
    }

    @Command(name = "call", description = "Asks a process, waits for the answer and prints it.")
    int call(@Mixin ProcessRequest asked) {
        return ask("call", asked, Processes::call);
    }

    @Command(name = "notify", description = "Tells a process something, and waits only until that is durable.")
    int tell(@Mixin ProcessRequest asked) {
        Request request = asked.read(terminal());
        desk("notify").ask(processes -> {
            processes.notify(request);
            return true;
        });
        printer(asked.json()).done("told");
        return 0;
    }

    @Command(name = "repair", description = "Brings a process back that is in error, by a step of its processor.")
    int repair(
            @Mixin ProcessRequest asked,
            @Option(names = "--simple", description = "Without its processor: the timer that has broken it runs again.")
                    boolean simple) {
        if (!simple) return ask("repair", asked, Processes::repair);
        Request request = asked.read(terminal());
        desk("repair").ask(processes -> {
            processes.simpleRepair(request);
            return true;
        });
        printer(asked.json()).done("repaired");
        return 0;
    }

    @Command(name = "get", description = "Shows a process and its last events.")
    int get(
            @Mixin ProcessName name,
            @Option(
                            names = "--after",
                            paramLabel = "EVENT",
                            description = "Instead of the last events those after that one.")
                    @Nullable
                    Long after,
            @Mixin LimitOption limit,
            @Option(names = "--json", description = "Print a JSON object on one line.") boolean json) {
        HistoryRange range = after == null ? HistoryRange.last(limit.rows()) : HistoryRange.after(after, limit.rows());
        ProcessState found = desk("get").see(processes -> processes.get(name.namespace(), name.id(), range));
        printer(json).state(found);
        return 0;
    }

    @Command(name = "trace", description = "Shows every task of a process and what came of it.")
    int trace(
            @Mixin ProcessName name,
            @Option(names = "--json", description = "Print a JSON object on a line for each.") boolean json) {
        List<TraceEntry> units = desk("trace").see(processes -> processes.trace(name.namespace(), name.id()));
        printer(json).trace(units);
        return 0;
    }

    @Command(name = "list", description = "Lists the processes of a namespace in the order of their ids.")
    int list(
            @Parameters(paramLabel = "NAMESPACE", description = "The namespace.") String namespace,
            @Option(
                            names = "--status",
                            paramLabel = "STATUS",
                            description = "Only those that are init, running or error.")
                    @Nullable
                    ProcessStatus status,
            @Option(names = "--after", paramLabel = "ID", defaultValue = "", description = "Only those behind this id.")
                    String after,
            @Mixin LimitOption limit,
            @Option(names = "--json", description = "Print a JSON object on a line for each.") boolean json) {
        int most = limit.rows();
        List<ProcessSummary> found = desk("list").see(processes -> processes.list(namespace, status, after, most));
        printer(json).list(found);
        return 0;
    }

    @Command(name = "timers", description = "Lists timers that wait, in the order in which they are due.")
    int timers(
            @Parameters(paramLabel = "NAMESPACE", description = "The namespace.") String namespace,
            @Mixin LimitOption limit,
            @Option(names = "--json", description = "Print a JSON object on a line for each.") boolean json) {
        int most = limit.rows();
        List<PendingTimer> found = desk("timers").see(processes -> processes.timers(namespace, most));
        printer(json).timers(found);
        return 0;
    }

    @Command(name = "remove", description = "Removes a process and all it had, after what it was asked before.")
    int remove(
            @Mixin ProcessName name,
            @Option(names = "--json", description = "Print a JSON object on one line.") boolean json) {
        desk("remove").ask(processes -> {
            processes.remove(name.namespace(), name.id());
            return true;
        });
        printer(json).done("removed");
        return 0;
    }

    @Command(name = "install", description = "Makes the tables of processes, or brings them up to date.")
    int install() {
        desk("install").install();
        terminal().out().println("the tables of processes are up to date");
        return 0;
    }

    @Command(name = "schema", description = "Prints the SQL that makes the tables of processes.")
    int schema() {
        terminal().out().print(Processes.schema());
        return 0;
    }
}
