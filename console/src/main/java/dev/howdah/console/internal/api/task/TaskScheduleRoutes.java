package dev.howdah.console.internal.api.task;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.task.TaskSchedules;
import java.util.List;

/** {@code /task-schedules}: the schedules with a name of a table of tasks. Safe for use by many threads. */
public final class TaskScheduleRoutes {
    private final ConsoleData data;

    private TaskScheduleRoutes(ConsoleData data, AccessSettings access) {
        this.data = data;
    }

    public static List<ApiRoute> of(ConsoleData data, AccessSettings access) {
        TaskScheduleRoutes schedules = new TaskScheduleRoutes(data, access);
        return List.of(ApiRoute.change(
                        "/task-schedules",
                        "putTaskSchedule",
                        "Adds a schedule of tasks, or changes the one of that name: what is absent takes its default.")
                .audited("task-schedules.put")
                .takes(TaskScheduleShapes.NEW)
                .query(TaskShapes.TABLE)
                .answers(TaskScheduleShapes.CHANGED)
                .does(schedules::put));
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
}
