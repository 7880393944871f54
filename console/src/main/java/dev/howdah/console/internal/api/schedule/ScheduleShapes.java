package dev.howdah.console.internal.api.schedule;

import dev.howdah.console.internal.api.schema.Field;
import dev.howdah.console.internal.api.schema.FieldType;
import dev.howdah.console.internal.api.schema.Shape;
import java.util.ArrayList;
import java.util.List;

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
            Field.maybe(
                    "missed",
                    FieldType.TEXT,
                    "of times at which no node ran: once (one job for all of them), skip or all; there may be more"),
            Field.maybe(
                    "overlap",
                    FieldType.TEXT,
                    "of a time at which its last job has not ended: allow, skip, queue_one or cancel_old; there may be more"),
            Field.maybe("jitter", FieldType.DURATION, "by which a job begins later at most; absent: none"),
            Field.maybe("catch_up", FieldType.DURATION, "missed times longer ago get no job; absent: any age"),
            Field.maybe("from", FieldType.TIME, "before which no job is added; with a period the first time"),
            Field.maybe(
                    "skipped_hour", FieldType.TEXT, "of a time that the clocks leave out: run or skip; of cron only"),
            Field.maybe("doubled_hour", FieldType.TEXT, "of a time that comes twice: first or both; of cron only"),
            Field.maybe("calendar", FieldType.TEXT, "whose days are holidays; absent: none"),
            Field.maybe("on_holiday", FieldType.TEXT, "of a time on such a day: skip or next_day"),
            Field.of("version", FieldType.TEXT, "another one after each change of the settings"),
            Field.of("paused", FieldType.BOOLEAN, "whether it adds no jobs"),
            Field.of("next", FieldType.TEXTS, "its next five times as far as they are known; none while it is paused"),
            Field.maybe("last_at", FieldType.TIME, "the last time for which a job was added"),
            Field.maybe("last_job", FieldType.ID, "the last job that was added"),
            Field.of("skipped", FieldType.INTEGER, "for how many times no job was added"),
            Field.maybe("error", FieldType.TEXT, "why it is invalid"));

    private static final Shape JOB = Shape.of(
            "ScheduleJob",
            Field.of("id", FieldType.ID, "the id of the job"),
            Field.of("state", FieldType.TEXT, "as of a job"),
            Field.of("run_at", FieldType.TIME, "when it is due, or was for its latest attempt"),
            Field.maybe("begun", FieldType.TIME, "when its latest attempt began"),
            Field.maybe("ended", FieldType.TIME, "when it was done, failed or was cancelled"),
            Field.of("attempt", FieldType.INTEGER, "the attempts that have begun"),
            Field.maybe("node", FieldType.INTEGER, "the node of its latest attempt"),
            Field.maybe("error", FieldType.TEXT, "of its latest attempt, without secrets"));

    static final Shape JOBS = Shape.of("ScheduleJobs", Field.many("items", JOB, "the latest first"));

    static final Shape PAGE =
            Shape.of("SchedulePage", Field.many("items", SCHEDULE, "in the order of sort"), Field.NEXT, Field.PREVIOUS);

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

    static final Field[] FILTER = {
        Field.maybe("queue", FieldType.TEXT, "only of that queue"),
        Field.maybe("text", FieldType.TEXT, "only with that text in name or kind, in any case of letters"),
        Field.maybe(
                "sort",
                FieldType.TEXT,
                "name or reverse-name, soonest or latest by their next times; name unless given"),
        Field.maybe("limit", FieldType.INTEGER, "1 to 500 schedules; 50 unless given"),
        Field.AFTER,
        Field.BEFORE
    };

    private ScheduleShapes() {}
}
