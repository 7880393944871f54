package dev.howdah.console.internal.api.job;

import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.api.operation.ApiChanges;
import dev.howdah.console.internal.bulk.BulkQuestion;
import dev.howdah.console.internal.bulk.BulkRuns;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.job.ErrorGroupChange;
import dev.howdah.operations.Role;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** {@code /errors/retry}: retries of all jobs of a group. Safe for use by many threads. */
public final class ErrorRoutes {
    private static final String RETRY = "retryErrors";

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
                        RETRY,
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

    /** What is asked before the changes of all that match, by their operations. */
    public static Map<String, Function<ApiRequest, BulkQuestion>> questions(ConsoleData data) {
        return Map.of(RETRY, request -> change(request).question(data));
    }

    private static ErrorGroupChange change(ApiRequest request) {
        return new ErrorGroupChange(
                String.valueOf(request.text("pattern")),
                isRetrying(request.text("state")),
                request.text("queue"),
                request.text("kind"));
    }

    private ApiAnswer retry(ApiRequest request) {
        return changes.begun(
                change(request).start(data, runs, null), request.caller().role());
    }
}
