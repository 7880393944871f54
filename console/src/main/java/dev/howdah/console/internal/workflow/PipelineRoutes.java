package dev.howdah.console.internal.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.api.IdempotentRequests;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.job.workflow.SqlPipeline;
import dev.howdah.operations.Role;
import dev.howdah.operations.read.EngineReads;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.shape.FieldType;
import dev.howdah.operations.shape.Shape;
import java.util.List;
import java.util.Map;

/** {@code /pipelines}, those that are defined in SQL: put, and run. Safe for use by many threads. */
public final class PipelineRoutes {
    private static final Shape PUT = Shape.of(
            "NewPipeline",
            Field.of(
                    "stages",
                    FieldType.OBJECTS,
                    "its stages: name, queue, kind, payload and others, as the function howdah.put_pipeline takes them"));

    private static final Shape INPUTS = Shape.of(
            "PipelineInputs", Field.of("inputs", FieldType.JSON, "an array of 1 to 1,000 inputs, each any JSON"));

    private static final Shape RUNS = Shape.of(
            "PipelineRuns",
            Field.of("workflows", FieldType.TEXTS, "the ids of their workflows, in the order in which they were sent"));

    private static final int MOST = 1_000;
    private static final int MOST_BYTES = 5_000_000;

    private final ConsoleData data;
    private final IdempotentRequests requests;

    private PipelineRoutes(ConsoleData data) {
        this.data = data;
        this.requests = new IdempotentRequests(data.source(), data.schema());
    }

    public static List<ApiRoute> of(ConsoleData data) {
        PipelineRoutes pipelines = new PipelineRoutes(data);
        return List.of(
                ApiRoute.change("/pipelines/{name}/put", "putPipeline", "Defines a pipeline, or defines it anew.")
                        .audited("pipelines.put")
                        .takes(PUT)
                        .answers(Shape.of("PutPipeline", Field.of("name", FieldType.TEXT, "its name")))
                        .does(pipelines::put),
                ApiRoute.change(
                                "/pipelines/{name}/runs",
                                "addToPipeline",
                                "Adds a workflow of the pipeline for each of up to 1,000 inputs: all of them, or none.")
                        .role(Role.PRODUCER)
                        .audited("pipelines.add")
                        .takes(INPUTS)
                        .keyed()
                        .upTo(MOST_BYTES)
                        .adds(RUNS)
                        .does(pipelines::add));
    }

    private ApiAnswer put(ApiRequest request) {
        String name = request.name("name");
        String stages = ApiJson.text(request.body().path("stages"));
        requests.once(request, "/pipelines/" + name + "/put", connection -> {
            EngineReads.putPipeline(connection, name, stages);
            return ApiJson.object();
        });
        return ApiAnswer.ok(ApiJson.object().put("name", name));
    }

    private ApiAnswer add(ApiRequest request) {
        String name = request.name("name");
        JsonNode inputs = request.body().path("inputs");
        if (!inputs.isArray() || inputs.isEmpty() || inputs.size() > MOST)
            throw ApiProblemException.ofField("inputs", "inputs has to be an array of 1 to " + MOST + " inputs");
        for (JsonNode each : ApiJson.stored(stages(name))) WorkflowRoutes.checkJob(request, each, name);
        ObjectNode answer = requests.once(request, "/pipelines/" + name + "/runs", connection -> {
            ObjectNode added = ApiJson.object();
            ArrayNode workflows = added.putArray("workflows");
            for (long each : EngineReads.addToPipeline(connection, name, ApiJson.text(inputs)))
                workflows.add(Long.toString(each));
            return added;
        });
        return new ApiAnswer(201, answer, Map.of());
    }

    private String stages(String name) {
        return data.jobs().pipelines().stream()
                .filter(each -> each.name().equals(name))
                .map(SqlPipeline::stages)
                .findFirst()
                .orElseThrow(() -> ApiProblemException.notFound("there is no pipeline \"" + name + "\""));
    }
}
