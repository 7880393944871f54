package dev.howdah.console.internal.api.schedule;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.schedule.NextTime;
import dev.howdah.console.internal.schedule.ScheduleForm;
import dev.howdah.console.internal.schedule.ScheduleWords;
import dev.howdah.job.Schedule;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.shape.FieldType;
import dev.howdah.operations.shape.Shape;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /schedule-preview}: the times of a schedule that is not stored. */
final class SchedulePreview {
    private static final int USUAL = 10;
    private static final int MOST = 50;

    private static final Shape TIME = Shape.of(
            "ScheduleTime",
            Field.of("time", FieldType.TIME, "when it is due"),
            Field.of("local", FieldType.TEXT, "the same by the clocks of its zone"),
            Field.maybe("clock_change", FieldType.TEXT, "what the clocks do between the time before and this one"));

    private static final Shape PREVIEW = Shape.of(
            "SchedulePreview",
            Field.of("words", FieldType.TEXT, "its times in words"),
            Field.many("items", TIME, "the next times from now on"));

    private SchedulePreview() {}

    static ApiRoute route() {
        return ApiRoute.read(
                        "/schedule-preview", "previewSchedule", "Says when a schedule would be due; nothing is stored.")
                .query(
                        Field.maybe("cron", FieldType.TEXT, "five or six fields, or a name such as @daily"),
                        Field.maybe("period", FieldType.DURATION, "instead of cron"),
                        Field.maybe("zone", FieldType.TEXT, "of cron, such as Europe/Berlin; UTC unless given"),
                        Field.maybe("count", FieldType.INTEGER, "1 to 50 times; 10 unless given"))
                .answers(PREVIEW)
                .does(SchedulePreview::answer);
    }

    private static ApiAnswer answer(ApiRequest request) {
        Map<String, String> names = Map.of(ScheduleForm.EVERY, "period");
        ScheduleForm form = ScheduleForm.read(field -> value(request, names.getOrDefault(field, field)), null);
        Schedule schedule = form.schedule();
        if (schedule == null)
            throw ApiProblemException.invalid(form.errors().values().iterator().next());
        Instant now = Instant.now();
        ObjectNode answer = ApiJson.object();
        answer.put("words", ScheduleWords.times(schedule));
        ArrayNode items = answer.putArray("items");
        List<Instant> times = schedule.next(request.integerParameter("count", USUAL, 1, MOST), now);
        for (NextTime each : NextTime.of(times, now, schedule.zone())) {
            ObjectNode item = items.addObject();
            ApiJson.put(item, "time", each.at());
            item.put("local", each.local());
            ApiJson.put(item, "clock_change", each.change());
        }
        return ApiAnswer.ok(answer);
    }

    /** A schedule needs a name and a kind, which its times do not. */
    private static @Nullable String value(ApiRequest request, String field) {
        return field.equals("name") || field.equals("kind") ? "preview" : request.parameter(field);
    }
}
