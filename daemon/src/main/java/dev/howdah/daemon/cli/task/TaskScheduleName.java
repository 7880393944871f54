package dev.howdah.daemon.cli.task;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A schedule of tasks, named in the arguments of a command. */
final class TaskScheduleName {
    @Parameters(paramLabel = "NAME", description = "The name of the schedule.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private String name;

    @Option(names = "--owner", paramLabel = "ROLE", description = "Its owner, if not the role that connects.")
    private @Nullable String owner;

    @Option(names = "--json", description = "Print the result as a JSON object on one line.")
    private boolean json;

    String name() {
        return name;
    }

    @Nullable
    String owner() {
        return owner;
    }

    boolean json() {
        return json;
    }

    @Override
    public String toString() {
        return "\"" + name + "\"" + (owner == null ? " of this role" : " of role " + owner);
    }
}
