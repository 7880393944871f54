package dev.howdah.console.internal.api.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiCauses;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiMask;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.console.internal.list.ListPlace;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.schedule.ScheduleForm;
import dev.howdah.console.internal.schedule.ScheduleOptions;
import dev.howdah.console.internal.schedule.ScheduleOrder;
import dev.howdah.console.internal.schedule.SchedulePageController;
import dev.howdah.console.internal.schedule.StoredSchedules;
import dev.howdah.console.internal.view.Texts;
import dev.howdah.job.NewJob;
import dev.howdah.job.Schedule;
import dev.howdah.job.Schedules;
import dev.howdah.job.query.JobSummary;
import dev.howdah.operations.Role;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /schedules}: read, add and change. Safe for use by many threads. */
public final class ScheduleRoutes {
    private static final int TIMES = 5;

    private final ConsoleData data;
    private final ConsoleQueries queries;
    private final ApiMask mask;
    private final AccessSettings access;

    private ScheduleRoutes(ConsoleData data, AccessSettings access) {
        this.data = data;
        this.queries = new ConsoleQueries(data.source(), data.schema());
        this.mask = new ApiMask(access);
        this.access = access;
    }

    public static List<ApiRoute> of(ConsoleData data, AccessSettings access) {
        ScheduleRoutes schedules = new ScheduleRoutes(data, access);
        return List.of(
                SchedulePreview.route(),
                ApiRoute.read(
                                "/schedules",
                                "listSchedules",
                                "Lists schedules.",
                                List.of(),
                                ScheduleShapes.PAGE,
                                schedules::list)
                        .withQuery(ScheduleShapes.FILTER),
                ApiRoute.read(
                        "/schedules/{name}",
                        "getSchedule",
                        "Finds a schedule.",
                        List.of(),
                        ScheduleShapes.SCHEDULE,
                        request -> ApiAnswer.ok(schedules.json(
                                schedules.entry(request), request.caller().role()))),
                ApiRoute.read(
                        "/schedules/{name}/jobs",
                        "listScheduleJobs",
                        "Lists the jobs of its last 20 times, the latest first.",
                        List.of(),
                        ScheduleShapes.JOBS,
                        schedules::jobs),
                ApiRoute.read(
                        "/schedules/{name}/why",
                        "whySchedule",
                        "Says why a schedule adds no job.",
                        List.of(),
                        ApiCauses.SHAPE,
                        schedules::why),
                ApiRoute.change(
                        "/schedules",
                        "addSchedule",
                        Role.ADMINISTRATOR,
                        "Adds a schedule.",
                        ScheduleShapes.NEW,
                        201,
                        ScheduleShapes.SCHEDULE,
                        "schedules.add",
                        schedules::add),
                ApiRoute.change(
                        "/schedules/{name}/change",
                        "changeSchedule",
                        Role.ADMINISTRATOR,
                        "Changes a schedule: the settings of the body, all others stay.",
                        ScheduleShapes.CHANGE,
                        200,
                        ScheduleShapes.SCHEDULE,
                        "schedules.change",
                        schedules::changeSettings));
    }

    private static ApiProblemException missing(String name) {
        return ApiProblemException.notFound("there is no schedule \"" + name + "\"");
    }

    private Schedules.Entry entry(ApiRequest request) {
        return stored(request.name("name"));
    }

    private ApiAnswer jobs(ApiRequest request) {
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        for (JobSummary each : data.schedules().jobs(entry(request).name(), SchedulePageController.JOBS)) {
            ObjectNode item = items.addObject();
            ApiJson.put(item, "id", each.id());
            item.put("state", Texts.word(each.state()));
            ApiJson.put(item, "run_at", each.runAt());
            ApiJson.put(item, "begun", each.begun());
            ApiJson.put(item, "ended", each.ended());
            item.put("attempt", each.attempt());
            ApiJson.put(item, "node", each.node());
            mask.text(item, "error", each.error(), request.caller().role());
        }
        return ApiAnswer.ok(answer);
    }

    private ApiAnswer add(ApiRequest request) {
        ScheduleForm form = ScheduleForm.read(field -> sent(request, field), null);
        Schedule schedule = form.schedule();
        if (schedule != null && data.schedules().find(schedule.name()).isPresent())
            throw ApiProblemException.conflict("there is a schedule \"" + schedule.name() + "\" already: change it");
        String name = put(form);
        return new ApiAnswer(
                201,
                json(stored(name), request.caller().role()),
                Map.of("Location", access.base() + "/api/v1/schedules/" + PageRequest.encoded(name)));
    }

    private ApiAnswer changeSettings(ApiRequest request) {
        Schedules.Entry entry = entry(request);
        String version = request.text("version");
        if (version != null && !version.equals(StoredSchedules.version(entry)))
            throw ApiProblemException.conflict(
                    "schedule \"" + entry.name() + "\" was changed in the meantime: read it again");
        ScheduleForm known = ScheduleForm.of(entry);
        boolean timed = request.body().has("cron") || request.body().has("period");
        put(ScheduleForm.read(
                field -> {
                    String sent = sent(request, field);
                    if (sent != null) return sent;
                    // A cron replaces a period, and the other way round.
                    boolean time = field.equals(ScheduleForm.CRON) || field.equals(ScheduleForm.EVERY);
                    return timed && time ? null : known.value(field);
                },
                entry));
        return ApiAnswer.ok(json(stored(entry.name()), request.caller().role()));
    }

    /** The text of a field of the form; null: the body does not have it. */
    private static @Nullable String sent(ApiRequest request, String field) {
        String name = field.equals(ScheduleForm.EVERY) ? "period" : field;
        JsonNode value = request.body().get(name);
        if (value == null) return null;
        return field.equals(ScheduleForm.PAYLOAD) ? ApiJson.text(value) : value.asText();
    }

    /** Returns its name. */
    private String put(ScheduleForm form) {
        Schedule schedule = form.schedule();
        NewJob<String> job = form.job();
        if (schedule == null || job == null) throw ApiProblemException.ofFields(errors(form));
        StoredSchedules.put(data, schedule, job);
        return schedule.name();
    }

    /** By the fields of bodies. */
    private static Map<String, String> errors(ScheduleForm form) {
        Map<String, String> errors = new LinkedHashMap<>();
        form.errors().forEach((field, error) -> errors.put(field.equals(ScheduleForm.EVERY) ? "period" : field, error));
        return errors;
    }

    private Schedules.Entry stored(String name) {
        return data.schedules().find(name).orElseThrow(() -> missing(name));
    }

    private ApiAnswer list(ApiRequest request) {
        int limit = request.integerParameter("limit", 50, 1, 500);
        String queue = request.parameter("queue");
        String text = request.parameter("text");
        ScheduleOrder chosen = request.choice("sort", ScheduleOrder.class);
        ScheduleOrder order = chosen == null ? ScheduleOrder.NAME : chosen;
        ListPlace place = request.place();
        // Before the tables are looked for: a place that cannot be is one in any database.
        order.beyond(place.start(), place.isBackwards());
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        if (!queries.installed().jobs()) return ApiAnswer.ok(answer);
        List<Schedules.Entry> matching = data.schedules().all().stream()
                .filter(each -> queue == null || each.queue().equals(queue))
                .filter(each -> has(each.name(), text) || has(each.kind(), text))
                .toList();
        List<Schedules.Entry> found = from(matching, order, place, limit + 1);
        if (place.isPastFirst(found, false)) {
            place = ListPlace.FIRST;
            found = from(matching, order, place, limit + 1);
        }
        ListPlace.Rows<Schedules.Entry> page = place.rowsBy(found, limit, order::after);
        for (Schedules.Entry each : page.rows())
            items.add(json(each, request.caller().role()));
        ApiJson.put(answer, page.beside());
        return ApiAnswer.ok(answer);
    }

    private static List<Schedules.Entry> from(
            List<Schedules.Entry> matching, ScheduleOrder order, ListPlace place, int most) {
        Comparator<Schedules.Entry> comparator = order.comparator();
        return matching.stream()
                .filter(order.beyond(place.start(), place.isBackwards()))
                .sorted(place.isBackwards() ? comparator.reversed() : comparator)
                .limit(most)
                .toList();
    }

    private static boolean has(String name, @Nullable String part) {
        return part == null || name.toLowerCase(Locale.ROOT).contains(part.toLowerCase(Locale.ROOT));
    }

    private static void options(ObjectNode json, Schedule schedule) {
        json.put("missed", ScheduleOptions.word(schedule.missed()));
        json.put("overlap", ScheduleOptions.word(schedule.overlap()));
        if (!schedule.jitter().isZero()) ApiJson.put(json, "jitter", schedule.jitter());
        ApiJson.put(json, "catch_up", schedule.catchUp());
        ApiJson.put(json, "from", schedule.from());
        if (schedule.cronExpression() != null) {
            json.put("skipped_hour", ScheduleOptions.word(schedule.skippedHour()));
            json.put("doubled_hour", ScheduleOptions.word(schedule.doubledHour()));
        }
        ApiJson.put(json, "calendar", schedule.calendar());
        if (schedule.calendar() != null) json.put("on_holiday", ScheduleOptions.word(schedule.onHoliday()));
    }

    private ObjectNode json(Schedules.Entry entry, Role role) {
        ObjectNode json = ApiJson.object();
        json.put("name", entry.name());
        json.put("queue", entry.queue());
        json.put("kind", entry.kind());
        mask.stored(json, "payload", entry.payload(), role);
        ApiJson.put(json, "priority", entry.priority());
        ApiJson.put(json, "key", entry.key());
        Schedule schedule = entry.schedule();
        if (schedule != null) {
            ApiJson.put(json, "cron", schedule.cronExpression());
            ApiJson.put(json, "period", schedule.period());
            ApiJson.put(json, "zone", schedule.cronExpression() == null ? null : schedule.zoneName());
        }
        if (schedule != null) options(json, schedule);
        json.put("version", StoredSchedules.version(entry));
        json.put("paused", entry.paused());
        ApiJson.put(json, "next", entry.next(TIMES));
        ApiJson.put(json, "last_at", entry.lastAt());
        ApiJson.put(json, "last_job", entry.lastJob());
        json.put("skipped", ApiJson.number(entry.skipped()));
        ApiJson.put(json, "error", entry.error());
        return json;
    }

    private ApiAnswer why(ApiRequest request) {
        return ApiCauses.answer(
                data.jobs().whySchedule(request.name("name")),
                mask,
                request.caller().role());
    }
}
