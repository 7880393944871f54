package dev.howdah.daemon.cli.job;

import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.console.Terminal;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code howdah job log-queue}: queues whose jobs are entries of a log, and their readers. */
@Command(
        name = "log-queue",
        description = "Create log queues; list, add, move and drop their readers.",
        synopsisSubcommandLabel = "COMMAND")
final class LogQueueCommands extends CommandGroup {
    private LogQueueCommands(Terminal terminal) {
        super(terminal);
    }

    static CommandLine commandLine(Terminal terminal) {
        return commandLine(new LogQueueCommands(terminal));
    }

    private JobQueries queries(String command) {
        return JobQueries.of(command(command), terminal());
    }

    private int said(String what) {
        terminal().out().println(what);
        return 0;
    }

    @Command(name = "list", description = "List the readers of all log queues, and how many entries wait for each.")
    int list(@Option(names = "--json", description = "Print a JSON object on a line for each.") boolean json) {
        queries("list").table(json, "command_log_queue_list");
        return 0;
    }

    @Command(name = "create", description = "Create a log queue, or change for how long one keeps entries.")
    int create(
            @Parameters(index = "0", paramLabel = "QUEUE", description = "The queue.") String queue,
            @Option(
                            names = "--keep",
                            paramLabel = "INTERVAL",
                            defaultValue = "0",
                            description =
                                    "How long entries stay that all readers have read (default: ${DEFAULT-VALUE}).")
                    String keep) {
        queries("create").one("command_log_queue_create", queue, keep);
        return said("created");
    }

    @Command(
            name = "limit",
            description = "Set how much a reader may have to read: jobs that are added beyond that are refused.")
    int limit(
            @Parameters(index = "0", paramLabel = "QUEUE", description = "The log queue.") String queue,
            @Parameters(
                            index = "1",
                            paramLabel = "SIZE",
                            description = "As in '10 GB', 1 MB or more; none: there is no bound.")
                    String size) {
        queries("limit").one("command_log_queue_limit", queue, size.equals("none") ? null : size);
        return said(size.equals("none") ? "no bound" : "bound set");
    }

    @Command(name = "add-reader", description = "Add a reader, and print the name of its queue.")
    int addReader(
            @Parameters(index = "0", paramLabel = "QUEUE", description = "The log queue.") String queue,
            @Parameters(index = "1", paramLabel = "READER", description = "The reader.") String reader,
            @Option(
                            names = "--since",
                            paramLabel = "TIME",
                            description = "It gets what was added since then (default: what is added from now on).")
                    @Nullable
                    String since) {
        return said(Objects.requireNonNull(queries("add-reader")
                .one("command_log_queue_add_reader", queue, reader, since)
                .get("queue")));
    }

    @Command(
            name = "seek",
            description = "Move a reader to what was added since a time: jobs are skipped, or run again.")
    int seek(
            @Parameters(index = "0", paramLabel = "QUEUE", description = "The log queue.") String queue,
            @Parameters(index = "1", paramLabel = "TIME", description = "The time.") String since,
            @Option(
                            names = "--reader",
                            paramLabel = "READER",
                            description = "The reader (default: the first one, which has no name).")
                    @Nullable
                    String reader) {
        queries("seek").one("command_log_queue_seek", queue, reader, since);
        return said("moved");
    }

    @Command(name = "drop-reader", description = "Drop a reader.")
    int dropReader(
            @Parameters(index = "0", paramLabel = "QUEUE", description = "The log queue.") String queue,
            @Parameters(index = "1", paramLabel = "READER", description = "The reader.") String reader) {
        queries("drop-reader").one("command_log_queue_drop_reader", queue, reader);
        return said("dropped");
    }
}
