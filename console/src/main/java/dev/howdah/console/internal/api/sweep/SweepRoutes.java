package dev.howdah.console.internal.api.sweep;

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
import dev.howdah.console.internal.api.schema.Field;
import dev.howdah.console.internal.api.schema.FieldType;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.console.internal.list.ListPlace;
import dev.howdah.console.internal.sweep.SweepErrorPages;
import dev.howdah.console.internal.sweep.SweepLauncher;
import dev.howdah.console.internal.sweep.SweepOrder;
import dev.howdah.operations.Role;
import dev.howdah.sweep.SweepError;
import dev.howdah.sweep.SweepGeneration;
import dev.howdah.sweep.SweepPlan;
import dev.howdah.sweep.SweepProgress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@code /sweeps}: read, change, and start where the console may. Safe for use by many threads. */
public final class SweepRoutes {
    private static final int USUAL_ROWS = 100;
    private static final int MOST_ROWS = 1_000;
    private static final Field LIMIT =
            Field.maybe("limit", FieldType.INTEGER, "of items, 1 to 1,000; 100 unless given");

    private final ConsoleData data;
    private final ConsoleQueries queries;
    private final ApiMask mask;

    private SweepRoutes(ConsoleData data, AccessSettings access) {
        this.data = data;
        this.queries = new ConsoleQueries(data.source(), data.schema());
        this.mask = new ApiMask(access);
    }

    /** @param launcher null: no sweep can be started */
    public static List<ApiRoute> of(ConsoleData data, AccessSettings access, @Nullable SweepLauncher launcher) {
        SweepRoutes sweeps = new SweepRoutes(data, access);
        List<ApiRoute> routes = new ArrayList<>(sweeps.reading());
        if (launcher != null)
            routes.add(ApiRoute.change(
                    "/sweeps",
                    "startSweep",
                    Role.ADMINISTRATOR,
                    "Starts a sweep of SQL, on which the console works, or says what it would do.",
                    SweepShapes.START,
                    200,
                    SweepShapes.PLAN,
                    "sweeps.start",
                    request -> start(launcher, request)));
        return routes;
    }

    private List<ApiRoute> reading() {
        return List.of(
                ApiRoute.read(
                        "/sweeps",
                        "listSweeps",
                        "Lists sweeps.",
                        List.of(SweepShapes.SORT),
                        SweepShapes.LIST,
                        this::list),
                ApiRoute.read(
                        "/sweeps/{name}",
                        "getSweep",
                        "Says what a sweep is, and how far its workers are.",
                        List.of(),
                        SweepShapes.DETAIL,
                        this::detail),
                ApiRoute.read(
                        "/sweeps/{name}/errors",
                        "listSweepErrors",
                        "Lists rows of a sweep that have failed.",
                        List.of(LIMIT, Field.AFTER, Field.BEFORE),
                        SweepShapes.ERRORS,
                        this::errors),
                ApiRoute.read(
                        "/sweeps/{name}/history",
                        "listSweepGenerations",
                        "Lists the generations of a sweep before the present one.",
                        List.of(LIMIT),
                        SweepShapes.HISTORY,
                        this::history),
                ApiRoute.read(
                        "/sweeps/{name}/why",
                        "whySweep",
                        "Says why a sweep does not go on.",
                        List.of(),
                        ApiCauses.SHAPE,
                        request -> ApiCauses.answer(
                                data.sweeps().why(known(request)),
                                mask,
                                request.caller().role())));
    }

    private String known(ApiRequest request) {
        return find(request).name();
    }

    private SweepProgress find(ApiRequest request) {
        String name = request.name("name");
        SweepProgress found =
                queries.installed().sweeps() ? data.sweeps().find(name).orElse(null) : null;
        if (found == null) throw ApiProblemException.notFound("there is no sweep \"" + name + "\"");
        return found;
    }

    private ApiAnswer list(ApiRequest request) {
        Role role = request.caller().role();
        SweepOrder asked = request.choice("sort", SweepOrder.class);
        SweepOrder order = asked == null ? SweepOrder.OLDEST : asked;
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        if (!queries.installed().sweeps()) return ApiAnswer.ok(answer);
        data.sweeps().list().stream().sorted(order.comparator()).forEach(each -> items.add(json(each, role)));
        return ApiAnswer.ok(answer);
    }

    private ObjectNode json(SweepProgress sweep, Role role) {
        ObjectNode json = ApiJson.object();
        json.put("name", sweep.name());
        json.put("state", sweep.state().name().toLowerCase(Locale.ROOT));
        ApiJson.put(json, "started", sweep.started());
        ApiJson.put(json, "ended", sweep.ended());
        ApiJson.put(json, "done", sweep.done());
        ApiJson.put(json, "failed", sweep.failed());
        ApiJson.put(json, "total", sweep.total() < 0 ? null : sweep.total());
        json.put("total_exact", sweep.isTotalExact());
        json.put("rows_per_second", sweep.rowsPerSecond());
        json.put("workers", sweep.workers().size());
        mask.text(json, "error", sweep.error(), role);
        return json;
    }

    private ApiAnswer detail(ApiRequest request) {
        SweepProgress sweep = find(request);
        Role role = request.caller().role();
        ObjectNode answer = ApiJson.object();
        answer.set("sweep", json(sweep, role));
        ObjectNode definition = answer.putObject("definition");
        sweep.definition().forEach((name, text) -> mask.named(definition, name, text, role));
        answer.put("limit", sweep.throttle());
        ApiJson.put(answer, "hours", sweep.hours());
        ApiJson.put(answer, "time_left", sweep.timeLeft());
        ArrayNode workers = answer.putArray("workers");
        for (SweepProgress.Worker each : sweep.workers()) {
            ObjectNode worker = workers.addObject();
            worker.put("process", each.processName());
            worker.put("number", each.number());
            ApiJson.put(worker, "done", each.done());
            ApiJson.put(worker, "failed", each.failed());
            worker.put("rows_per_second", each.rowsPerSecond());
            mask.text(worker, "held", each.held(), role);
        }
        return ApiAnswer.ok(answer);
    }

    private static int limit(ApiRequest request) {
        return request.integerParameter("limit", USUAL_ROWS, 1, MOST_ROWS);
    }

    private ApiAnswer errors(ApiRequest request) {
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        ListPlace.Rows<SweepError> page =
                SweepErrorPages.read(data.sweeps(), known(request), request.place(), limit(request));
        for (SweepError each : page.rows()) {
            ObjectNode json = items.addObject();
            ArrayNode key = json.putArray("key");
            each.key().forEach(key::add);
            mask.text(json, "error", each.error(), request.caller().role());
            ApiJson.put(json, "time", each.at());
            json.put("attempts", each.attempts());
            ApiJson.put(json, "retry_at", each.retryAt());
        }
        ApiJson.put(answer, page.beside());
        return ApiAnswer.ok(answer);
    }

    private ApiAnswer history(ApiRequest request) {
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        for (SweepGeneration each : data.sweeps().history(known(request), limit(request))) {
            ObjectNode json = items.addObject();
            json.put("generation", each.number());
            json.put("state", each.state().name().toLowerCase(Locale.ROOT));
            ApiJson.put(json, "started", each.started());
            ApiJson.put(json, "ended", each.ended());
            ApiJson.put(json, "done", each.done());
            ApiJson.put(json, "failed", each.failed());
        }
        return ApiAnswer.ok(answer);
    }

    private static ApiAnswer start(SweepLauncher launcher, ApiRequest request) {
        boolean dryRun = request.body().path("dry_run").asBoolean();
        SweepPlan plan = launcher.start(new SweepFields(request)::value, SweepFields::shown, dryRun);
        ObjectNode answer = ApiJson.object();
        answer.put("started", plan == null);
        if (plan == null) return ApiAnswer.ok(answer);
        answer.put("table", plan.table());
        ApiJson.put(answer, "rows", plan.rows());
        answer.put("rows_exact", plan.isExact());
        ArrayNode statements = answer.putArray("statements");
        plan.sql().forEach(statements::add);
        ArrayNode objections = answer.putArray("objections");
        plan.objections().forEach(objections::add);
        return ApiAnswer.ok(answer);
    }
}
