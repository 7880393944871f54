package dev.howdah.console.internal.task;

import dev.howdah.console.internal.form.FormFields;
import dev.howdah.internal.error.SqlErrorText;
import dev.howdah.internal.text.Sha256;
import dev.howdah.operations.value.Moments;
import dev.howdah.task.NewTask;
import dev.howdah.task.Task;
import dev.howdah.task.TaskException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The form of a new task. Its values are those of columns, as PostgreSQL reads them; an empty one is the default of its column.
 *
 * @param task what was typed; null: something is wrong with it, or nothing was typed
 */
record TaskForm(FormFields fields, @Nullable NewTask task) {
    static final String INPUT = "input";
    static final String CRON = "cron";
    static final String ZONE = "zone";
    static final String SCHEDULE = "schedule";
    private static final String AFTER = "after";
    private static final String PLAN = "plan";
    private static final String ONCE = "once";
    private static final String REPEAT = "repeat";
    private static final String REMOTE = "remote";

    /** Columns whose text is given to PostgreSQL as it is. */
    private static final List<String> AS_TYPED = List.of(
            PLAN, "group", REMOTE, "timeout", REPEAT, ZONE, "max", "active", "attempts", "backoff", "notify", "data");

    private static final List<String> NAMES = List.of(
            INPUT,
            PLAN,
            "group",
            REMOTE,
            "timeout",
            REPEAT,
            CRON,
            ZONE,
            SCHEDULE,
            "max",
            "active",
            "attempts",
            "backoff",
            AFTER,
            ONCE,
            "notify",
            "data");

    /** As it is first shown. */
    static TaskForm empty() {
        return new TaskForm(new FormFields(NAMES, name -> null), null);
    }

    /** With what a task has; not its time, and no password. */
    static TaskForm of(Task task) {
        Map<String, @Nullable String> values = new LinkedHashMap<>();
        values.put(INPUT, task.input());
        if (!task.group().equals("group")) values.put("group", task.group());
        if (task.max() != 0) values.put("max", Integer.toString(task.max()));
        if (!isNothing(task.repeat())) values.put(REPEAT, task.repeat());
        if (!isNothing(task.timeout())) values.put("timeout", task.timeout());
        values.put(CRON, task.cron());
        values.put(ZONE, task.zone());
        if (task.attempts() != 1) {
            values.put("attempts", Integer.toString(task.attempts()));
            values.put("backoff", task.backoff());
        }
        values.put(ONCE, task.once() ? "yes" : null);
        values.put("notify", task.channel());
        values.put("data", task.data());
        String remote = task.remote();
        boolean secret =
                remote != null && !TaskPageController.withoutPassword(remote).equals(remote);
        if (!secret) values.put(REMOTE, remote);
        TaskForm form = new TaskForm(new FormFields(NAMES, values::get), null);
        if (secret)
            form.fields.wrong(
                    REMOTE,
                    "the address of task " + task.id() + " has a password, which is not shown: type the whole address");
        return form;
    }

    /** With all that the form has of a task that is edited, its time as well; not an address with a password. */
    static TaskForm stored(Task task) {
        FormFields fields = of(task).fields();
        Map<String, @Nullable String> values = new LinkedHashMap<>(fields.values());
        values.put(PLAN, Moments.text(task.plan()));
        if (!isNothing(task.active())) values.put("active", task.active());
        if (!isNothing(task.backoff())) values.put("backoff", task.backoff());
        String after = task.after();
        if (after != null) values.put(AFTER, after.replaceAll("[{}]", "").replace(",", ", "));
        return new TaskForm(new FormFields(NAMES, values::get), null);
    }

    /** A text that is another one after each change of the fields. */
    String version() {
        return Sha256.hex(fields.values().toString(), 8);
    }

    /**
     * What is to be set so that a task that has these fields has those that were typed.
     *
     * @param set its SQL, and the columns that were typed
     * @param defaults the columns whose fields were emptied
     */
    record Difference(NewTask set, List<String> defaults) {}

    /** @param stored the fields of the task as it is */
    Difference from(TaskForm stored) {
        NewTask set = NewTask.of(fields.value(INPUT));
        List<String> defaults = new ArrayList<>();
        for (String name : NAMES) {
            String typed = fields.text(name);
            if (name.equals(INPUT) || typed.equals(stored.fields.text(name))) continue;
            if (typed.isEmpty()) defaults.add(name);
            else if (name.equals(CRON)) set = set.cron(typed);
            else if (name.equals(AFTER)) set = set.after(ids(typed));
            else if (name.equals(ONCE)) set = set.once();
            else set = set.column(name, typed);
        }
        // What waits for others is planned for never: without them it is planned for now.
        boolean isFree = defaults.contains(AFTER)
                && fields.text(PLAN).equals(stored.fields.text(PLAN))
                && fields.text(PLAN).equals("infinity");
        if (isFree) defaults.add(PLAN);
        return new Difference(set, defaults);
    }

    private static boolean isNothing(String interval) {
        return interval.equals("00:00:00");
    }

    /** Reads what was typed. */
    static TaskForm read(Function<String, @Nullable String> typed) {
        FormFields fields = new FormFields(NAMES, typed);
        NewTask[] task = {NewTask.of(fields.value(INPUT))};
        if (fields.text(INPUT).isEmpty()) fields.wrong(INPUT, "a task needs SQL to run");
        for (String name : AS_TYPED) fields.use(name, text -> task[0] = task[0].column(name, text));
        fields.use(CRON, text -> task[0] = task[0].cron(text));
        if (!fields.text(CRON).isEmpty() && !fields.text(REPEAT).isEmpty())
            fields.wrong(REPEAT, "a task has either a cron expression or a distance to its next run, not both");
        fields.use(AFTER, text -> task[0] = task[0].after(ids(text)));
        if (!fields.text(ONCE).isEmpty()) task[0] = task[0].once();
        return new TaskForm(fields, fields.errors().isEmpty() ? task[0] : null);
    }

    private static long[] ids(String typed) {
        if (!typed.matches("\\s*\\d{1,18}(\\s*[,\\s]\\s*\\d{1,18})*\\s*"))
            throw new IllegalArgumentException("these are ids of tasks such as 12, 15; not \"" + typed + "\"");
        return java.util.Arrays.stream(typed.strip().split("[,\\s]+"))
                .mapToLong(Long::parseLong)
                .toArray();
    }

    /**
     * Says beside its field what the database has refused.
     *
     * @return what it says about no field; null: it is said beside one
     */
    @Nullable
    String refused(TaskException refusal) {
        String message = SqlErrorText.of(refusal.getCause());
        String column = column(message);
        if (column == null) return message;
        fields.wrong(column, column.equals(named(message)) ? "the table does not take this value" : message);
        return null;
    }

    /** The column whose check has refused the row; null: none has. */
    private static @Nullable String named(String message) {
        for (String name : NAMES) if (message.contains("_" + name + "_check\"")) return name;
        return null;
    }

    private @Nullable String column(String message) {
        String named = named(message);
        if (named != null) return named;
        for (String name : NAMES) {
            String typed = fields.text(name);
            if (!name.equals(INPUT) && !typed.isEmpty() && message.contains("\"" + typed + "\"")) return name;
        }
        return null;
    }
}
