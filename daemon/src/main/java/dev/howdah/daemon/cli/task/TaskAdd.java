package dev.howdah.daemon.cli.task;

import dev.howdah.daemon.cli.sql.SqlText;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.internal.error.PlainText;
import dev.howdah.internal.schedule.CronSchedule;
import dev.howdah.internal.schedule.ZoneNames;
import dev.howdah.task.NewTask;
import dev.howdah.task.Task;
import dev.howdah.task.TaskState;
import dev.howdah.task.TaskTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code howdah task add}. */
@Command(
        name = "add",
        description = "Add a task and print its id.",
        footer = {
            "",
            "Values are written as PostgreSQL reads them: --plan 'tomorrow 03:00', --repeat '1 day'. An option that is"
                    + " not given takes the default of its column."
        })
final class TaskAdd implements Callable<Integer> {
    private static final Duration FIRST_LOOK = Duration.ofMillis(20);
    private static final Duration LAST_LOOK = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Terminal terminal;

    @Mixin
    private final SqlText input = new SqlText();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call
    private CommandSpec spec;

    @Option(names = "--group", paramLabel = "GROUP", description = "The group whose tasks take turns.")
    private @Nullable String group;

    @Option(names = "--plan", paramLabel = "TIME", description = "Earliest start.")
    private @Nullable String plan;

    @Option(names = "--active", paramLabel = "INTERVAL", description = "How long after --plan it may still start.")
    private @Nullable String active;

    @Option(
            names = "--max",
            paramLabel = "N",
            description =
                    "How many other tasks of its group may run beside it; negative: pause after it, in milliseconds.")
    private @Nullable Integer max;

    @Option(names = "--repeat", paramLabel = "INTERVAL", description = "Run it again at this interval.")
    private @Nullable String repeat;

    @Option(
            names = "--cron",
            paramLabel = "SCHEDULE",
            description = "Run it again at the times of this schedule, such as '0 3 * * MON-FRI' or @hourly.")
    private @Nullable String cron;

    @Option(names = "--zone", paramLabel = "ZONE", description = "The time zone of the schedule: Europe/Berlin.")
    private @Nullable String zone;

    @Option(names = "--attempts", paramLabel = "N", description = "Maximum number of runs while they fail.")
    private @Nullable Integer attempts;

    @Option(
            names = "--backoff",
            paramLabel = "INTERVAL",
            description = "Delay before the next attempt; doubled each time.")
    private @Nullable String backoff;

    @Option(
            names = "--after",
            paramLabel = "ID",
            split = ",",
            description = "Run it when these tasks have ended as DONE; separated by commas, or repeated.")
    private List<Long> after = new ArrayList<>();

    @Option(names = "--once", description = "Commit its effects and its end in one transaction: exactly once.")
    private boolean once;

    @Option(
            names = "--notify",
            paramLabel = "CHANNEL",
            description = "Send a NOTIFY on this channel when it has ended.")
    private @Nullable String notify;

    @Option(names = "--timeout", paramLabel = "INTERVAL", description = "Maximum time of each of its statements.")
    private @Nullable String timeout;

    @Option(names = "--remote", paramLabel = "ADDRESS", description = "The PostgreSQL to run it on, if not this one.")
    private @Nullable String remote;

    @Option(
            names = "--set",
            paramLabel = "COLUMN=VALUE",
            description = "Any other column of the table; may be repeated.")
    private List<String> others = new ArrayList<>();

    @Option(
            names = "--wait",
            description = "Wait until it has ended and print its output instead; its id goes to the standard error."
                    + " Exit code 1 if it failed.")
    private boolean wait;

    @Option(
            names = "--json",
            description = "Print {\"id\": N}, or with --wait the whole task, as a JSON object on one line.")
    private boolean json;

    TaskAdd(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        String sql = input.read(terminal);
        NewTask task = task(sql);
        return TaskCommands.onTable(spec, terminal, table -> {
            long id = table.add(task);
            return wait ? outcome(table, id) : added(id);
        });
    }

    private NewTask task(String sql) {
        NewTask task = NewTask.of(sql);
        for (Map.Entry<String, String> each : columns().entrySet()) task = task.column(each.getKey(), each.getValue());
        return task;
    }

    private Map<String, String> columns() {
        Map<String, String> columns = new LinkedHashMap<>();
        for (String other : others) set(columns, other);
        put(columns, "group", group);
        put(columns, "plan", plan);
        put(columns, "active", active);
        put(columns, "max", max);
        put(columns, "repeat", repeat);
        put(columns, "cron", checked("cron", cron, CronSchedule::parse));
        put(columns, "zone", checked("zone", zone, ZoneNames::zone));
        put(columns, "attempts", attempts);
        put(columns, "backoff", backoff);
        if (!after.isEmpty())
            put(columns, "after", after.toString().replace('[', '{').replace(']', '}'));
        put(columns, "once", once ? "true" : null);
        put(columns, "notify", notify);
        put(columns, "timeout", timeout);
        put(columns, "remote", remote);
        for (String each : List.of("delimiter", "escape", "quote")) {
            String value = columns.get(each);
            // PostgreSQL cuts it to its first byte before anything else sees it.
            if (value != null && !value.matches("\\p{ASCII}?"))
                throw CliException.usage("--set " + each + "=" + value + ": it takes one ASCII character"
                        + (each.equals("delimiter") ? "" : ", or none"));
        }
        if (columns.containsKey("input")) throw CliException.usage("--set input=...: the input is the SQL itself");
        return columns;
    }

    static void set(Map<String, String> columns, String other) {
        int equals = other.indexOf('=');
        if (equals < 1)
            throw CliException.usage("--set has to be COLUMN=VALUE, such as --set priority=3, not \"" + other + "\"");
        String column = other.substring(0, equals);
        if (columns.put(column, other.substring(equals + 1)) != null)
            throw CliException.usage("--set " + column + "=... was given twice");
    }

    /** What the database would take, and only the scheduler refuse. */
    static @Nullable String checked(String flag, @Nullable String value, Consumer<String> reader) {
        try {
            if (value != null) reader.accept(value);
            return value;
        } catch (IllegalArgumentException e) {
            throw CliException.usage("--" + flag + " '" + value + "': " + e.getMessage());
        }
    }

    private static void put(Map<String, String> columns, String column, @Nullable Object value) {
        if (value == null) return;
        if (columns.put(column, value.toString()) != null)
            throw CliException.usage("--" + column + " and --set " + column + "=...: only one of them");
    }

    private int added(long id) {
        TaskCommands.print(terminal, json, Map.of("id", id), Long.toString(id));
        return 0;
    }

    private int outcome(TaskTable table, long id) {
        if (!json) {
            terminal.err().println("task " + id);
            terminal.err().flush();
        }
        Optional<TaskState> state = ended(table, id);
        // A task may delete itself, or be deleted, when there is nothing to read in it.
        Optional<Task> task = state.isEmpty() ? Optional.empty() : table.find(id);
        if (json) {
            terminal.out()
                    .println(task.map(t -> Json.line(TaskView.fields(t))).orElseGet(() -> Json.line(Map.of("id", id))));
        } else {
            task.map(Task::output)
                    .filter(text -> !text.isEmpty())
                    .map(this::shown)
                    .ifPresent(terminal.out()::println);
            task.map(Task::error).map(PlainText::of).ifPresent(terminal.err()::println);
        }
        return state.isEmpty() || state.get() == TaskState.DONE ? 0 : CliException.FAILED;
    }

    /** A program that reads the output gets it as it is. */
    private String shown(String output) {
        return terminal.outIsScreen() ? PlainText.of(output) : output;
    }

    private Optional<TaskState> ended(TaskTable table, long id) {
        long begun = System.nanoTime();
        boolean warned = false;
        Duration pause = FIRST_LOOK;
        while (true) {
            Optional<TaskState> state = table.state(id);
            if (state.isEmpty() || state.get().ended()) return state;
            if (!warned
                    && plan == null
                    && cron == null
                    && after.isEmpty()
                    && state.get() == TaskState.PLAN
                    && System.nanoTime() - begun > PATIENCE.toNanos()) {
                warned = true;
                terminal.err()
                        .println("task " + id
                                + " still waits for its turn; if no \"howdah up\" serves this table, it waits on");
                terminal.err().flush();
            }
            LockSupport.parkNanos(pause.toNanos());
            pause = pause.multipliedBy(2).compareTo(LAST_LOOK) < 0 ? pause.multipliedBy(2) : LAST_LOOK;
        }
    }
}
