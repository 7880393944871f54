package dev.howdah.console.internal.api.job;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiChanges;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiMask;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.bulk.BulkRuns;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.console.internal.error.ErrorGroup;
import dev.howdah.console.internal.error.ErrorGroups;
import dev.howdah.console.internal.job.ErrorGroupChange;
import dev.howdah.operations.Role;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code /errors}: errors of jobs grouped by their text, and retries of all jobs of a group. Safe for use by many threads. */
public final class ErrorRoutes {
    private final ConsoleData data;
    private final ConsoleQueries queries;
    private final BulkRuns runs;
    private final ApiMask mask;
    private final ApiChanges changes;

    private ErrorRoutes(ConsoleData data, AccessSettings access, BulkRuns runs) {
        this.data = data;
        this.queries = new ConsoleQueries(data.source(), data.schema());
        this.runs = runs;
        this.mask = new ApiMask(access);
        this.changes = new ApiChanges(access);
    }

    public static List<ApiRoute> of(ConsoleData data, AccessSettings access, BulkRuns runs) {
        ErrorRoutes errors = new ErrorRoutes(data, access, runs);
        return List.of(
                ApiRoute.read(
                        "/errors",
                        "listErrors",
                        "Groups the errors of jobs by their text.",
                        JobShapes.ERROR_FILTER,
                        JobShapes.ERRORS,
                        errors::list),
                ApiRoute.change(
                        "/errors/retry",
                        "retryErrors",
                        Role.OPERATOR,
                        "Begins to retry all jobs of a group of errors, or to run them now, in the background.",
                        JobShapes.CHANGE_ERRORS,
                        202,
                        ApiChanges.SHAPE,
                        "jobs.change",
                        errors::retry));
    }

    private static boolean isRetrying(@Nullable String state) {
        if (state == null || state.equals("failed")) return false;
        if (state.equals("retrying")) return true;
        throw ApiProblemException.invalid("state has to be failed or retrying, not \"" + state + "\"");
    }

    private ApiAnswer list(ApiRequest request) {
        boolean retrying = isRetrying(request.parameter("state"));
        ErrorGroups errors = queries.installed().jobs()
                ? queries.errorGroups(retrying, request.parameter("queue"), request.parameter("kind"))
                : ErrorGroups.NONE;
        ObjectNode answer = ApiJson.object();
        answer.put("of_newest", ConsoleQueries.ERRORS);
        answer.put("exact", errors.isAll());
        ApiJson.put(answer, "since", errors.since());
        ArrayNode items = answer.putArray("items");
        for (ErrorGroup each : errors.groups()) {
            ObjectNode group = items.addObject();
            mask.text(group, "pattern", each.pattern(), request.caller().role());
            group.put("jobs", ApiJson.number(each.jobs()));
            ApiJson.put(group, "queues", each.queues());
            ApiJson.put(group, "kinds", each.kinds());
            ApiJson.put(group, "first", each.first());
            ApiJson.put(group, "last", each.last());
            ApiJson.put(group, "example", each.example());
        }
        return ApiAnswer.ok(answer);
    }

    private ApiAnswer retry(ApiRequest request) {
        ErrorGroupChange change = new ErrorGroupChange(
                String.valueOf(request.text("pattern")),
                isRetrying(request.text("state")),
                request.text("queue"),
                request.text("kind"));
        return changes.begun(change.start(data, runs, null), request.caller().role());
    }
}
