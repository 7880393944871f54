package dev.howdah.console.internal.api.task;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiMask;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.operations.Role;
import dev.howdah.task.Task;
import dev.howdah.task.TaskSchedules;
import java.util.List;
import java.util.Locale;

/** {@code /task-schedules}: the schedules with a name of a table of tasks. Safe for use by many threads. */
public final class TaskScheduleRoutes {
    private final ConsoleData data;
    private final ApiMask mask;
    private final TaskJson json;

    private TaskScheduleRoutes(ConsoleData data, AccessSettings access) {
        this.data = data;
        this.mask = new ApiMask(access);
        this.json = new TaskJson(mask);
    }

    public static List<ApiRoute> of(ConsoleData data, AccessSettings access) {
        TaskScheduleRoutes schedules = new TaskScheduleRoutes(data, access);
        return List.of(
                ApiRoute.read(
                                "/task-schedules",
                                "listTaskSchedules",
                                "Lists the schedules of tasks by name.",
                                List.of(),
                                TaskScheduleShapes.LIST,
                                schedules::list)
                        .withQuery(TaskShapes.TABLE),
                ApiRoute.read(
                                "/task-schedules/{name}/runs",
                                "listTaskScheduleRuns",
                                "Lists the tasks of a schedule: the one that waits or runs, and those that have ended.",
                                List.of(),
                                TaskScheduleShapes.RUNS,
                                schedules::runs)
                        .withQuery(TaskShapes.TABLE, TaskScheduleShapes.LIMIT),
                ApiRoute.change(
                                "/task-schedules",
                                "putTaskSchedule",
                                Role.ADMINISTRATOR,
                                "Adds a schedule of tasks, or changes the one of that name: what is absent takes its default.",
                                TaskScheduleShapes.NEW,
                                200,
                                TaskScheduleShapes.CHANGED,
                                "task-schedules.put",
                                schedules::put)
                        .withQuery(TaskShapes.TABLE));
    }

    private TaskSchedules schedules(ApiRequest request) {
        return data.tasks(ServedTables.name(data, request)).schedules();
    }

    private static ApiAnswer changed(long id) {
        ObjectNode json = ApiJson.object();
        ApiJson.put(json, "id", id);
        return ApiAnswer.ok(json);
    }

    private ApiAnswer put(ApiRequest request) {
        String name = String.valueOf(request.text("name"));
        return changed(schedules(request).put(name, NewTaskReader.read(request)));
    }

    private ApiAnswer list(ApiRequest request) {
        Role role = request.caller().role();
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        for (TaskSchedules.Entry each : schedules(request).list()) items.add(json(each, role));
        return ApiAnswer.ok(answer);
    }

    private ObjectNode json(TaskSchedules.Entry entry, Role role) {
        ObjectNode schedule = ApiJson.object();
        schedule.put("name", entry.name());
        ApiJson.put(schedule, "owner", entry.owner());
        schedule.put("cron", entry.cron());
        ApiJson.put(schedule, "zone", entry.zone());
        schedule.put("state", entry.state().name().toLowerCase(Locale.ROOT));
        ApiJson.put(schedule, "next", entry.next());
        ApiJson.put(schedule, "id", entry.id());
        mask.text(schedule, "input", entry.sql(), role);
        ApiJson.put(schedule, "last_id", entry.lastId());
        ApiJson.put(schedule, "last_start", entry.lastStart());
        ApiJson.put(schedule, "last_stop", entry.lastStop());
        ApiJson.put(schedule, "last_state", entry.lastState());
        mask.text(schedule, "last_error", entry.lastError(), role);
        return schedule;
    }

    private ApiAnswer runs(ApiRequest request) {
        String name = request.name("name");
        List<Task> runs = schedules(request).runs(name, request.integerParameter("limit", 50, 1, 500));
        if (runs.isEmpty()) throw ApiProblemException.notFound("there is no schedule \"" + name + "\"");
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        for (Task each : runs) items.add(json.listed(each, request.caller().role()));
        return ApiAnswer.ok(answer);
    }
}
