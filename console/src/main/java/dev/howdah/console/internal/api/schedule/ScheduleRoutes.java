package dev.howdah.console.internal.api.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiCauses;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiMask;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.api.operation.ListRoutes;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.schedule.ScheduleForm;
import dev.howdah.console.internal.schedule.StoredSchedules;
import dev.howdah.job.NewJob;
import dev.howdah.job.Schedule;
import dev.howdah.job.Schedules;
import dev.howdah.operations.listed.ScheduleLists;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /schedules}: find, add and change. Safe for use by many threads. */
public final class ScheduleRoutes {
    private final ConsoleData data;
    private final ApiMask mask;
    private final AccessSettings access;

    private ScheduleRoutes(ConsoleData data, AccessSettings access) {
        this.data = data;
        this.mask = new ApiMask(access);
        this.access = access;
    }

    public static List<ApiRoute> of(ConsoleData data, AccessSettings access) {
        ScheduleRoutes schedules = new ScheduleRoutes(data, access);
        return List.of(
                SchedulePreview.route(),
                ApiRoute.read("/schedules/{name}", "getSchedule", "Finds a schedule.")
                        .answers(ScheduleLists.SCHEDULE.shape())
                        .does(request -> ApiAnswer.ok(
                                ListRoutes.object(ScheduleLists.SCHEDULE, schedules.entry(request), access, request))),
                ApiRoute.read("/schedules/{name}/why", "whySchedule", "Says why a schedule adds no job.")
                        .answers(ApiCauses.SHAPE)
                        .does(schedules::why),
                ApiRoute.change("/schedules", "addSchedule", "Adds a schedule.")
                        .audited("schedules.add")
                        .takes(ScheduleShapes.NEW)
                        .adds(ScheduleLists.SCHEDULE.shape())
                        .does(schedules::add),
                ApiRoute.change(
                                "/schedules/{name}/change",
                                "changeSchedule",
                                "Changes a schedule: the settings of the body, all others stay.")
                        .audited("schedules.change")
                        .takes(ScheduleShapes.CHANGE)
                        .answers(ScheduleLists.SCHEDULE.shape())
                        .does(schedules::changeSettings));
    }

    private static ApiProblemException missing(String name) {
        return ApiProblemException.notFound("there is no schedule \"" + name + "\"");
    }

    private Schedules.Entry entry(ApiRequest request) {
        return stored(request.name("name"));
    }

    private ApiAnswer add(ApiRequest request) {
        ScheduleForm form = ScheduleForm.read(field -> sent(request, field), null);
        Schedule schedule = form.schedule();
        if (schedule != null && data.schedules().find(schedule.name()).isPresent())
            throw ApiProblemException.conflict("there is a schedule \"" + schedule.name() + "\" already: change it");
        String name = put(form);
        return new ApiAnswer(
                201,
                ListRoutes.object(ScheduleLists.SCHEDULE, stored(name), access, request),
                Map.of("Location", access.base() + "/api/v1/schedules/" + PageRequest.encoded(name)));
    }

    private ApiAnswer changeSettings(ApiRequest request) {
        Schedules.Entry entry = entry(request);
        String version = request.text("version");
        if (version != null && !version.equals(ScheduleLists.version(entry)))
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
        return ApiAnswer.ok(ListRoutes.object(ScheduleLists.SCHEDULE, stored(entry.name()), access, request));
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

    private ApiAnswer why(ApiRequest request) {
        return ApiCauses.answer(
                data.jobs().whySchedule(request.name("name")),
                mask,
                request.caller().role());
    }
}
