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
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleData.TableName;
import dev.howdah.console.internal.list.ListPlace;
import dev.howdah.operations.Role;
import dev.howdah.task.NewTask;
import dev.howdah.task.Task;
import dev.howdah.task.TaskCheck;
import dev.howdah.task.TaskCounts;
import dev.howdah.task.TaskPage;
import dev.howdah.task.TaskQuery;
import dev.howdah.task.TaskState;
import dev.howdah.task.TaskTable;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code /tasks}: read, add, cancel and retry. Safe for use by many threads. */
public final class TaskRoutes {
    private static final int CHILDREN = 20;
    private static final int GROUPS = 500;

    private final ConsoleData data;
    private final AccessSettings access;
    private final ApiMask mask;
    private final TaskJson json;
    private final IdempotentRequests requests;

    private TaskRoutes(ConsoleData data, AccessSettings access) {
        this.data = data;
        this.access = access;
        this.mask = new ApiMask(access);
        this.json = new TaskJson(mask);
        this.requests = new IdempotentRequests(data.source(), data.schema());
    }

    public static List<ApiRoute> of(ConsoleData data, AccessSettings access) {
        TaskRoutes tasks = new TaskRoutes(data, access);
        List<ApiRoute> reading = List.of(
                ApiRoute.read("/tasks", "listTasks", "Lists tasks.", List.of(), TaskShapes.PAGE, tasks::list)
                        .withQuery(TaskShapes.FILTER),
                ApiRoute.read(
                                "/tasks/groups",
                                "listTaskGroups",
                                "Lists the groups of tasks that have tasks which run or are due.",
                                List.of(),
                                TaskShapes.GROUPS,
                                tasks::groups)
                        .withQuery(TaskShapes.TABLE),
                ApiRoute.read("/tasks/{id}", "getTask", "Finds a task.", List.of(), TaskShapes.TASK, tasks::find)
                        .withQuery(TaskShapes.TABLE),
                ApiRoute.stream(
                                "/tasks/{id}/output",
                                "downloadTaskOutput",
                                "Sends the output of a task as a file.",
                                new TaskOutput(data, access))
                        .withQuery(TaskShapes.TABLE),
                ApiRoute.read(
                                "/tasks/{id}/why",
                                "whyTask",
                                "Says why a task does not run.",
                                List.of(),
                                ApiCauses.SHAPE,
                                tasks::why)
                        .withQuery(TaskShapes.TABLE));
        List<ApiRoute> changing = List.of(
                ApiRoute.change(
                                "/tasks",
                                "addTask",
                                Role.ADMINISTRATOR,
                                "Adds a task.",
                                TaskShapes.NEW,
                                201,
                                TaskShapes.ADDED,
                                "tasks.add",
                                tasks::add)
                        .keyed(ApiRoute.USUAL_BYTES)
                        .withQuery(TaskShapes.TABLE),
                ApiRoute.change(
                                "/tasks/check",
                                "checkTask",
                                Role.ADMINISTRATOR,
                                "Checks a task: adds it in a transaction that is rolled back, and parses its SQL.",
                                TaskShapes.NEW,
                                200,
                                TaskShapes.CHECKED,
                                "tasks.check",
                                tasks::check)
                        .withQuery(TaskShapes.TABLE));
        return java.util.stream.Stream.concat(reading.stream(), changing.stream())
                .toList();
    }

    private ApiAnswer groups(ApiRequest request) {
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        for (TaskCounts.Group each : table(request).groups(GROUPS)) {
            ObjectNode group = items.addObject().put("group", each.group());
            mask.address(group, "remote", each.remote());
            group.put("running", ApiJson.number(each.running()));
            group.put("due", ApiJson.number(each.due()));
            ApiJson.put(group, "oldest", each.oldest());
            group.put("max", each.max());
        }
        return ApiAnswer.ok(answer);
    }

    private TableName name(ApiRequest request) {
        return ServedTables.name(data, request);
    }

    private TaskTable table(ApiRequest request) {
        return data.tasks(name(request));
    }

    private ApiAnswer list(ApiRequest request) {
        Role role = request.caller().role();
        String text = request.parameter("text");
        if (text != null) mask.checkSearch(role);
        TaskQuery query = query(request, text);
        ListPlace place = request.place();
        TaskTable table = table(request);
        TaskPage page = table.list(
                (place.isBackwards() ? query.order(query.inOrder().opposite()) : query).after(place.start()));
        if (place.isPastFirst(page.tasks(), page.searchedTo() != 0)) {
            place = ListPlace.FIRST;
            page = table.list(query);
        }
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        for (Task each : place.inOrder(page.tasks())) items.add(json.listed(each, role));
        TaskQuery further = page.next();
        ApiJson.put(answer, place.beside(further == null ? null : further.after(), page.first()));
        if (page.searchedTo() != 0) ApiJson.put(answer, "searched_to", page.searchedTo());
        return ApiAnswer.ok(answer);
    }

    private static TaskQuery query(ApiRequest request, @Nullable String text) {
        TaskState state = state(request.parameter("state"));
        TaskQuery.Order order = request.choice("sort", TaskQuery.Order.class);
        if (state != TaskState.PLAN && (order == TaskQuery.Order.SOONEST || order == TaskQuery.Order.LATEST))
            throw ApiProblemException.invalid(
                    "sort=" + request.parameter("sort") + " is for state=PLAN; other states have newest and oldest");
        return TaskQuery.all()
                .state(state)
                .group(request.parameter("group"))
                .owner(request.parameter("owner"))
                .text(text)
                .order(order)
                .limit(request.integerParameter("limit", 50, 1, 500));
    }

    static @Nullable TaskState state(@Nullable String text) {
        if (text == null) return null;
        for (TaskState each : TaskState.values()) if (each.name().equals(text.toUpperCase(Locale.ROOT))) return each;
        throw ApiProblemException.invalid("state has to be one of "
                + Arrays.stream(TaskState.values()).map(TaskState::name).collect(Collectors.joining(", ")) + ", not \""
                + text + "\"");
    }

    private ApiProblemException missing(ApiRequest request) {
        return ApiProblemException.notFound("there is no task " + request.id() + " in "
                + name(request).text() + ": its id is wrong, or it was deleted");
    }

    private ApiAnswer find(ApiRequest request) {
        TaskTable table = table(request);
        Task task = table.find(request.id()).orElseThrow(() -> missing(request));
        return ApiAnswer.ok(json.whole(
                task, table.children(task.id(), CHILDREN), request.caller().role()));
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
