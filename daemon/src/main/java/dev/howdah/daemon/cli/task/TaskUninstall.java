package dev.howdah.daemon.cli.task;

import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.database.CommandTarget;
import dev.howdah.daemon.database.SqlFailure;
import dev.howdah.task.TaskTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code howdah task uninstall}. */
@Command(
        name = "uninstall",
        description = "Drop the triggers, functions and logins that Howdah has made for the table of tasks.")
final class TaskUninstall implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call
    private CommandSpec spec;

    @Option(
            names = "--force",
            description = "Drop them even if a scheduler runs, tasks wait or run, or documents are there.")
    private boolean force;

    @Option(names = "--drop-table", description = "Drop the table with its rows, too.")
    private boolean dropTable;

    TaskUninstall(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        CommandTarget target = CommandTarget.of(ConfigurationOptions.read(spec, terminal), terminal.environment());
        String table = target.schema() + "." + target.table();
        try (Connection connection = target.database().connect()) {
            TaskTable.uninstall(connection, target.schema(), target.table(), force, dropTable);
        } catch (IllegalStateException e) {
            String forced = force ? "" : "; --force removes it all the same";
            throw CliException.failed(e.getMessage() + forced);
        } catch (SQLException e) {
            throw SqlFailure.of(e, target);
        }
        terminal.out()
                .println(
                        dropTable
                                ? "the table " + table + " is gone"
                                : "the table " + table + " is a table of tasks no more; its rows are still there");
        return 0;
    }
}
