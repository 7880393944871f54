package dev.howdah.console.internal.api.overview;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.access.Role;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiCauses;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiMask;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleData.TableName;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.console.internal.data.Node;
import dev.howdah.console.internal.data.ThroughputPoint;
import dev.howdah.job.JobAdmin;
import dev.howdah.job.query.QueueSummary;
import dev.howdah.sweep.SweepProgress;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** {@code /overview}, {@code /queues}, {@code /nodes} and {@code /sweeps}. Safe for use by many threads. */
public final class OverviewRoutes {
    private final ConsoleData data;
    private final ConsoleQueries queries;
    private final ApiMask mask;

    private OverviewRoutes(ConsoleData data, AccessSettings access) {
        this.data = data;
        this.queries = new ConsoleQueries(data.source(), data.schema());
        this.mask = new ApiMask(access);
    }

    public static List<ApiRoute> of(ConsoleData data, AccessSettings access) {
        OverviewRoutes overview = new OverviewRoutes(data, access);
        return List.of(
                ApiRoute.read(
                        "/overview",
                        "getOverview",
                        "Counts tasks and jobs, and says how many jobs have ended lately.",
                        List.of(OverviewShapes.RANGE),
                        OverviewShapes.OVERVIEW,
                        overview::overview),
                ApiRoute.read(
                        "/queues",
                        "listQueues",
                        "Lists queues of jobs.",
                        List.of(),
                        OverviewShapes.QUEUES,
                        overview::queues),
                overview.change(
                        "pause", "pauseQueue", "Pauses a queue, or a kind of it: no node claims from it.", true),
                overview.change("resume", "resumeQueue", "Resumes a queue, or a kind of it.", false),
                ApiRoute.read("/nodes", "listNodes", "Lists nodes.", List.of(), OverviewShapes.NODES, overview::nodes),
                ApiRoute.read(
                        "/sweeps", "listSweeps", "Lists sweeps.", List.of(), OverviewShapes.SWEEPS, overview::sweeps),
                ApiRoute.read(
                        "/sweeps/{name}/why",
                        "whySweep",
                        "Says why a sweep does not go on.",
                        List.of(),
                        ApiCauses.SHAPE,
                        overview::whySweep));
    }

    private ApiRoute change(String verb, String operation, String words, boolean pause) {
        return ApiRoute.change(
                "/queues/{queue}/" + verb,
                operation,
                Role.OPERATOR,
                words,
                OverviewShapes.KIND,
                200,
                OverviewShapes.CHANGED,
                "jobs." + verb,
                request -> {
                    JobAdmin jobs = data.jobs();
                    String queue = request.name("queue");
                    String kind = request.text("kind");
                    boolean changed;
                    if (pause) changed = kind == null ? jobs.pause(queue) : jobs.pause(queue, kind);
                    else changed = kind == null ? jobs.resume(queue) : jobs.resume(queue, kind);
                    ObjectNode json = ApiJson.object();
                    json.put("changed", changed);
                    return ApiAnswer.ok(json);
                });
    }

    private ApiAnswer overview(ApiRequest request) {
        String range = request.parameter("range");
        Duration last = switch (range == null ? "1h" : range) {
            case "1h" -> Duration.ofHours(1);
            case "24h" -> Duration.ofHours(24);
            case "7d" -> Duration.ofDays(7);
            default -> throw ApiProblemException.invalid("range has to be 1h, 24h or 7d, not \"" + range + "\"");
        };
        Duration step = last.toHours() == 1
                ? Duration.ofMinutes(1)
                : last.toHours() == 24 ? Duration.ofMinutes(20) : Duration.ofHours(2);
        ObjectNode answer = ApiJson.object();
        ApiJson.put(answer, "time", queries.now());
        ArrayNode tables = answer.putArray("tables");
        for (TableName each : data.tables().get())
            tables.add(OverviewJson.table(each.text(), data.tasks(each).counts()));
        boolean installed = queries.installed().jobs();
        if (installed) answer.set("jobs", OverviewJson.jobs(data.jobs().queues()));
        answer.put("step", (int) step.toSeconds());
        ArrayNode points = answer.putArray("throughput");
        if (!installed) return ApiAnswer.ok(answer);
        for (ThroughputPoint each : queries.throughput(last, step)) {
            ObjectNode point = points.addObject();
            ApiJson.put(point, "time", each.time());
            point.put("done", ApiJson.number(each.done()));
            point.put("retried", ApiJson.number(each.retried()));
            point.put("failed", ApiJson.number(each.failed()));
        }
        return ApiAnswer.ok(answer);
    }

    private ApiAnswer queues(ApiRequest request) {
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        if (queries.installed().jobs())
            for (QueueSummary each : data.jobs().queues()) items.add(OverviewJson.queue(each));
        return ApiAnswer.ok(answer);
    }

    private ApiAnswer nodes(ApiRequest request) {
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        if (queries.installed().jobs()) for (Node each : queries.nodes()) items.add(OverviewJson.node(each));
        return ApiAnswer.ok(answer);
    }

    private ApiAnswer sweeps(ApiRequest request) {
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        for (SweepProgress each : data.sweeps().list()) {
            ObjectNode json = items.addObject();
            json.put("name", each.name());
            json.put("state", each.state().name().toLowerCase(Locale.ROOT));
            ApiJson.put(json, "started", each.started());
            ApiJson.put(json, "ended", each.ended());
            ApiJson.put(json, "done", each.done());
            ApiJson.put(json, "failed", each.failed());
            ApiJson.put(json, "total", each.total() < 0 ? null : each.total());
            json.put("total_exact", each.isTotalExact());
            json.put("rows_per_second", each.rowsPerSecond());
            json.put("workers", each.workers().size());
            mask.text(json, "error", each.error(), request.caller().role());
        }
        return ApiAnswer.ok(answer);
    }

    private ApiAnswer whySweep(ApiRequest request) {
        if (!queries.installed().sweeps())
            throw ApiProblemException.notFound("there is no sweep \"" + request.name("name") + "\"");
        return ApiCauses.answer(data.sweeps().why(request.name("name")));
    }
}
