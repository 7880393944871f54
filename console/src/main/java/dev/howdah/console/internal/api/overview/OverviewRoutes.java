package dev.howdah.console.internal.api.overview;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.api.operation.ListRoutes;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleData.TableName;
import dev.howdah.console.internal.overview.AttentionNotices;
import dev.howdah.console.internal.overview.SearchPage;
import dev.howdah.console.internal.task.TaskTables;
import dev.howdah.operations.chart.ChartRange;
import dev.howdah.operations.chart.ThroughputPoint;
import dev.howdah.operations.list.ListModel;
import dev.howdah.operations.listed.ChartLists;
import dev.howdah.operations.listed.NodeLists;
import dev.howdah.operations.read.EngineReads;
import dev.howdah.operations.read.Installed;
import dev.howdah.operations.read.JobLatency;
import dev.howdah.operations.read.Node;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code /overview}, {@code /latency}, {@code /nodes/{id}}, and the lists {@code /attention} and {@code /search}. Safe for use by many threads. */
public final class OverviewRoutes {
    private final ConsoleData data;
    private final EngineReads queries;
    private final AccessSettings access;

    private OverviewRoutes(ConsoleData data, AccessSettings access) {
        this.data = data;
        this.queries = new EngineReads(data.source(), data.schema());
        this.access = access;
    }

    public static List<ApiRoute> of(ConsoleData data, AccessSettings access) {
        OverviewRoutes overview = new OverviewRoutes(data, access);
        return List.of(
                ApiRoute.read(
                                "/overview",
                                "getOverview",
                                "Counts tasks and jobs, and says how many jobs have ended lately.")
                        .query(OverviewShapes.RANGE)
                        .answers(OverviewShapes.OVERVIEW)
                        .does(overview::overview),
                ApiRoute.read("/nodes/{id}", "getNode", "Finds a node.")
                        .answers(NodeLists.NODE.shape())
                        .does(overview::node),
                ApiRoute.read(
                                "/latency",
                                "getLatency",
                                "Says how long the newest attempts of jobs that have ended waited and ran.")
                        .query(OverviewShapes.LATENCY_QUEUE)
                        .answers(OverviewShapes.LATENCY)
                        .does(overview::latency));
    }

    /** The lists of what needs attention, and of what a search finds. */
    public static List<ListModel<?>> lists(ConsoleData data) {
        EngineReads queries = new EngineReads(data.source(), data.schema());
        AttentionNotices attention = new AttentionNotices(data, queries);
        SearchPage search = new SearchPage(data, queries, new TaskTables(data));
        return List.of(
                ListModel.of(
                                "listAttention",
                                "/attention",
                                "Says what needs attention, as the overview does.",
                                OverviewShapes.NOTICE)
                        .page("Attention")
                        .order("the critical ones first; empty: nothing needs attention")
                        .all(call -> attention.find()),
                ListModel.of(
                                "search",
                                "/search",
                                "Says where an id, key:K, tag:T, queue:Q, a name or a text leads.",
                                OverviewShapes.HIT)
                        .page("SearchHits")
                        .order("what was found by id or name, and lists that a text may be in")
                        .filters(OverviewShapes.SEARCHED)
                        .all(call -> search.find(call.get(OverviewShapes.SEARCHED))));
    }

    private ApiAnswer latency(ApiRequest request) {
        ObjectNode answer = ApiJson.object();
        if (!queries.installed().jobs()) return ApiAnswer.ok(answer.put("attempts", 0));
        JobLatency latency = queries.latency(request.parameter("queue"));
        ApiJson.put(answer, "attempts", ApiJson.number(latency.attempts()));
        percentiles(answer, "waited", latency.waited());
        percentiles(answer, "ran", latency.ran());
        return ApiAnswer.ok(answer);
    }

    private static void percentiles(ObjectNode answer, String name, List<Duration> durations) {
        if (durations.isEmpty()) return;
        ObjectNode json = answer.putObject(name);
        json.put("p50", durations.get(0).toString());
        json.put("p95", durations.get(1).toString());
        json.put("p99", durations.get(2).toString());
    }

    private ApiAnswer overview(ApiRequest request) {
        ChartRange range = range(request.parameter(ChartLists.RANGE.name()));
        ObjectNode answer = ApiJson.object();
        ApiJson.put(answer, "time", queries.now());
        ArrayNode tables = answer.putArray("tables");
        for (TableName each : data.tables().get())
            tables.add(OverviewJson.table(each.text(), data.tasks(each).counts()));
        boolean installed = queries.installed().jobs();
        if (installed) answer.set("jobs", OverviewJson.jobs(data.jobs().queues()));
        answer.put("step", (int) range.step().toSeconds());
        ArrayNode points = answer.putArray("throughput");
        if (!installed) return ApiAnswer.ok(answer);
        for (ThroughputPoint each : data.charts().throughput(range, null, null)) {
            ObjectNode point = points.addObject();
            ApiJson.put(point, "time", each.time());
            point.put("done", ApiJson.number(each.done()));
            point.put("retried", ApiJson.number(each.retried()));
            point.put("failed", ApiJson.number(each.failed()));
            ApiJson.put(point, "run_average", each.average());
            if (each.done() > 0) ApiJson.put(point, "run_longest", each.longest());
        }
        return ApiAnswer.ok(answer);
    }

    private static ChartRange range(@Nullable String wanted) {
        try {
            return wanted == null ? ChartRange.H1 : ChartRange.of(wanted);
        } catch (IllegalArgumentException e) {
            throw ApiProblemException.invalid(String.valueOf(e.getMessage()));
        }
    }

    private ApiAnswer node(ApiRequest request) {
        long id = request.id();
        Installed installed = queries.installed();
        return ApiAnswer.ok((id > Integer.MAX_VALUE ? Optional.<Node>empty() : queries.node((int) id, installed))
                .map(node -> ListRoutes.object(NodeLists.NODE, node, access, request))
                .orElseThrow(() -> ApiProblemException.notFound("there is no node " + id
                        + " now: a node is listed while it runs, and after a crash until its jobs are recovered")));
    }
}
