package dev.howdah.console.internal.api.task;

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
import dev.howdah.console.internal.api.IdempotentRequests;
import dev.howdah.console.internal.api.operation.ItemJson;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleData.TableName;
import dev.howdah.operations.listed.TaskLists;
import dev.howdah.task.NewTask;
import dev.howdah.task.Task;
import dev.howdah.task.TaskCheck;
import dev.howdah.task.TaskTable;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** {@code /tasks}: find, add and check. Safe for use by many threads. */
public final class TaskRoutes {
    private static final int CHILDREN = 20;

    private final ConsoleData data;
    private final AccessSettings access;
    private final ApiMask mask;
    private final IdempotentRequests requests;

    private TaskRoutes(ConsoleData data, AccessSettings access) {
        this.data = data;
        this.access = access;
        this.mask = new ApiMask(access);
        this.requests = new IdempotentRequests(data.source(), data.schema());
    }

    public static List<ApiRoute> of(ConsoleData data, AccessSettings access) {
        TaskRoutes tasks = new TaskRoutes(data, access);
        List<ApiRoute> reading = List.of(
                ApiRoute.read("/tasks/{id}", "getTask", "Finds a task.")
                        .query(TaskShapes.TABLE)
                        .answers(TaskShapes.TASK)
                        .does(tasks::find),
                ApiRoute.read("/tasks/{id}/output", "downloadTaskOutput", "Sends the output of a task as a file.")
                        .query(TaskShapes.TABLE)
                        .streams(new TaskOutput(data, access)),
                ApiRoute.read("/tasks/{id}/why", "whyTask", "Says why a task does not run.")
                        .query(TaskShapes.TABLE)
                        .answers(ApiCauses.SHAPE)
                        .does(tasks::why));
        List<ApiRoute> changing = List.of(
                ApiRoute.change("/tasks", "addTask", "Adds a task.")
                        .audited("tasks.add")
                        .takes(TaskShapes.NEW)
                        .query(TaskShapes.TABLE)
                        .keyed()
                        .adds(TaskShapes.ADDED)
                        .does(tasks::add),
                ApiRoute.change(
                                "/tasks/check",
                                "checkTask",
                                "Checks a task: adds it in a transaction that is rolled back, and parses its SQL.")
                        .audited("tasks.check")
                        .takes(TaskShapes.NEW)
                        .query(TaskShapes.TABLE)
                        .answers(TaskShapes.CHECKED)
                        .does(tasks::check));
        return java.util.stream.Stream.concat(reading.stream(), changing.stream())
                .toList();
    }

    private TableName name(ApiRequest request) {
        return ServedTables.name(data, request);
    }

    private TaskTable table(ApiRequest request) {
        return data.tasks(name(request));
    }

    private ApiProblemException missing(ApiRequest request) {
        return ApiProblemException.notFound("there is no task " + request.id() + " in "
                + name(request).text() + ": its id is wrong, or it was deleted");
    }

    private ApiAnswer find(ApiRequest request) {
        TaskTable table = table(request);
        Task task = table.find(request.id()).orElseThrow(() -> missing(request));
        ItemJson items = new ItemJson(mask, request.caller().role());
        ObjectNode json = items.whole(TaskLists.LISTED, task);
        ObjectNode columns = json.putObject("columns");
        task.others().forEach((name, value) -> {
            if (value != null)
                mask.named(columns, name, value.toString(), request.caller().role());
        });
        ArrayNode children = json.putArray("children");
        for (Task each : table.children(task.id(), CHILDREN)) children.add(items.whole(TaskLists.LISTED, each));
        return ApiAnswer.ok(json);
    }

    private ApiAnswer add(ApiRequest request) {
        NewTask task = NewTaskReader.read(request);
        TableName name = name(request);
        TaskTable table = data.tasks(name);
        ObjectNode answer = requests.once(request, "/tasks?table=" + name.text(), connection -> {
            ObjectNode added = ApiJson.object();
            ApiJson.put(added, "id", table.add(connection, task));
            return added;
        });
        String query = request.parameter("table") == null
                ? ""
                : "?table=" + URLEncoder.encode(name.text(), StandardCharsets.UTF_8);
        return new ApiAnswer(
                201,
                answer,
                Map.of(
                        "Location",
                        access.base() + "/api/v1/tasks/" + answer.path("id").asText() + query));
    }

    private ApiAnswer check(ApiRequest request) {
        TaskCheck check = table(request).check(NewTaskReader.read(request));
        ObjectNode answer = ApiJson.object();
        answer.put("parsed", check.unchecked() == null && check.error() == null);
        ApiJson.put(answer, "error", check.error());
        if (check.position() > 0) answer.put("position", check.position());
        ApiJson.put(answer, "unchecked", check.unchecked());
        return ApiAnswer.ok(answer);
    }

    private ApiAnswer why(ApiRequest request) {
        return ApiCauses.answer(
                table(request).why(request.id()), mask, request.caller().role());
    }
}
