package dev.howdah.console.internal.api.task;

import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.access.Caller;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiMask;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.task.Task;
import io.javalin.http.Context;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The output of a task as a file: {@code /tasks/{id}/output?table=}. Immutable and safe for use by many threads. */
final class TaskOutput implements ApiRoute.Stream {
    private final ConsoleData data;
    private final ApiMask mask;

    TaskOutput(ConsoleData data, AccessSettings access) {
        this.data = data;
        this.mask = new ApiMask(access);
    }

    @Override
    public List<String> media() {
        return List.of("text/plain");
    }

    @Override
    public void open(Context context) {
        Map<String, String> query = new LinkedHashMap<>();
        String table = context.queryParam("table");
        if (table != null && !table.isEmpty()) query.put("table", table);
        ApiRequest request = new ApiRequest(
                Caller.of(context), Map.of("id", context.pathParam("id")), query, ApiJson.object(), null, null);
        Task task = data.tasks(ServedTables.name(data, request))
                .find(request.id())
                .orElseThrow(() -> ApiProblemException.notFound(
                        "there is no task " + request.id() + ": its id is wrong, or it was deleted"));
        String output = task.output();
        if (output == null) throw ApiProblemException.notFound("task " + task.id() + " has no output");
        context.contentType("text/plain; charset=utf-8")
                .header("Content-Disposition", "attachment; filename=\"task-" + task.id() + ".txt\"")
                .result(mask.shown(output, request.caller().role()).getBytes(StandardCharsets.UTF_8));
    }
}
