package dev.howdah.console.internal.api.task;

import dev.howdah.operations.shape.Field;
import dev.howdah.operations.shape.FieldType;
import dev.howdah.operations.shape.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The shapes of schedules of tasks. */
final class TaskScheduleShapes {
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
