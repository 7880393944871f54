package dev.howdah.console.internal.api.schedule;

import dev.howdah.operations.shape.Field;
import dev.howdah.operations.shape.FieldType;
import dev.howdah.operations.shape.Shape;
import java.util.ArrayList;
import java.util.List;

/** The shapes of schedules. */
final class ScheduleShapes {
    private static final Field[] SETTINGS = {
        Field.maybe("cron", FieldType.TEXT, "five or six fields, or a name such as @daily"),
        Field.maybe("period", FieldType.DURATION, "between its times, instead of cron"),
        Field.maybe("zone", FieldType.TEXT, "of cron, such as Europe/Berlin; UTC unless given"),
        Field.maybe("queue", FieldType.TEXT, "of its jobs; default unless given"),
        Field.maybe("payload", FieldType.JSON, "of its jobs; null unless given; numbers keep their digits"),
        Field.maybe("priority", FieldType.INTEGER, "of its jobs, -100 to 100; 0 unless given"),
        Field.maybe("key", FieldType.TEXT, "of its jobs; an empty one is none"),
        Field.maybe("missed", FieldType.TEXT, "once, skip or all; once unless given"),
        Field.maybe("overlap", FieldType.TEXT, "allow, skip, queue_one or cancel_old; allow unless given"),
        Field.maybe("jitter", FieldType.DURATION, "a job begins up to so much later, by chance; an empty one is none"),
        Field.maybe(
                "catch_up", FieldType.DURATION, "missed times that are longer ago get no job; an empty one is any age"),
        Field.maybe("from", FieldType.TIME, "before which no job is added; an empty one is none"),
        Field.maybe("skipped_hour", FieldType.TEXT, "of a time that the clocks leave out: run or skip"),
        Field.maybe("doubled_hour", FieldType.TEXT, "of a time that comes twice: first or both"),
        Field.maybe("calendar", FieldType.TEXT, "one that has days, see addDays; an empty one is none"),
        Field.maybe("on_holiday", FieldType.TEXT, "of a time on a day of the calendar: skip or next_day")
    };

    static final Shape NEW = with(
            "NewSchedule",
            Field.of("name", FieldType.TEXT, "1 to 200 characters"),
            Field.of("kind", FieldType.TEXT, "of its jobs"));

    static final Shape CHANGE = with(
            "ChangeSchedule",
            Field.maybe("kind", FieldType.TEXT, "of its jobs"),
            Field.maybe(
                    "version", FieldType.TEXT, "that was read: if it is another one now, nothing is changed (409)"));

    private static Shape with(String name, Field... first) {
        List<Field> fields = new ArrayList<>(List.of(first));
        fields.addAll(List.of(SETTINGS));
        return new Shape(name, fields);
    }

    private ScheduleShapes() {}
}
