package dev.howdah.console.internal.api.task;

import dev.howdah.console.internal.api.operation.ApiChanges;
import dev.howdah.operations.listed.TaskLists;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.shape.FieldType;
import dev.howdah.operations.shape.Shape;
import java.util.ArrayList;
import java.util.List;

/** The shapes of tasks: their fields have the names of the columns. */
final class TaskShapes {
    private static final Field ID = Field.of("id", FieldType.ID, "the id of the task");

    static final Field TABLE = Field.maybe(
            "table", FieldType.TEXT, "the table of tasks, such as public.task; the first that is served unless given");

    static final Shape TASK = whole();

    private static Shape whole() {
        List<Field> fields = new ArrayList<>(TaskLists.LISTED.shape().fields());
        fields.add(Field.of("columns", FieldType.OBJECT, "the other columns by name, as texts, without secrets"));
        fields.add(Field.many(
                "children",
                TaskLists.LISTED.shape(),
                "tasks that it has added by running or repeating: the newest 20"));
        return new Shape("Task", fields);
    }

    static final Shape NEW = Shape.of(
            "NewTask",
            Field.of("input", FieldType.TEXT, "one or more SQL statements"),
            Field.maybe("group", FieldType.TEXT, "tasks of a group take turns"),
            Field.maybe("plan", FieldType.TEXT, "the earliest start, as PostgreSQL reads times; now unless given"),
            Field.maybe("active", FieldType.TEXT, "an interval: later than that after plan it is not started"),
            Field.maybe("max", FieldType.INTEGER, "how many others of its group may run beside it"),
            Field.maybe("repeat", FieldType.TEXT, "an interval to the next run, such as 1 month"),
            Field.maybe("cron", FieldType.TEXT, "five or six fields, or a name such as @daily"),
            Field.maybe("zone", FieldType.TEXT, "of cron, such as Europe/Berlin"),
            Field.maybe("attempts", FieldType.INTEGER, "the runs until one ends well"),
            Field.maybe("backoff", FieldType.TEXT, "an interval before the second attempt"),
            Field.maybe("after", FieldType.TEXTS, "ids of tasks that have to end well before"),
            Field.maybe("once", FieldType.BOOLEAN, "true: its effects and its end are one transaction"),
            Field.maybe("notify", FieldType.TEXT, "the channel that is told of its end"),
            Field.maybe("timeout", FieldType.TEXT, "an interval that a statement of it may take"),
            Field.maybe("remote", FieldType.TEXT, "the address of another PostgreSQL to run it on"),
            Field.maybe("data", FieldType.TEXT, "a text of yours"),
            Field.maybe(
                    "columns", FieldType.OBJECT, "other columns by name, also your own: texts that PostgreSQL reads"));

    static final Shape CHANGE = change();

    private static Shape change() {
        List<Field> fields = new ArrayList<>(NEW.fields());
        fields.add(Field.maybe(
                "defaults", FieldType.TEXTS, "further columns by name, which take the defaults of the table"));
        return new Shape("ChangeTask", fields);
    }

    static final Shape EDITED = Shape.of("EditedTask", Field.of("result", FieldType.TEXT, "changed"));

    static final Shape CHECKED = Shape.of(
            "CheckedTask",
            Field.of("parsed", FieldType.BOOLEAN, "whether PostgreSQL has parsed its SQL and found nothing wrong"),
            Field.maybe("error", FieldType.TEXT, "what PostgreSQL says of its SQL; it may be added all the same"),
            Field.maybe("position", FieldType.INTEGER, "of the error in the input, in characters from 1 on"),
            Field.maybe("unchecked", FieldType.TEXT, "why its SQL was not parsed"));

    static final Shape ADDED = Shape.of("AddedTask", ID);

    private static final Field ACTION =
            Field.of("action", FieldType.TEXT, "retry, cancel, or delete, which needs the role administrator");

    static final Shape CHANGE_MANY =
            Shape.of("ChangeTasks", ACTION, Field.of("ids", FieldType.TEXTS, "1 to 1,000 ids of tasks"));

    static final Shape CHANGED_MANY = ApiChanges.changed("ChangedTasks");

    static final Shape CHANGE_ALL = changeAll();

    private static Shape changeAll() {
        List<Field> fields = new ArrayList<>(List.of(ACTION));
        fields.add(Field.maybe(
                "state",
                FieldType.TEXT,
                "PLAN, TAKE or WORK to cancel, all of these unless given; FAIL, DONE, GONE or STOP to retry or delete, FAIL"
                        + " unless given"));
        TaskLists.CHOSEN.stream().skip(1).forEach(each -> fields.add(Field.of(each)));
        return new Shape("ChangeAllTasks", fields);
    }

    private TaskShapes() {}
}
