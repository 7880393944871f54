package dev.howdah.console.internal.api.schedule;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.access.Role;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiCauses;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiMask;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.job.Schedule;
import dev.howdah.job.Schedules;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@code /schedules}: read, pause, resume and run now. Safe for use by many threads. */
public final class ScheduleRoutes {
    private static final int TIMES = 5;

    private final ConsoleData data;
    private final ConsoleQueries queries;
    private final ApiMask mask;

    private ScheduleRoutes(ConsoleData data, AccessSettings access) {
        this.data = data;
        this.queries = new ConsoleQueries(data.source(), data.schema());
        this.mask = new ApiMask(access);
    }

    public static List<ApiRoute> of(ConsoleData data, AccessSettings access) {
        ScheduleRoutes schedules = new ScheduleRoutes(data, access);
        return List.of(
                ApiRoute.read(
                                "/schedules",
                                "listSchedules",
                                "Lists schedules by name.",
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
                        "/schedules/{name}/why",
                        "whySchedule",
                        "Says why a schedule adds no job.",
                        List.of(),
                        ApiCauses.SHAPE,
                        request -> ApiCauses.answer(data.jobs().whySchedule(request.name("name")))),
                schedules.change("pause", "pauseSchedule", "Pauses a schedule: it adds no jobs.", true),
                schedules.change(
                        "resume", "resumeSchedule", "Resumes a schedule; the times of the pause are dropped.", false),
                ApiRoute.change(
                        "/schedules/{name}/run-now",
                        "runScheduleNow",
                        Role.OPERATOR,
                        "Adds the job of a schedule now; its times stay as they are.",
                        null,
                        201,
                        ScheduleShapes.RUN,
                        "schedules.run-now",
                        schedules::run));
    }

    private ApiRoute change(String verb, String operation, String words, boolean pause) {
        return ApiRoute.change(
                "/schedules/{name}/" + verb,
                operation,
                Role.OPERATOR,
                words,
                null,
                200,
                ScheduleShapes.CHANGED,
                "schedules." + verb,
                request -> {
                    boolean paused = entry(request).paused();
                    String name = request.name("name");
                    boolean known = pause
                            ? data.schedules().pause(name)
                            : data.schedules().resume(name);
                    if (!known) throw missing(name);
                    ObjectNode json = ApiJson.object();
                    json.put("changed", paused != pause);
                    return ApiAnswer.ok(json);
                });
    }

    private static ApiProblemException missing(String name) {
        return ApiProblemException.notFound("there is no schedule \"" + name + "\"");
    }

    private Schedules.Entry entry(ApiRequest request) {
        String name = request.name("name");
        return data.schedules().find(name).orElseThrow(() -> missing(name));
    }

    private ApiAnswer run(ApiRequest request) {
        entry(request);
        ObjectNode json = ApiJson.object();
        ApiJson.put(json, "id", data.schedules().runNow(request.name("name")));
        return new ApiAnswer(201, json, java.util.Map.of());
    }

    private ApiAnswer list(ApiRequest request) {
        int limit = request.integerParameter("limit", 50, 1, 500);
        String queue = request.parameter("queue");
        String text = request.parameter("text");
        String after = request.parameter("after");
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        if (!queries.installed().jobs()) return ApiAnswer.ok(answer);
        List<Schedules.Entry> found = data.schedules().all().stream()
                .sorted(java.util.Comparator.comparing(Schedules.Entry::name))
                .filter(each -> after == null || each.name().compareTo(after) > 0)
                .filter(each -> queue == null || each.queue().equals(queue))
                .filter(each -> has(each.name(), text) || has(each.kind(), text))
                .limit(limit + 1L)
                .toList();
        for (Schedules.Entry each : found.subList(0, Math.min(limit, found.size())))
            items.add(json(each, request.caller().role()));
        if (found.size() > limit) answer.put("next", found.get(limit - 1).name());
        return ApiAnswer.ok(answer);
    }

    private static boolean has(String name, @Nullable String part) {
        return part == null || name.toLowerCase(Locale.ROOT).contains(part.toLowerCase(Locale.ROOT));
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
        json.put("paused", entry.paused());
        ApiJson.put(json, "next", entry.next(TIMES));
        ApiJson.put(json, "last_at", entry.lastAt());
        ApiJson.put(json, "last_job", entry.lastJob());
        json.put("skipped", ApiJson.number(entry.skipped()));
        ApiJson.put(json, "error", entry.error());
        return json;
    }
}
