package dev.howdah.console.internal.api.task;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiMask;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.api.operation.ApiChanges;
import dev.howdah.console.internal.bulk.BulkQuestion;
import dev.howdah.console.internal.bulk.BulkRuns;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.task.TaskBulk;
import dev.howdah.operations.Role;
import dev.howdah.operations.Values;
import dev.howdah.operations.listed.TaskLists;
import dev.howdah.task.TaskQuery;
import dev.howdah.task.TaskState;
import dev.howdah.task.TaskTable;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

/** {@code /tasks/{id}/change}, {@code /tasks/{id}/delete}, {@code /tasks/change} and {@code /tasks/change-all}. Safe for use by many threads. */
public final class TaskBulkRoutes {
    private static final String ALL = "changeAllTasks";

    private final ConsoleData data;
    private final BulkRuns runs;
    private final ApiMask mask;
    private final ApiChanges changes;

    private TaskBulkRoutes(ConsoleData data, AccessSettings access, BulkRuns runs) {
        this.data = data;
        this.runs = runs;
        this.mask = new ApiMask(access);
        this.changes = new ApiChanges(access);
    }

    public static List<ApiRoute> of(ConsoleData data, AccessSettings access, BulkRuns runs) {
        TaskBulkRoutes bulk = new TaskBulkRoutes(data, access, runs);
        return List.of(
                ApiRoute.change(
                                "/tasks/{id}/change",
                                "changeTask",
                                "Changes the SQL and other columns of a task that waits or was stopped; all others stay.")
                        .audited("tasks.edit")
                        .takes(TaskShapes.CHANGE)
                        .query(TaskShapes.TABLE)
                        .answers(TaskShapes.EDITED)
                        .does(bulk::edit),
                ApiRoute.change("/tasks/change", "changeTasks", "Retries, cancels or deletes up to 1,000 tasks.")
                        .role(Role.OPERATOR)
                        .audited("tasks.change")
                        .takes(TaskShapes.CHANGE_MANY)
                        .query(TaskShapes.TABLE)
                        .answers(TaskShapes.CHANGED_MANY)
                        .does(bulk::changeEach),
                ApiRoute.change(
                                "/tasks/change-all",
                                ALL,
                                "Begins to do the same with all tasks that match a filter, in the background.")
                        .role(Role.OPERATOR)
                        .audited("tasks.change")
                        .takes(TaskShapes.CHANGE_ALL)
                        .query(TaskShapes.TABLE)
                        .begins(ApiChanges.SHAPE)
                        .does(bulk::changeAll));
    }

    private TaskTable table(ApiRequest request) {
        return data.tasks(ServedTables.name(data, request));
    }

    private ApiAnswer edit(ApiRequest request) {
        TaskTable table = table(request);
        if (!table.change(request.id(), NewTaskReader.read(request), NewTaskReader.defaults(request)))
            throw refused(table, request.id(), "it neither waits nor was stopped");
        return result("changed");
    }

    private static ApiAnswer result(String result) {
        ObjectNode answer = ApiJson.object();
        answer.put("result", result);
        return ApiAnswer.ok(answer);
    }

    private static ApiProblemException refused(TaskTable table, long id, String why) {
        return table.state(id)
                .map(state -> ApiProblemException.conflict("task " + id + " is " + state + ": " + why))
                .orElseGet(() -> ApiProblemException.notFound(
                        "there is no task " + id + " in this table: its id is wrong, or it was deleted"));
    }

    private static TaskBulk.Action action(ApiRequest request) {
        return ApiChanges.action(
                request,
                TaskBulk.Action.values(),
                TaskBulk.Action::word,
                each -> each.operation().role(),
                "tasks");
    }

    private ApiAnswer changeEach(ApiRequest request) {
        TaskBulk bulk = new TaskBulk(action(request), TaskQuery.all(), table(request));
        List<Long> ids = ApiChanges.ids(request, "tasks");
        return ApiChanges.changed(bulk.each(ids), ids.size());
    }

    /** What is asked before the changes of all that match, by their operations. */
    public static Map<String, Function<ApiRequest, BulkQuestion>> questions(
            ConsoleData data, AccessSettings access, BulkRuns runs) {
        return Map.of(ALL, new TaskBulkRoutes(data, access, runs)::question);
    }

    private BulkQuestion question(ApiRequest request) {
        TaskBulk bulk = bulk(request);
        Long count = bulk.count();
        return new BulkQuestion(action(request).word() + " " + bulk.words(count), count);
    }

    private ApiAnswer changeAll(ApiRequest request) {
        TaskBulk bulk = bulk(request);
        String table = ServedTables.name(data, request).text();
        String back = "/tasks?table=" + PageRequest.encoded(Objects.requireNonNull(table));
        String title = action(request).label() + ": " + bulk.words(null);
        return changes.begun(
                runs.start(title, back, bulk.count(), bulk::all),
                request.caller().role());
    }

    private TaskBulk bulk(ApiRequest request) {
        TaskBulk.Action action = action(request);
        Role role = request.caller().role();
        Values chosen = request.values(TaskLists.CHOSEN);
        if (TaskLists.TASKS.isSearch(chosen)) mask.checkSearch(role);
        TaskQuery query = TaskLists.query(chosen);
        TaskState state = query.state();
        if (state != null && !action.isFor(state))
            throw ApiProblemException.invalid("state has to be one of "
                    + Arrays.stream(TaskState.values())
                            .filter(action::isFor)
                            .map(TaskState::name)
                            .collect(Collectors.joining(", "))
                    + " for the action " + action.word() + ", not \"" + state + "\"");
        return new TaskBulk(action, query, table(request));
    }
}
