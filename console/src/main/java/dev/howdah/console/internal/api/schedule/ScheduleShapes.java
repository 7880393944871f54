package dev.howdah.console.internal.api.schedule;

import dev.howdah.console.internal.api.schema.Field;
import dev.howdah.console.internal.api.schema.FieldType;
import dev.howdah.console.internal.api.schema.Shape;

/** The shapes of schedules. */
final class ScheduleShapes {
    static final Shape SCHEDULE = Shape.of(
            "Schedule",
            Field.of("name", FieldType.TEXT, "its name"),
            Field.of("queue", FieldType.TEXT, "of its jobs"),
            Field.of("kind", FieldType.TEXT, "of its jobs"),
            Field.of("payload", FieldType.JSON, "of its jobs, without secrets"),
            Field.of("priority", FieldType.INTEGER, "of its jobs"),
            Field.maybe("key", FieldType.TEXT, "of its jobs"),
            Field.maybe("cron", FieldType.TEXT, "its times; absent: it has a period, or is invalid"),
            Field.maybe("period", FieldType.DURATION, "between its times"),
            Field.maybe("zone", FieldType.TEXT, "of cron"),
            Field.of("paused", FieldType.BOOLEAN, "whether it adds no jobs"),
            Field.of("next", FieldType.TEXTS, "its next five times as far as they are known; none while it is paused"),
            Field.maybe("last_at", FieldType.TIME, "the last time for which a job was added"),
            Field.maybe("last_job", FieldType.ID, "the last job that was added"),
            Field.of("skipped", FieldType.INTEGER, "for how many times no job was added"),
            Field.maybe("error", FieldType.TEXT, "why it is invalid"));

    static final Shape PAGE = Shape.of(
            "SchedulePage",
            Field.many("items", SCHEDULE, "by name"),
            Field.maybe("next", FieldType.TEXT, "the parameter after of the next page; absent: this is the last one"));

    static final Shape CHANGED =
            Shape.of("ChangedSchedule", Field.of("changed", FieldType.BOOLEAN, "false: it was so already"));

    static final Shape RUN = Shape.of("ScheduledJob", Field.of("id", FieldType.ID, "the id of the job that was added"));

    static final Field[] FILTER = {
        Field.maybe("queue", FieldType.TEXT, "only of that queue"),
        Field.maybe("text", FieldType.TEXT, "only with that text in name or kind, in any case of letters"),
        Field.maybe("limit", FieldType.INTEGER, "1 to 500 schedules; 50 unless given"),
        Field.maybe("after", FieldType.TEXT, "next of the page before")
    };

    private ScheduleShapes() {}
}
