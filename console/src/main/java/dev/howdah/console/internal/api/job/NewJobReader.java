package dev.howdah.console.internal.api.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the job of a body. */
public final class NewJobReader {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** What a job in an order cannot have: when it runs is up to those before it. */
    private static final List<String> UNORDERED =
            List.of("run_at", "delay", "key", "attempts", "timeout", "unique", "version");

    private NewJobReader() {}

    /** @throws RuntimeException if a value cannot be */
    public static NewJob<JsonNode> read(ApiRequest request) {
        JsonNode payload = request.body().get("payload");
        NewJob<JsonNode> job = NewJob.of(
                Kind.of(String.valueOf(request.text("kind")), JsonNode.class),
                payload == null ? NullNode.getInstance() : payload);
        String queue = request.text("queue");
        if (queue != null) job = job.queue(queue);
        job = job.priority(request.integer("priority", 0, -100, 100));
        Instant at = ApiRequest.time("run_at", request.text("run_at"));
        Duration delay = request.duration("delay");
        if (at != null && delay != null)
            throw ApiProblemException.invalid("a job has either run_at or delay, not both");
        if (at != null) job = job.runAt(at);
        if (delay != null) job = job.delay(delay);
        String key = request.text("key");
        if (key != null) job = job.key(key);
        if (request.body().has("attempts")) job = job.maxAttempts(request.integer("attempts", 1, 1, 10_000));
        Duration timeout = request.duration("timeout");
        if (timeout != null) job = job.timeout(timeout);
        List<String> tags = request.texts("tags");
        if (!tags.isEmpty()) job = job.tags(tags.toArray(String[]::new));
        JsonNode metadata = request.body().get("metadata");
        if (metadata != null) job = job.metadata(map(metadata));
        String group = request.text("group");
        if (group != null) job = job.group(group);
        if (request.body().has("weight")) job = job.weight(request.integer("weight", 1, 1, 1_000_000));
        JsonNode unique = request.body().get("unique");
        if (unique != null)
            job = job.options(ApiJson.text(options(job.options()).set("unique", unique)));
        Instant version = ApiRequest.time("version", request.text("version"));
        if (version != null) job = job.version(version);
        String order = request.text("order_key");
        if (order != null) {
            for (String each : UNORDERED)
                if (request.body().has(each))
                    throw ApiProblemException.ofField(each, "a job with an order_key has no " + each);
            job = job.orderKey(order);
        }
        request.checkJob(job.queue(), job.kind().name());
        return job;
    }

    private static ObjectNode options(@Nullable String json) {
        return json == null ? ApiJson.object() : (ObjectNode) ApiJson.stored(json);
    }

    private static Map<String, Object> map(JsonNode metadata) {
        try {
            return MAPPER.readValue(ApiJson.text(metadata), new TypeReference<Map<String, Object>>() {});
        } catch (JsonProcessingException e) {
            throw ApiProblemException.invalid("metadata cannot be read");
        }
    }
}
