package dev.howdah.daemon.cli.migrate;

import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.config.Installation;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Listing;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.database.CommandTarget;
import dev.howdah.daemon.database.SqlFailure;
import dev.howdah.internal.connection.SchemaConnection;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.job.Jobs;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code howdah import db-scheduler}: unlike schedules, what is due once is moved, else it would be done twice. */
@Command(
        name = "db-scheduler",
        description = "Move the executions of one-time tasks of db-scheduler, in the same database, into jobs.")
final class DbSchedulerCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before the call
    private CommandSpec spec;

    @Option(
            names = "--task",
            paramLabel = "NAME[=KIND]",
            required = true,
            description =
                    "A one-time task, and the kind of its jobs (default: the name of the task); may be given again.")
    private List<String> tasks = List.of();

    @Option(
            names = "--queue",
            paramLabel = "QUEUE",
            defaultValue = "default",
            description = "The queue of the jobs (default: ${DEFAULT-VALUE}).")
    private String queue = "";

    @Option(names = "--dry-run", description = "Only say what would be done.")
    private boolean dryRun;

    @Option(names = "--json", description = "Print a JSON object on a line for each.")
    private boolean json;

    private DbSchedulerCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    static CommandLine commandLine(Terminal terminal) {
        CommandLine line = new CommandLine(new DbSchedulerCommand(terminal));
        ConfigurationOptions.add(
                line.getCommandSpec(), Setting.DATA, Setting.URL, Setting.INSTALLATION, Setting.CONFIG);
        return line;
    }

    @Override
    public Integer call() {
        Map<String, String> kinds = kinds();
        Configuration configuration = ConfigurationOptions.read(spec, terminal);
        CommandTarget target = CommandTarget.of(configuration, terminal.environment());
        SchemaName schema = Installation.of(configuration);
        try (Connection connection = SchemaConnection.of(target.database().connect(), schema)) {
            DbSchedulerImport moves = new DbSchedulerImport(connection, queue, dryRun);
            if (!moves.hasTable())
                throw CliException.failed("there is no table scheduled_tasks in "
                        + target.database().describe()
                        + " in the search path: one of its schema belongs into the URL, as"
                        + " ?options=-csearch_path%3DSCHEMA");
            if (!Jobs.isInstalled(connection, schema.name()))
                throw CliException.failed(
                        "there are no jobs in " + target.database().describe()
                                + ": a program that uses the library makes their tables, or \"howdah job install\"");
            Listing<DbSchedulerImport.Outcome>.Rows rows = new Listing<DbSchedulerImport.Outcome>()
                    .text("task", DbSchedulerImport.Outcome::task)
                    .text("kind", DbSchedulerImport.Outcome::kind)
                    .text("instance", DbSchedulerImport.Outcome::instance)
                    .number("count", DbSchedulerImport.Outcome::count)
                    .text("result", this::result)
                    .text("note", DbSchedulerImport.Outcome::note)
                    .to(terminal, json);
            for (Map.Entry<String, String> each : kinds.entrySet())
                moves.move(each.getKey(), each.getValue(), rows::add);
            rows.end();
            return 0;
        } catch (SQLException e) {
            throw SqlFailure.of(e, target);
        }
    }

    private String result(DbSchedulerImport.Outcome outcome) {
        if (outcome.note() != null) return "left";
        return dryRun ? "to be moved" : "moved";
    }

    /** The kinds of the jobs by the names of the tasks. */
    private Map<String, String> kinds() {
        Map<String, String> kinds = new LinkedHashMap<>();
        for (String each : tasks) {
            int end = each.lastIndexOf('=');
            String task = end < 0 ? each : each.substring(0, end);
            String kind = end < 0 ? each : each.substring(end + 1);
            if (task.isEmpty() || kind.isEmpty())
                throw CliException.usage("--task " + each + ": it has to be the name of a task, or NAME=KIND");
            if (kinds.put(task, kind) != null) throw CliException.usage("--task " + each + ": it is given twice");
        }
        return kinds;
    }
}
