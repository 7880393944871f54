package dev.howdah.console.internal.api.task;

import dev.howdah.console.internal.api.schema.Field;
import dev.howdah.console.internal.api.schema.FieldType;
import dev.howdah.console.internal.api.schema.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The shapes of schedules of tasks. */
final class TaskScheduleShapes {
    private static final Field ID = Field.of("id", FieldType.ID, "the task that waits or runs");

    static final Shape LIST = Shape.of(
            "TaskSchedules",
            Field.many(
                    "items",
                    Shape.of(
                            "TaskSchedule",
                            Field.of("name", FieldType.TEXT, "its name"),
                            Field.maybe("owner", FieldType.TEXT, "the role whose it is"),
                            Field.of("cron", FieldType.TEXT, "its times"),
                            Field.maybe("zone", FieldType.TEXT, "of cron; absent: that of the owner's sessions"),
                            Field.of("state", FieldType.TEXT, "waiting, running or paused; there may be more"),
                            Field.maybe("next", FieldType.TIME, "absent while it runs or is paused"),
                            ID,
                            Field.of("input", FieldType.TEXT, "the SQL of its tasks, without secrets"),
                            Field.maybe("last_id", FieldType.ID, "the last run that has ended; absent: none"),
                            Field.maybe("last_start", FieldType.TIME, "when that started"),
                            Field.maybe("last_stop", FieldType.TIME, "when it ended"),
                            Field.maybe("last_state", FieldType.TEXT, "how it ended"),
                            Field.maybe("last_error", FieldType.TEXT, "its error, without secrets")),
                    "by name"));

    static final Shape RUNS = Shape.of(
            "TaskScheduleRuns",
            Field.many("items", TaskShapes.LISTED, "the newest first; texts cut to 1,000 characters"));

    static final Field LIMIT = Field.maybe("limit", FieldType.INTEGER, "1 to 500 tasks; 50 unless given");

    static final Shape NEW = put();

    static final Shape CHANGED =
            Shape.of("ChangedTaskSchedule", Field.of("id", FieldType.ID, "the task that waits or runs"));

    private TaskScheduleShapes() {}

    private static Shape put() {
        Set<String> notOf = Set.of("cron", "repeat", "after");
        List<Field> fields = new ArrayList<>(List.of(
                Field.of("name", FieldType.TEXT, "1 to 200 characters"),
                Field.of("cron", FieldType.TEXT, "five or six fields, or a name such as @daily")));
        for (Field each : TaskShapes.NEW.fields()) if (!notOf.contains(each.name())) fields.add(each);
        return new Shape("PutTaskSchedule", fields);
    }
}
