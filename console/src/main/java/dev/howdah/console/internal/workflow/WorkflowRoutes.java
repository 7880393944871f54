package dev.howdah.console.internal.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.api.IdempotentRequests;
import dev.howdah.console.internal.api.operation.ListRoutes;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.job.NewJob;
import dev.howdah.job.workflow.WorkflowSummary;
import dev.howdah.operations.Role;
import dev.howdah.operations.listed.WorkflowLists;
import dev.howdah.operations.read.EngineReads;
import dev.howdah.operations.read.NewWorkflow;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.shape.FieldType;
import dev.howdah.operations.shape.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /workflows}: add and find. Safe for use by many threads. */
public final class WorkflowRoutes {
    private static final Shape NEW = Shape.of(
            "NewWorkflow",
            Field.of(
                    "jobs",
                    FieldType.OBJECTS,
                    "its jobs: name, queue, kind, payload, after, when and others, as the function howdah.add_workflow takes them"),
            Field.maybe("name", FieldType.TEXT, "a name that lists show"),
            Field.maybe("open", FieldType.BOOLEAN, "true: jobs may be added later; it ends when it is closed"),
            Field.maybe("when_ended", FieldType.OBJECT, "a job for when all have ended"),
            Field.maybe("when_done", FieldType.OBJECT, "a job for when all are done"),
            Field.maybe("when_failed", FieldType.OBJECT, "a job for when all have ended and one has failed"));

    private static final Shape ADDED =
            Shape.of("AddedWorkflow", Field.of("id", FieldType.ID, "the id of the workflow"));

    private WorkflowRoutes() {}

    public static List<ApiRoute> of(ConsoleData data, AccessSettings access) {
        IdempotentRequests requests = new IdempotentRequests(data.source(), data.schema());
        return List.of(
                add(requests, access),
                ApiRoute.read("/workflows/{id}", "getWorkflow", "Finds a workflow, with its jobs.")
                        .answers(WorkflowLists.DETAIL.shape())
                        .does(request -> {
                            WorkflowSummary workflow = data.jobs()
                                    .findWorkflow(request.id())
                                    .orElseThrow(() -> ApiProblemException.notFound("there is no workflow "
                                            + request.id() + ": its id is wrong, or it was removed"));
                            return ApiAnswer.ok(ListRoutes.object(
                                    WorkflowLists.DETAIL,
                                    new WorkflowLists.Detail(
                                            workflow, data.jobs().workflowJobs(workflow.id())),
                                    access,
                                    request));
                        }));
    }

    private static ApiRoute add(IdempotentRequests requests, AccessSettings access) {
        return ApiRoute.change("/workflows", "addWorkflow", "Adds a workflow of jobs.")
                .role(Role.PRODUCER)
                .audited("workflows.add")
                .takes(NEW)
                .keyed()
                .adds(ADDED)
                .does(request -> {
                    check(request);
                    NewWorkflow workflow = new NewWorkflow(
                            String.valueOf(json(request, "jobs")),
                            request.text("name"),
                            request.body().path("open").asBoolean(),
                            json(request, "when_ended"),
                            json(request, "when_done"),
                            json(request, "when_failed"));
                    ObjectNode answer = requests.once(request, "/workflows", connection -> {
                        ObjectNode added = ApiJson.object();
                        ApiJson.put(added, "id", EngineReads.addWorkflow(connection, workflow));
                        return added;
                    });
                    String path = access.base() + "/api/v1/workflows/"
                            + answer.path("id").asText();
                    return new ApiAnswer(201, answer, Map.of("Location", path));
                });
    }

    /** Each of its jobs, also those for its end, has to be one that the caller may add by itself. */
    private static void check(ApiRequest request) {
        List<JsonNode> jobs = new ArrayList<>();
        request.body().path("jobs").forEach(jobs::add);
        for (String each : List.of("when_ended", "when_done", "when_failed"))
            if (request.body().has(each)) jobs.add(request.body().get(each));
        for (JsonNode each : jobs)
            request.checkJob(
                    each.path("queue").asText(NewJob.DEFAULT_QUEUE),
                    each.path("kind").asText());
    }

    private static @Nullable String json(ApiRequest request, String name) {
        JsonNode value = request.body().get(name);
        return value == null ? null : ApiJson.text(value);
    }
}
