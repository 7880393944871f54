package dev.howdah.console.internal.task;

import dev.howdah.console.internal.data.ConsoleData.TableName;
import dev.howdah.console.internal.page.NotFoundException;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.console.internal.schedule.NextTime;
import dev.howdah.console.internal.view.TimeText;
import dev.howdah.health.Cause;
import dev.howdah.operations.Values;
import dev.howdah.operations.change.TaskOperations;
import dev.howdah.task.Task;
import dev.howdah.task.TaskTable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One task: {@code /tasks/{id}?table=}. */
public final class TaskPageController implements PageController {
    private static final int CHILDREN = 20;
    private static final int NEXT_TIMES = 5;

    /** So many characters of an output are shown; all of it is a file. */
    public static final int SHOWN_OUTPUT = 100_000;

    /** The defaults of the columns that the class Task has no fields for. */
    private static final Map<String, String> USUAL = Map.ofEntries(
            Map.entry("live", "00:00:00"),
            Map.entry("count", "0"),
            Map.entry("null", "\\N"),
            Map.entry("save", "false"),
            Map.entry("drift", "false"),
            Map.entry("delete", "true"),
            Map.entry("header", "true"),
            Map.entry("string", "true"),
            Map.entry("quote", ""),
            Map.entry("escape", ""),
            Map.entry("delimiter", "\t"));

    private final TaskTables tables;

    TaskPageController(TaskTables tables) {
        this.tables = tables;
    }

    /**
     * What the template shows.
     *
     * @param causes why it does not run, or what it does; empty if it has ended well
     * @param children the tasks that it has added, the newest 20
     * @param dependents the tasks that wait for it, the first 20
     * @param next the times at which it is repeated after this one; empty: never, or they depend on the zone of the server
     * @param settings the columns that differ from their defaults, as far as they say something
     * @param others the user's own columns
     */
    public record Model(
            TableName table,
            boolean isOnlyTable,
            Task task,
            List<Cause> causes,
            List<Task> children,
            List<Task> dependents,
            List<NextTime> next,
            Map<String, String> settings,
            Map<String, String> others) {
        /** The path of another task of the table. */
        public String path(long id) {
            String path = "/tasks/" + id;
            return isOnlyTable ? path : path + "?table=" + PageRequest.encoded(table.text());
        }

        /** The ids of the tasks that it waits for, or has waited for. */
        public List<Long> predecessors() {
            String after = task.after();
            if (after == null) return List.of();
            List<Long> ids = new ArrayList<>();
            for (String each : after.replaceAll("[{}]", "").split(",", -1))
                if (each.matches("\\d{1,18}")) ids.add(Long.valueOf(each));
            return ids;
        }

        /** Whether it has relatives. */
        public boolean hasFamily() {
            return task.parent() != null
                    || task.retry() != null
                    || !children.isEmpty()
                    || !dependents.isEmpty()
                    || !predecessors().isEmpty();
        }

        /** The path of the form of a copy. */
        public String copy() {
            String path = "/tasks/new?from=" + task.id();
            return isOnlyTable ? path : path + "&table=" + PageRequest.encoded(table.text());
        }

        /** The path of the file with its output. */
        public String output() {
            String path = "/api/v1/tasks/" + task.id() + "/output";
            return isOnlyTable ? path : path + "?table=" + PageRequest.encoded(table.text());
        }

        /** The key of the task, with its table where there are several. */
        public Values key() {
            return TaskOperations.key(task.id(), isOnlyTable ? null : table.text());
        }

        /** The path of an action on the task. */
        public String action(String action) {
            String path = "/tasks/" + task.id() + "/" + action;
            return isOnlyTable ? path : path + "?table=" + PageRequest.encoded(table.text());
        }
    }

    @Override
    public Page page(PageRequest request) {
        long id = request.id();
        TableName table = tables.of(request);
        return new Page("Task " + id, Section.TASKS, new Part("task", "task.jte", () -> model(request, table, id)));
    }

    private Model model(PageRequest request, TableName table, long id) {
        TaskTable tasks = tables.table(request);
        Task task = tasks.find(id)
                .orElseThrow(() -> new NotFoundException("There is no task " + id + " in " + table.text()
                        + ": its id is wrong, or it was removed with the history."));
        List<Cause> causes = task.state().ended() ? List.of() : tasks.why(id);
        return new Model(
                table,
                tables.all().size() < 2,
                task,
                causes,
                tasks.children(id, CHILDREN),
                task.state().ended() ? List.of() : tasks.dependents(id, CHILDREN),
                next(task),
                settings(task),
                others(task.others()));
    }

    private static List<NextTime> next(Task task) {
        String cron = task.cron();
        String zone = task.zone();
        if (task.state().ended() || cron == null || zone == null) return List.of();
        Instant now = Instant.now();
        boolean isLater =
                task.plan().isAfter(now) && !TimeText.machine(task.plan()).isEmpty();
        return NextTime.ofCron(cron, zone, isLater ? task.plan() : now, NEXT_TIMES);
    }

    private static Map<String, String> settings(Task task) {
        Map<String, String> shown = new LinkedHashMap<>();
        put(shown, "group", task.group().equals("group") ? null : task.group());
        put(shown, "owner", task.owner());
        put(shown, "remote", task.remote() == null ? null : withoutPassword(task.remote()));
        put(shown, "max", task.max() == 0 ? null : Integer.toString(task.max()));
        put(shown, "repeat", isNothing(task.repeat()) ? null : task.repeat());
        put(shown, "cron", task.cron());
        put(shown, "zone", task.zone());
        put(shown, "attempts", task.attempts() == 1 ? null : Integer.toString(task.attempts()));
        put(shown, "backoff", isNothing(task.backoff()) || task.attempts() == 1 ? null : task.backoff());
        put(shown, "timeout", isNothing(task.timeout()) ? null : task.timeout());
        put(shown, "once", task.once() ? "on" : null);
        put(shown, "notify", task.channel());
        put(shown, "data", task.data());
        put(shown, "pid", task.pid() == null ? null : task.pid().toString());
        return shown;
    }

    static String withoutPassword(String remote) {
        return remote.replaceAll("(?i)(password\\s*=\\s*)('[^']*'|\\S+)", "$1***")
                .replaceAll("(://[^/@:]*):[^@]*@", "$1:***@");
    }

    private static boolean isNothing(String interval) {
        return interval.equals("00:00:00");
    }

    /** The columns of users, and of those that say how output is written and a session is used what differs from the default. */
    /** The names of the columns that say how output is written and a session is used. */
    static String usual() {
        return String.join(" ", USUAL.keySet());
    }

    private static Map<String, String> others(Map<String, @Nullable Object> others) {
        Map<String, String> shown = new LinkedHashMap<>();
        others.forEach((name, value) -> {
            String text = value == null ? null : value.toString();
            if (!Objects.equals(USUAL.get(name), text) && !name.equals("owner_oid")) put(shown, name, text);
        });
        return shown;
    }

    private static void put(Map<String, String> shown, String name, @Nullable String value) {
        if (value != null) shown.put(name, value);
    }
}
