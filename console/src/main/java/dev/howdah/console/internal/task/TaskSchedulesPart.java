package dev.howdah.console.internal.task;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleData.TableName;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.schedule.ScheduleWords;
import dev.howdah.operations.Values;
import dev.howdah.operations.change.TaskScheduleOperations;
import dev.howdah.task.Task;
import dev.howdah.task.TaskException;
import dev.howdah.task.TaskQuery;
import dev.howdah.task.TaskSchedules;
import dev.howdah.task.TaskState;
import java.util.ArrayList;
import java.util.List;

/** The part of the page of schedules with those of tasks: schedules with a name, and planned tasks that repeat. Safe for use by many threads. */
public final class TaskSchedulesPart {
    /** Of so many planned tasks of a table, the next ones, those that repeat are shown. */
    public static final int PLANNED = 200;

    private static final String NO_SUCH_FUNCTION = "42883";
    private static final String NO_SUCH_TABLE = "42P01";

    private final ConsoleData data;
    private final TaskTables tables;

    public TaskSchedulesPart(ConsoleData data) {
        this.data = data;
        this.tables = new TaskTables(data);
    }

    /** A schedule with a name. */
    public record Named(TableName table, TaskSchedules.Entry entry) {
        /** The schedule for its buttons. */
        public Values key() {
            return TaskScheduleOperations.key(entry.name(), entry.owner(), table.text());
        }

        /** Its times, in words. */
        public String times() {
            return ScheduleWords.cron(entry.cron(), entry.zone());
        }
    }

    /** A task that is planned again after each run. */
    public record Repeating(TableName table, Task task) {
        /** Its times, in words. */
        public String times() {
            String cron = task.cron();
            return cron == null ? "every " + task.repeat() : ScheduleWords.cron(cron, task.zone());
        }
    }

    /** What the template shows. */
    public record Model(TaskTables tables, List<Named> named, List<Repeating> repeating) {
        /** The path of a task. */
        public String path(TableName table, long id) {
            return tables.path(table, id);
        }

        public boolean isOneTable() {
            return tables.all().size() < 2;
        }
    }

    /** Reads the part when it is shown. */
    public Part part() {
        return new Part("tasks", "task-schedules.jte", this::model);
    }

    private Model model() {
        List<Named> named = new ArrayList<>();
        List<Repeating> repeating = new ArrayList<>();
        for (TableName table : tables.all()) {
            for (TaskSchedules.Entry each : named(table)) named.add(new Named(table, each));
            for (Task each : planned(table))
                if (isRepeated(each) && named.stream().noneMatch(one -> isOf(one, table, each.id())))
                    repeating.add(new Repeating(table, each));
        }
        return new Model(tables, named, repeating);
    }

    private static boolean isOf(Named schedule, TableName table, long id) {
        return schedule.table().equals(table) && schedule.entry().id() == id;
    }

    private static boolean isRepeated(Task task) {
        return task.cron() != null || !task.repeat().equals("00:00:00");
    }

    /** A table may be created later. */
    private List<Task> planned(TableName table) {
        try {
            return data.tasks(table)
                    .list(TaskQuery.all().state(TaskState.PLAN).limit(PLANNED))
                    .tasks();
        } catch (TaskException e) {
            if (e.sqlState().equals(NO_SUCH_TABLE)) return List.of();
            throw e;
        }
    }

    /** A table that an older program has made has no schedules with a name. */
    private List<TaskSchedules.Entry> named(TableName table) {
        try {
            return data.tasks(table).schedules().list();
        } catch (TaskException e) {
            if (e.sqlState().equals(NO_SUCH_FUNCTION)) return List.of();
            throw e;
        }
    }
}
