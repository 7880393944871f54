package dev.howdah.console.internal.api.job;

import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.api.operation.ApiChanges;
import dev.howdah.console.internal.bulk.BulkRuns;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.job.ErrorGroupChange;
import dev.howdah.operations.Role;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code /errors/retry}: retries of all jobs of a group. Safe for use by many threads. */
public final class ErrorRoutes {
    private final ConsoleData data;
    private final BulkRuns runs;
    private final ApiChanges changes;

    private ErrorRoutes(ConsoleData data, AccessSettings access, BulkRuns runs) {
        this.data = data;
        this.runs = runs;
        this.changes = new ApiChanges(access);
    }

    public static List<ApiRoute> of(ConsoleData data, AccessSettings access, BulkRuns runs) {
        ErrorRoutes errors = new ErrorRoutes(data, access, runs);
        return List.of(ApiRoute.change(
                        "/errors/retry",
                        "retryErrors",
                        "Begins to retry all jobs of a group of errors, or to run them now, in the background.")
                .role(Role.OPERATOR)
                .audited("jobs.change")
                .takes(JobShapes.CHANGE_ERRORS)
                .begins(ApiChanges.SHAPE)
                .does(errors::retry));
    }

    private static boolean isRetrying(@Nullable String state) {
        if (state == null || state.equals("failed")) return false;
        if (state.equals("retrying")) return true;
        throw ApiProblemException.invalid("state has to be failed or retrying, not \"" + state + "\"");
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
