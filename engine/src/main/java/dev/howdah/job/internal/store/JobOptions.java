package dev.howdah.job.internal.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Options of a job, as a JSON object that {@code howdah.add} takes. */
public final class JobOptions {
    private static final ObjectMapper JSON = new ObjectMapper();

    private JobOptions() {}

    /**
     * Returns the options with one of them set.
     *
     * @param options a JSON object, or null for none
     * @param value anything that Jackson writes; null takes the option away
     */
    public static @Nullable String with(@Nullable String options, String name, @Nullable Object value) {
        ObjectNode all = options == null ? JSON.createObjectNode() : (ObjectNode) read(options);
        if (value == null) all.remove(name);
        else all.set(name, value instanceof JsonNode node ? node : JSON.valueToTree(value));
        return all.isEmpty() ? null : all.toString();
    }

    /** Returns the value of an option; null: it is not set. */
    public static @Nullable JsonNode of(@Nullable String options, String name) {
        return options == null ? null : read(options).get(name);
    }

    private static JsonNode read(String json) {
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("options that are not JSON: " + json, e);
        }
    }
}
