package dev.howdah.console.internal.workflow;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiMask;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.api.schema.Field;
import dev.howdah.console.internal.api.schema.FieldType;
import dev.howdah.console.internal.api.schema.Shape;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.list.ListPlace;
import dev.howdah.job.workflow.SqlPipeline;
import dev.howdah.job.workflow.WorkflowJob;
import dev.howdah.job.workflow.WorkflowSummary;
import dev.howdah.operations.Role;
import java.util.List;
import java.util.Locale;

/** {@code /workflows}: list and find; {@code /pipelines}. Safe for use by many threads. */
public final class WorkflowRoutes {
    private static final Field[] SUMMARY = {
        Field.of("id", FieldType.ID, "the id of the workflow"),
        Field.maybe("name", FieldType.TEXT, "absent: it was added without one"),
        Field.of("state", FieldType.TEXT, "open, running, cancelling or ended; there may be more"),
        Field.of("created", FieldType.TIME, "when it was added"),
        Field.maybe("ended", FieldType.TIME, "when all of its jobs had ended"),
        Field.of("total", FieldType.INTEGER, "its jobs"),
        Field.of("done", FieldType.INTEGER, "jobs that are done"),
        Field.of("failed", FieldType.INTEGER, "jobs that have failed"),
        Field.of("cancelled", FieldType.INTEGER, "jobs that were cancelled"),
        Field.of("waiting", FieldType.INTEGER, "jobs that wait or run"),
        Field.of("callbacks", FieldType.INTEGER, "jobs that run when all have ended, and wait for a node")
    };

    private static final Shape WORKFLOW = Shape.of("Workflow", SUMMARY);

    private static final Shape MEMBER = Shape.of(
            "WorkflowJob",
            Field.of("id", FieldType.ID, "the id of the job"),
            Field.of("name", FieldType.TEXT, "in the workflow"),
            Field.of("state", FieldType.TEXT, "held, released, done, failed or cancelled; there may be more"),
            Field.of("after", FieldType.TEXTS, "names of the jobs that it waits for, or has waited for"),
            Field.of("kind", FieldType.TEXT, "its kind"),
            Field.maybe("result", FieldType.JSON, "without secrets"),
            Field.maybe("error", FieldType.TEXT, "its first line, without secrets"));

    private static final Shape DETAIL = Shape.of(
            "WorkflowDetail",
            Field.one("workflow", WORKFLOW, "as in the list"),
            Field.many("jobs", MEMBER, "those that have names, in the order in which they were given"));

    private static final Shape PAGE =
            Shape.of("WorkflowPage", Field.many("items", WORKFLOW, "in the order of sort"), Field.NEXT, Field.PREVIOUS);

    private static final Shape PIPELINE = Shape.of(
            "SqlPipeline",
            Field.of("name", FieldType.TEXT, "its name"),
            Field.of("changed", FieldType.TIME, "when it was put last"),
            Field.of("stages", FieldType.JSON, "an array of its stages, without secrets"));

    private static final Shape PIPELINES = Shape.of("SqlPipelines", Field.many("items", PIPELINE, "by name"));

    private static final List<Field> FILTER = List.of(
            Field.maybe("unfinished", FieldType.BOOLEAN, "true: only those that have not ended"),
            Field.maybe("sort", FieldType.TEXT, "newest or oldest; newest unless given"),
            Field.maybe("limit", FieldType.INTEGER, "1 to 500 workflows; 50 unless given"),
            Field.maybe("after", FieldType.ID, "next of the page before"),
            Field.maybe("before", FieldType.ID, "previous of the page behind"));

    private final ConsoleData data;
    private final ApiMask mask;

    private WorkflowRoutes(ConsoleData data, AccessSettings access) {
        this.data = data;
        this.mask = new ApiMask(access);
    }

    public static List<ApiRoute> of(ConsoleData data, AccessSettings access) {
        WorkflowRoutes workflows = new WorkflowRoutes(data, access);
        return List.of(
                ApiRoute.read("/workflows", "listWorkflows", "Lists workflows of jobs.", FILTER, PAGE, workflows::list),
                ApiRoute.read(
                        "/workflows/{id}",
                        "getWorkflow",
                        "Finds a workflow, with its jobs.",
                        List.of(),
                        DETAIL,
                        workflows::find),
                ApiRoute.read(
                        "/pipelines",
                        "listPipelines",
                        "Lists the pipelines that are defined in SQL.",
                        List.of(),
                        PIPELINES,
                        workflows::pipelines));
    }

    private ApiAnswer list(ApiRequest request) {
        int limit = request.integerParameter("limit", 50, 1, 500);
        ListPlace place = request.placeById();
        String unfinished = request.parameter("unfinished");
        if (unfinished != null && !unfinished.matches("true|false"))
            throw ApiProblemException.invalid("unfinished has to be true or false, not \"" + unfinished + "\"");
        WorkflowOrder chosen = request.choice("sort", WorkflowOrder.class);
        WorkflowOrder order = chosen == null ? WorkflowOrder.NEWEST : chosen;
        boolean only = "true".equals(unfinished);
        List<WorkflowSummary> found =
                (place.isBackwards() ? order.opposite() : order).list(data.jobs(), only, place.startId(), limit + 1);
        if (place.isPastFirst(found, false)) {
            place = ListPlace.FIRST;
            found = order.list(data.jobs(), only, null, limit + 1);
        }
        ListPlace.Rows<WorkflowSummary> page = place.rows(found, limit, WorkflowSummary::id);
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        for (WorkflowSummary each : page.rows()) items.add(json(each));
        ApiJson.put(answer, page.beside());
        return ApiAnswer.ok(answer);
    }

    private WorkflowSummary known(ApiRequest request) {
        return data.jobs()
                .findWorkflow(request.id())
                .orElseThrow(() -> ApiProblemException.notFound(
                        "there is no workflow " + request.id() + ": its id is wrong, or it was removed"));
    }

    private ApiAnswer find(ApiRequest request) {
        Role role = request.caller().role();
        ObjectNode answer = ApiJson.object();
        answer.set("workflow", json(known(request)));
        ArrayNode jobs = answer.putArray("jobs");
        for (WorkflowJob each : data.jobs().workflowJobs(request.id())) {
            ObjectNode job = jobs.addObject();
            ApiJson.put(job, "id", each.id());
            job.put("name", each.name());
            job.put("state", word(each.state()));
            ApiJson.put(job, "after", each.after());
            job.put("kind", each.kind());
            mask.stored(job, "result", each.result(), role);
            mask.text(job, "error", each.error(), role);
        }
        return ApiAnswer.ok(answer);
    }

    private ApiAnswer pipelines(ApiRequest request) {
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        for (SqlPipeline each : data.jobs().pipelines()) {
            ObjectNode pipeline = items.addObject().put("name", each.name());
            ApiJson.put(pipeline, "changed", each.changed());
            mask.stored(pipeline, "stages", each.stages(), request.caller().role());
        }
        return ApiAnswer.ok(answer);
    }

    private static String word(Enum<?> state) {
        return state.name().toLowerCase(Locale.ROOT);
    }

    private static ObjectNode json(WorkflowSummary workflow) {
        ObjectNode json = ApiJson.object();
        ApiJson.put(json, "id", workflow.id());
        ApiJson.put(json, "name", workflow.name());
        json.put("state", word(workflow.state()));
        ApiJson.put(json, "created", workflow.created());
        ApiJson.put(json, "ended", workflow.ended());
        json.put("total", ApiJson.number(workflow.total()));
        json.put("done", ApiJson.number(workflow.done()));
        json.put("failed", ApiJson.number(workflow.failed()));
        json.put("cancelled", ApiJson.number(workflow.cancelled()));
        json.put("waiting", ApiJson.number(workflow.waiting()));
        json.put("callbacks", workflow.callbacks());
        return json;
    }
}
