package dev.howdah.job.internal.attempt;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.job.internal.store.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A job that this node has taken.
 *
 * @param payload null: it is large, and stands elsewhere
 * @param kind null: that of all jobs of its batch
 * @param unusual null for most jobs
 */
public record ClaimedJob(
        long id,
        @Nullable String payload,
        @Nullable String kind,
        @Nullable Unusual unusual,
        boolean large) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * The attributes that most jobs do not have.
     *
     * @param attempt how often it was tried before
     * @param deaths how many nodes have died with it
     * @param more as in {@code howdah_internal.job.more}
     * @param head the first job of its run; 0: it is in none, or the first itself
     */
    public record Unusual(int priority, int attempt, int deaths, JsonNode more, long head) {}

    /** @param rest as in {@code howdah_internal.batch.rest} */
    public static ClaimedJob of(long id, @Nullable String payload, @Nullable String kind, @Nullable String rest) {
        return new ClaimedJob(id, payload, kind, rest == null ? null : unusual(rest), payload == null);
    }

    private static Unusual unusual(String rest) {
        try {
            JsonNode node = JSON.readTree(rest);
            return new Unusual(
                    node.path("p").asInt(),
                    node.path("a").asInt(),
                    node.path("d").asInt(),
                    node.path("m"),
                    node.path("h").asLong());
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the database says of a job: " + rest, e);
        }
    }

    public ClaimedJob withPayload(@Nullable String found) {
        return new ClaimedJob(id, found, kind, unusual, true);
    }

    public int attempt() {
        return unusual == null ? 0 : unusual.attempt();
    }

    public int deaths() {
        return unusual == null ? 0 : unusual.deaths();
    }

    /** Returns whether nothing is to be done when it is done. */
    public boolean isPlain() {
        return !large && !isKeyed() && !isOrdered() && parent() == 0;
    }

    /** Returns whether nothing is to be done when it is done but to let the next job of its order key in. */
    public boolean isPlainInOrder() {
        return !large && !isKeyed() && isOrdered() && parent() == 0;
    }

    /** Returns whether it has a key that becomes free, or goes on to another job, when it ends. */
    public boolean isKeyed() {
        return unusual != null && unusual.more().has("key");
    }

    /** Returns whether others of its order key wait until it has ended. */
    public boolean isOrdered() {
        return unusual != null && unusual.more().has("ordered");
    }

    /** The first job of its run, which are jobs of its order key in one batch; itself: it is the first one, or the only one. */
    public long head() {
        return unusual == null || unusual.head() == 0 ? id : unusual.head();
    }

    /** Returns whether it has left its turn among those of its order key, and wants it back before it goes on. */
    public boolean wantsTurn() {
        return unusual != null && unusual.more().has("released");
    }

    /** Returns whether it has a name in its workflow, and others may wait for it. */
    public boolean isNamed() {
        return unusual != null && unusual.more().has("graph");
    }

    /** The workflow that counts its end; 0: none. */
    public long workflow() {
        return unusual == null ? 0 : unusual.more().path("flow").asLong();
    }

    /** The workflow of which it is a job, or whose end it was waiting for; 0: none. */
    public long anyWorkflow() {
        return unusual == null
                ? 0
                : unusual.more()
                        .path("callback")
                        .asLong(unusual.more().path("flow").asLong());
    }

    /** The context in which it was added, as headers of W3C Trace Context; mostly none. */
    public Map<String, String> trace() {
        if (unusual == null || !unusual.more().has("trace")) return Map.of();
        Map<String, String> headers = new HashMap<>();
        unusual.more()
                .get("trace")
                .fields()
                .forEachRemaining(
                        each -> headers.put(each.getKey(), each.getValue().asText()));
        return headers;
    }

    public List<String> tags() {
        if (unusual == null || !unusual.more().has("tags")) return List.of();
        List<String> tags = new ArrayList<>();
        unusual.more().get("tags").forEach(each -> tags.add(each.asText()));
        return List.copyOf(tags);
    }

    public Map<String, @Nullable Object> metadata() {
        if (unusual == null || !unusual.more().has("metadata")) return Map.of();
        return Collections.unmodifiableMap(JSON.convertValue(
                unusual.more().get("metadata"), new TypeReference<Map<String, @Nullable Object>>() {}));
    }

    /** Returns whether its handler has waited in an earlier run. */
    public boolean hasWaited() {
        return unusual != null && unusual.more().has("waits");
    }

    /** The version of the handler under which it has waited first; null: that had none. */
    public @Nullable String version() {
        return unusual == null ? null : unusual.more().path("handler").asText(null);
    }

    /** The number of its last wait; 0: it has not waited. */
    public int lastWait() {
        return unusual == null ? 0 : unusual.more().path("waits").asInt();
    }

    /** How often its code did not fit its records, one run after the other. */
    public int divergences() {
        return unusual == null ? 0 : unusual.more().path("wait").path("times").asInt();
    }

    /** Returns whether its handler is told when it is cancelled while it waits. */
    public boolean throwsCancel() {
        return unusual != null && unusual.more().path("wait").has("throws");
    }

    /** Why it is cancelled when this run ends, unless it has diverged; null: it is not. */
    public @Nullable String cancelled() {
        if (unusual == null || !unusual.more().has("cancelling")) return null;
        JsonNode wait = unusual.more().path("wait");
        return "cancelled while it waited for " + wait.path("type").asText() + " \""
                + wait.path("name").asText() + '"';
    }

    /** The job whose handler has added this one; 0: none. */
    public long parent() {
        return unusual == null ? 0 : unusual.more().path("parent").asLong();
    }

    /** Whether children that it added in an earlier run are cancelled when it is done. */
    public boolean cancelsChildren() {
        return unusual != null && unusual.more().path("children").isTextual();
    }

    /** How often it may be tried. */
    public int attempts() {
        return unusual == null
                ? Integer.MAX_VALUE
                : unusual.more().path("attempts").asInt(Integer.MAX_VALUE);
    }

    /** How long it may run, if it says so itself. */
    public Duration timeout(Duration otherwise) {
        if (unusual == null || !unusual.more().has("timeout")) return otherwise;
        return Durations.ofSeconds(unusual.more().path("timeout").asDouble());
    }

    public int priority() {
        return unusual == null ? 0 : unusual.priority();
    }
}
