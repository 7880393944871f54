package dev.howdah.console.internal.api.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.console.internal.access.Role;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads the job of a body. */
final class NewJobReader {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Set<String> OF_THE_DAEMON = Set.of("sql", "http");

    private NewJobReader() {}

    /** @throws RuntimeException if a value cannot be */
    static NewJob<String> read(ApiRequest request) {
        JsonNode payload = request.body().get("payload");
        NewJob<String> job = NewJob.of(
                Kind.of(String.valueOf(request.text("kind")), String.class),
                payload == null ? "null" : ApiJson.text(payload));
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
        check(request, job);
        return job;
    }

    /**
     * A producer adds jobs for handlers of its own. The daemon works these kinds itself, with its own privileges and secrets: a
     * caller that may add them may run SQL, and send requests, as the daemon.
     */
    private static void check(ApiRequest request, NewJob<String> job) {
        request.checkQueue(job.queue());
        String kind = job.kind().name();
        if (request.caller().role() == Role.PRODUCER && (OF_THE_DAEMON.contains(kind) || kind.startsWith("howdah.")))
            throw new ApiProblemException(
                    403,
                    "forbidden",
                    "Jobs of kind " + kind
                            + " have the privileges of the daemon: adding them needs the role administrator.");
    }

    private static Map<String, Object> map(JsonNode metadata) {
        try {
            return MAPPER.readValue(ApiJson.text(metadata), new TypeReference<Map<String, Object>>() {});
        } catch (JsonProcessingException e) {
            throw ApiProblemException.invalid("metadata cannot be read");
        }
    }
}
