package dev.howdah.console.internal.api.job;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.access.Role;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.data.AddedJob;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.job.CancelResult;
import dev.howdah.job.query.JobPage;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code /jobs}: read, add, retry and cancel. Safe for use by many threads. */
public final class JobRoutes {
    private final ConsoleData data;
    private final AccessSettings access;
    private final IdempotentAdd adding;

    private JobRoutes(ConsoleData data, AccessSettings access) {
        this.data = data;
        this.access = access;
        this.adding = new IdempotentAdd(data.source(), data.schema(), new ConsoleQueries(data.source(), data.schema()));
    }

    public static List<ApiRoute> of(ConsoleData data, AccessSettings access) {
        JobRoutes jobs = new JobRoutes(data, access);
        return List.of(
                ApiRoute.read(
                        "/jobs", "listJobs", "Lists jobs in one state.", JobShapes.FILTER, JobShapes.PAGE, jobs::list),
                ApiRoute.read("/jobs/{id}", "getJob", "Finds a job.", List.of(), JobShapes.JOB, jobs::find),
                ApiRoute.change(
                        "/jobs",
                        "addJob",
                        Role.ADMINISTRATOR,
                        "Adds a job.",
                        JobShapes.NEW,
                        201,
                        JobShapes.ADDED,
                        "jobs.add",
                        jobs::add),
                ApiRoute.change(
                        "/jobs/{id}/retry",
                        "retryJob",
                        Role.OPERATOR,
                        "Lets a job that failed or was cancelled begin anew.",
                        null,
                        200,
                        JobShapes.CHANGED,
                        "jobs.retry",
                        jobs::retry),
                ApiRoute.change(
                        "/jobs/{id}/cancel",
                        "cancelJob",
                        Role.OPERATOR,
                        "Cancels a job; one that runs is told to stop.",
                        null,
                        200,
                        JobShapes.CHANGED,
                        "jobs.cancel",
                        jobs::cancel));
    }

    private ApiAnswer list(ApiRequest request) {
        JobPage page = data.jobs().list(query(request));
        ObjectNode json = ApiJson.object();
        ArrayNode items = json.putArray("items");
        for (JobSummary each : page.jobs())
            items.add(json(each, request.caller().role(), false));
        JobQuery next = page.next();
        if (next != null) ApiJson.put(json, "next", next.after());
        return ApiAnswer.ok(json);
    }

    private JobQuery query(ApiRequest request) {
        Role role = request.caller().role();
        JobQuery query =
                JobQuery.in(state(request.parameter("state"))).limit(request.integerParameter("limit", 50, 1, 500));
        String queue = request.parameter("queue");
        if (queue != null) query = query.queue(queue);
        String kind = request.parameter("kind");
        if (kind != null) query = query.kind(kind);
        String key = request.parameter("key");
        if (key != null) query = query.key(key);
        String tag = request.parameter("tag");
        if (tag != null) query = query.tag(tag);
        String error = request.parameter("error");
        if (error != null) {
            // Whether a text is found would tell what is masked in it.
            if (!role.covers(Role.OPERATOR) && !access.unmasked().contains(role))
                throw new ApiProblemException(403, "forbidden", "Searching in texts needs the role operator.");
            query = query.error(error);
        }
        Instant from = ApiRequest.time("from", request.parameter("from"));
        if (from != null) query = query.from(from);
        Instant until = ApiRequest.time("until", request.parameter("until"));
        if (until != null) query = query.until(until);
        return query.after(request.parameter("after"));
    }

    private static JobState state(@Nullable String text) {
        if (text == null) return JobState.RUNNING;
        for (JobState each : JobState.values()) if (word(each).equals(text)) return each;
        throw ApiProblemException.invalid("state has to be one of "
                + Arrays.stream(JobState.values()).map(JobRoutes::word).collect(Collectors.joining(", ")) + ", not \""
                + text + "\"");
    }

    private static String word(JobState state) {
        return state.name().toLowerCase(Locale.ROOT);
    }

    private ApiAnswer find(ApiRequest request) {
        JobSummary job = data.jobs().find(request.id()).orElseThrow(() -> missing(request.id()));
        return ApiAnswer.ok(json(job, request.caller().role(), true));
    }

    private static ApiProblemException missing(long id) {
        return ApiProblemException.notFound(
                "there is no job " + id + ": its id is wrong, or it was removed with the history");
    }

    private ObjectNode json(JobSummary job, Role role, boolean whole) {
        ObjectNode json = ApiJson.object();
        ApiJson.put(json, "id", job.id());
        ApiJson.put(json, "queue", job.queue());
        ApiJson.put(json, "kind", job.kind());
        ApiJson.put(json, "state", word(job.state()));
        ApiJson.put(json, "priority", job.priority());
        ApiJson.put(json, "attempt", job.attempt());
        ApiJson.put(json, "key", job.key());
        ApiJson.put(json, "created", job.created());
        ApiJson.put(json, "run_at", job.runAt());
        ApiJson.put(json, "begun", job.begun());
        ApiJson.put(json, "ended", job.ended());
        ApiJson.put(json, "node", job.node());
        boolean masked = !access.unmasked().contains(role);
        String error = job.error();
        if (error != null) json.put("error", masked ? access.masker().text(error) : error);
        stored(json, "result", job.result(), masked);
        if (whole) stored(json, "payload", job.payload(), masked);
        ApiJson.put(json, "tags", job.tags());
        stored(json, "metadata", job.metadata(), masked);
        return json;
    }

    private void stored(ObjectNode json, String name, @Nullable String text, boolean masked) {
        if (text == null) return;
        json.set(name, masked ? ApiJson.masked(ApiJson.stored(text), access.masker()) : ApiJson.stored(text));
    }

    private ApiAnswer add(ApiRequest request) {
        AddedJob added = adding.add(request);
        ObjectNode json = ApiJson.object();
        ApiJson.put(json, "id", added.id());
        ApiJson.put(json, "added", added.isNew());
        return new ApiAnswer(201, json, Map.of("Location", access.base() + "/api/v1/jobs/" + added.id()));
    }

    private ApiAnswer retry(ApiRequest request) {
        long id = request.id();
        JobSummary job = data.jobs().find(id).orElseThrow(() -> missing(id));
        if (!data.jobs().retry(id))
            throw ApiProblemException.conflict(
                    "job " + id + " is " + word(job.state()) + ": it has neither failed nor been cancelled");
        return changed("waiting");
    }

    private ApiAnswer cancel(ApiRequest request) {
        long id = request.id();
        CancelResult result = data.jobs().cancel(id);
        return switch (result) {
            case CANCELLED -> changed("cancelled");
            case ASKED -> changed("asked");
            case ENDED -> throw ApiProblemException.conflict("job " + id + " has ended already");
            case NOT_FOUND -> throw missing(id);
        };
    }

    private static ApiAnswer changed(String result) {
        ObjectNode json = ApiJson.object();
        json.put("result", result);
        return ApiAnswer.ok(json);
    }
}
