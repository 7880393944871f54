package dev.howdah.daemon.cli.task;

import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** A command about one task, named by its id. */
abstract class TaskIdOption implements Callable<Integer> {
    final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call
    CommandSpec spec;

    @Parameters(paramLabel = "ID", description = "The id of the task.")
    long id;

    @Option(names = "--json", description = "Print the result as a JSON object on one line.")
    boolean json;

    TaskIdOption(Terminal terminal) {
        this.terminal = terminal;
    }

    CliException missing() {
        return CliException.failed("there is no task " + id);
    }
}
