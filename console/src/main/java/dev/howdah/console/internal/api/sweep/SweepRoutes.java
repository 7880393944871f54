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
import dev.howdah.console.internal.api.operation.ItemJson;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.sweep.SweepLauncher;
import dev.howdah.operations.Role;
import dev.howdah.operations.listed.SweepLists;
import dev.howdah.operations.read.EngineReads;
import dev.howdah.sweep.SweepPlan;
import dev.howdah.sweep.SweepProgress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code /sweeps}: find, and start where the console may. Safe for use by many threads. */
public final class SweepRoutes {
    private final ConsoleData data;
    private final EngineReads queries;
    private final ApiMask mask;

    private SweepRoutes(ConsoleData data, AccessSettings access) {
        this.data = data;
        this.queries = new EngineReads(data.source(), data.schema());
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
                            "Starts a sweep of SQL, on which the console works, or says what it would do.")
                    .audited("sweeps.start")
                    .takes(SweepShapes.START)
                    .answers(SweepShapes.PLAN)
                    .does(request -> start(launcher, request)));
        return routes;
    }

    private List<ApiRoute> reading() {
        return List.of(
                ApiRoute.read("/sweeps/{name}", "getSweep", "Says what a sweep is, and how far its workers are.")
                        .answers(SweepShapes.DETAIL)
                        .does(this::detail),
                ApiRoute.read("/sweeps/{name}/why", "whySweep", "Says why a sweep does not go on.")
                        .answers(ApiCauses.SHAPE)
                        .does(request -> ApiCauses.answer(
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

    private ApiAnswer detail(ApiRequest request) {
        SweepProgress sweep = find(request);
        Role role = request.caller().role();
        ObjectNode answer = ApiJson.object();
        ItemJson items = new ItemJson(mask, role);
        answer.set("sweep", items.whole(SweepLists.SWEEP, sweep));
        ObjectNode definition = answer.putObject("definition");
        sweep.definition().forEach((name, text) -> mask.named(definition, name, text, role));
        answer.put("limit", sweep.throttle());
        ApiJson.put(answer, "hours", sweep.hours());
        ApiJson.put(answer, "time_left", sweep.timeLeft());
        ArrayNode workers = answer.putArray("workers");
        for (SweepProgress.Worker each : sweep.workers()) workers.add(items.whole(SweepLists.WORKER, each));
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
