package dev.howdah.console.internal.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
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

    private static final Shape MANY = Shape.of(
            "NewWorkflows", Field.many("workflows", new Shape("WorkflowOfBatch", NEW.fields()), "1 to 100 workflows"));

    private static final Shape ADDED_MANY =
            Shape.of("AddedWorkflows", Field.many("workflows", ADDED, "in the order in which they were sent"));

    private static final int MOST = 100;
    private static final int BATCH_BYTES = 5_000_000;

    private WorkflowRoutes() {}

    public static List<ApiRoute> of(ConsoleData data, AccessSettings access) {
        IdempotentRequests requests = new IdempotentRequests(data.source(), data.schema());
        return List.of(
                add(requests, access),
                addMany(requests),
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
                    NewWorkflow workflow = read(request);
                    ObjectNode answer = requests.once(
                            request, "/workflows", connection -> added(EngineReads.addWorkflow(connection, workflow)));
                    String path = access.base() + "/api/v1/workflows/"
                            + answer.path("id").asText();
                    return new ApiAnswer(201, answer, Map.of("Location", path));
                });
    }

    private static ApiRoute addMany(IdempotentRequests requests) {
        return ApiRoute.change("/workflows/batch", "addWorkflows", "Adds up to 100 workflows: all of them, or none.")
                .role(Role.PRODUCER)
                .audited("workflows.add")
                .takes(MANY)
                .keyed()
                .upTo(BATCH_BYTES)
                .adds(ADDED_MANY)
                .does(request -> {
                    JsonNode sent = request.body().path("workflows");
                    if (sent.isEmpty() || sent.size() > MOST)
                        throw ApiProblemException.invalid(
                                "workflows has " + sent.size() + " workflows: it has to be 1 to " + MOST);
                    List<NewWorkflow> many = new ArrayList<>();
                    for (JsonNode each : sent) many.add(read(request.with((ObjectNode) each)));
                    return new ApiAnswer(
                            201,
                            requests.once(request, "/workflows/batch", connection -> {
                                ObjectNode answer = ApiJson.object();
                                ArrayNode items = answer.putArray("workflows");
                                for (NewWorkflow each : many)
                                    items.add(added(EngineReads.addWorkflow(connection, each)));
                                return answer;
                            }),
                            Map.of());
                });
    }

    private static ObjectNode added(long id) {
        ObjectNode added = ApiJson.object();
        ApiJson.put(added, "id", id);
        return added;
    }

    private static NewWorkflow read(ApiRequest request) {
        for (JsonNode each : request.body().path("jobs")) checkJob(request, each, NewJob.DEFAULT_QUEUE);
        for (String each : List.of("when_ended", "when_done", "when_failed"))
            if (request.body().has(each)) checkJob(request, request.body().get(each), NewJob.DEFAULT_QUEUE);
        return new NewWorkflow(
                String.valueOf(json(request, "jobs")),
                request.text("name"),
                request.body().path("open").asBoolean(),
                json(request, "when_ended"),
                json(request, "when_done"),
                json(request, "when_failed"));
    }

    /** Each job of a workflow, also those for its end, has to be one that the caller may add by itself. */
    static void checkJob(ApiRequest request, JsonNode job, String usualQueue) {
        request.checkJob(job.path("queue").asText(usualQueue), job.path("kind").asText());
    }

    private static @Nullable String json(ApiRequest request, String name) {
        JsonNode value = request.body().get(name);
        return value == null ? null : ApiJson.text(value);
    }
}
