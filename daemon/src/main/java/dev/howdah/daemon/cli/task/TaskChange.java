package dev.howdah.daemon.cli.task;

import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.task.TaskFilter;
import dev.howdah.task.TaskState;
import dev.howdah.task.TaskTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** A command that changes the tasks of some ids, or with {@code --all} those that meet its filter. */
abstract class TaskChange implements Callable<Integer> {
    private final Terminal terminal;
    private final String action;
    private final TaskState[] states;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before the call
    private CommandSpec spec;

    @Parameters(paramLabel = "ID", arity = "0..*", description = "Their ids; none with --all.")
    private List<Long> ids = List.of();

    @Option(names = "--all", description = "All tasks that meet the filter, up to a thousand in a transaction.")
    private boolean all;

    @Option(names = "--dry-run", description = "With --all: only count them.")
    private boolean dryRun;

    @Option(names = "--state", paramLabel = "STATE", description = "With --all: the state of these tasks.")
    private @Nullable TaskState state;

    @Mixin
    private final TaskFilterOptions filter = new TaskFilterOptions();

    @Option(names = "--json", description = "Print a JSON object on a line for each, or for all.")
    private boolean json;

    /**
     * @param action as it is printed
     * @param states for which it is; the first is the default
     */
    TaskChange(Terminal terminal, String action, TaskState... states) {
        this.terminal = terminal;
        this.action = action;
        this.states = states;
    }

    /** Changes the task of that id, and prints what was done; returns what kept it from that, null if nothing did. */
    abstract @Nullable String change(TaskTable table, long id);

    /** Changes all tasks of a filter: how many. */
    abstract long changeAll(TaskTable table, TaskFilter filter);

    /** Prints the object, or the line that says the same to a person. */
    final void print(long id, String result, @Nullable TaskState before, String line) {
        TaskCommands.print(
                terminal,
                json,
                before == null
                        ? Json.fields("id", id, "result", result)
                        : Json.fields("id", id, "result", result, "before", before),
                line);
    }

    static String missing(long id) {
        return "there is no task " + id;
    }

    @Override
    public final Integer call() {
        if (all) {
            if (!ids.isEmpty()) throw CliException.usage("--all and the id " + ids.get(0) + ": it is one or the other");
            return changeAll();
        }
        if (ids.isEmpty()) throw CliException.usage("missing ID, or --all");
        if (dryRun || state != null || !filter.isEmpty())
            throw CliException.usage("--dry-run, --state and the filter are for --all");
        List<String> complaints = TaskCommands.onTable(spec, terminal, table -> {
            List<String> found = new ArrayList<>();
            for (long id : ids) {
                String complaint = change(table, id);
                if (complaint != null) found.add(complaint);
            }
            return found;
        });
        if (!complaints.isEmpty()) throw CliException.failed(String.join("; ", complaints));
        return 0;
    }

    private int changeAll() {
        TaskState of = state == null ? states[0] : state;
        if (!Arrays.asList(states).contains(of))
            throw CliException.usage("--state " + of + ": it has to be one of "
                    + Stream.of(states).map(Enum::name).collect(Collectors.joining(", ")));
        // A schedule would be at an end: that has to be asked for by name.
        TaskFilter given = filter.in(of, spec, terminal).schedules(filter.namesSchedule());
        long tasks =
                TaskCommands.onTable(spec, terminal, table -> dryRun ? table.count(given) : changeAll(table, given));
        TaskCommands.print(
                terminal,
                json,
                Json.fields("action", action, "state", of, "tasks", tasks, "dry_run", dryRun),
                said(tasks));
        return 0;
    }

    private String said(long tasks) {
        if (tasks == 1) return dryRun ? "1 task meets the filter" : "1 task was changed";
        return tasks + (dryRun ? " tasks meet the filter" : " tasks were changed");
    }
}
