package dev.howdah.console.internal.api.task;

import dev.howdah.console.internal.api.ApiChanges;
import dev.howdah.console.internal.api.schema.Field;
import dev.howdah.console.internal.api.schema.FieldType;
import dev.howdah.console.internal.api.schema.Shape;
import java.util.ArrayList;
import java.util.List;

/** The shapes of tasks: their fields have the names of the columns. */
final class TaskShapes {
    private static final Field ID = Field.of("id", FieldType.ID, "the id of the task");

    static final Field TABLE = Field.maybe(
            "table", FieldType.TEXT, "the table of tasks, such as public.task; the first that is served unless given");

    private static final Field[] COLUMNS = {
        ID,
        Field.of("state", FieldType.TEXT, "PLAN, GONE, TAKE, WORK, DONE, FAIL or STOP"),
        Field.of("group", FieldType.TEXT, "tasks of a group take turns"),
        Field.maybe("owner", FieldType.TEXT, "the role whose privileges it has"),
        Field.maybe("remote", FieldType.TEXT, "where it runs, without a password; absent: here"),
        Field.maybe("parent", FieldType.ID, "the task that has added it"),
        Field.of("plan", FieldType.TEXT, "when it may start: a time, infinity or -infinity"),
        Field.maybe("start", FieldType.TIME, "when it started"),
        Field.maybe("stop", FieldType.TIME, "when it ended"),
        Field.of("active", FieldType.TEXT, "how long after plan it may start, as PostgreSQL writes intervals"),
        Field.of("repeat", FieldType.TEXT, "how long after plan it is planned again"),
        Field.maybe("cron", FieldType.TEXT, "the schedule of its runs"),
        Field.maybe("zone", FieldType.TEXT, "of cron"),
        Field.of("attempts", FieldType.INTEGER, "the runs that remain, this one included"),
        Field.of("backoff", FieldType.TEXT, "how long after an error the next attempt is planned"),
        Field.maybe("after", FieldType.TEXT, "the tasks that have to end well before, as PostgreSQL writes arrays"),
        Field.maybe("retry", FieldType.ID, "the task that retries it"),
        Field.of("once", FieldType.BOOLEAN, "whether its effects and its end are one transaction"),
        Field.maybe("notify", FieldType.TEXT, "the channel that is told of its end"),
        Field.of("timeout", FieldType.TEXT, "how long a statement of it may take"),
        Field.of("max", FieldType.INTEGER, "how many others of its group may run beside it"),
        Field.maybe("pid", FieldType.INTEGER, "the server process of its run"),
        Field.maybe("data", FieldType.TEXT, "a text of the user, without secrets"),
        Field.of("input", FieldType.TEXT, "its SQL, without secrets"),
        Field.maybe("output", FieldType.TEXT, "its results, without secrets"),
        Field.maybe("error", FieldType.TEXT, "its error, without secrets")
    };

    /** In a list: texts are cut. */
    static final Shape LISTED = Shape.of("ListedTask", COLUMNS);

    static final Shape TASK = whole();

    private static Shape whole() {
        Field[] all = java.util.Arrays.copyOf(COLUMNS, COLUMNS.length + 2);
        all[COLUMNS.length] =
                Field.of("columns", FieldType.OBJECT, "the other columns by name, as texts, without secrets");
        all[COLUMNS.length + 1] =
                Field.many("children", LISTED, "tasks that it has added by running or repeating: the newest 20");
        return Shape.of("Task", all);
    }

    static final Shape PAGE = Shape.of(
            "TaskPage",
            Field.many("items", LISTED, "in the order of sort; texts cut to 1,000 characters"),
            Field.NEXT,
            Field.PREVIOUS,
            Field.maybe(
                    "searched_to",
                    FieldType.ID,
                    "the page is short since many tasks were looked at: this one last; next goes on there"));

    static final Shape GROUPS = Shape.of(
            "TaskGroups",
            Field.many(
                    "items",
                    Shape.of(
                            "TaskGroup",
                            Field.of("group", FieldType.TEXT, "its name"),
                            Field.maybe("remote", FieldType.TEXT, "where its tasks run; absent: in this database"),
                            Field.of("running", FieldType.INTEGER, "how many run"),
                            Field.of("due", FieldType.INTEGER, "how many of the first 10,000 due tasks are of it"),
                            Field.maybe("oldest", FieldType.TIME, "when the first of these was due"),
                            Field.of("max", FieldType.INTEGER, "the largest max of these tasks")),
                    "those with the most due tasks first, 500 at most"));

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

    static final Field[] FILTER = {
        TABLE,
        Field.maybe("state", FieldType.TEXT, "PLAN, GONE, TAKE, WORK, DONE, FAIL or STOP; any unless given"),
        Field.maybe("group", FieldType.TEXT, "only of that group"),
        Field.maybe("owner", FieldType.TEXT, "only of that role"),
        Field.maybe("text", FieldType.TEXT, "only with that text in input, output or error; needs the role operator"),
        Field.maybe("limit", FieldType.INTEGER, "1 to 500 tasks; 50 unless given"),
        Field.AFTER,
        Field.BEFORE,
        Field.maybe(
                "sort",
                FieldType.TEXT,
                "newest or oldest; with state=PLAN also soonest or latest; newest unless given, soonest of state PLAN")
    };

    private static final Field ACTION =
            Field.of("action", FieldType.TEXT, "retry, cancel, or delete, which needs the role administrator");

    static final Shape CHANGE_MANY =
            Shape.of("ChangeTasks", ACTION, Field.of("ids", FieldType.TEXTS, "1 to 1,000 ids of tasks"));

    static final Shape CHANGED_MANY = ApiChanges.changed("ChangedTasks");

    static final Shape CHANGE_ALL = Shape.of(
            "ChangeAllTasks",
            ACTION,
            Field.maybe(
                    "state",
                    FieldType.TEXT,
                    "PLAN, TAKE or WORK to cancel, all of these unless given; FAIL, DONE, GONE or STOP to retry or delete, FAIL unless given"),
            Field.maybe("group", FieldType.TEXT, "only of that group"),
            Field.maybe("owner", FieldType.TEXT, "only of that role"),
            Field.maybe("text", FieldType.TEXT, "only with that text in input, output or error"));

    private TaskShapes() {}
}
