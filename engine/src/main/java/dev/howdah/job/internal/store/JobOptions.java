package dev.howdah.job.internal.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.internal.text.NameText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Options of a job, as a JSON object that {@code howdah.add} takes. */
public final class JobOptions {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** In bytes; howdah_internal.check_option has it as well. */
    private static final int MOST_METADATA = 4_096;

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

    /** Returns these options on one line; null: there are none. */
    public static @Nullable String check(@Nullable String options) {
        if (options == null) return null;
        if (!(read(options) instanceof ObjectNode all))
            throw new IllegalArgumentException("options of " + options + ": they have to be a JSON object");
        return all.isEmpty() ? null : all.toString();
    }

    /** Returns the options with those tags instead of others. */
    public static @Nullable String tags(@Nullable String options, Collection<String> tags) {
        List<String> checked = JobNames.checkTags(tags);
        for (String each : checked) NameText.check("a tag", each);
        return with(options, "tags", checked.isEmpty() ? null : checked);
    }

    /**
     * Returns the options with that metadata instead of others.
     *
     * @throws IllegalArgumentException if it cannot be written as JSON, or is too large
     */
    public static @Nullable String metadata(@Nullable String options, Map<String, ?> metadata) {
        JsonNode json = JSON.valueToTree(metadata);
        String text = json.toString();
        // As PostgreSQL writes it, with a space behind each comma and colon.
        long size = text.getBytes(StandardCharsets.UTF_8).length
                + text.chars().filter(each -> each == ',' || each == ':').count();
        if (size > MOST_METADATA)
            throw new IllegalArgumentException("metadata of " + size + " bytes: " + MOST_METADATA
                    + " at most; what is larger is part of the payload");
        if (text.contains("\\u0000"))
            throw new IllegalArgumentException("metadata has no character 0, which PostgreSQL cannot store: " + text);
        return with(options, "metadata", json.isEmpty() ? null : json);
    }

    /**
     * Returns a JSON object that metadata have to contain, as it is.
     *
     * @throws IllegalArgumentException if it is something else, or larger than metadata can be
     */
    public static String checkMetadata(String json) {
        JsonNode read;
        try {
            read = JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("a filter of metadata that is not JSON: " + json, e);
        }
        if (!(read instanceof ObjectNode))
            throw new IllegalArgumentException("a filter of metadata of " + json
                    + ": it has to be a JSON object such as {\"source\": \"import\"}");
        int size = json.getBytes(StandardCharsets.UTF_8).length;
        if (size > MOST_METADATA)
            throw new IllegalArgumentException(
                    "a filter of metadata of " + size + " bytes: metadata have " + MOST_METADATA + " at most");
        return json;
    }

    /** Returns a JSON array of texts as a list; null is the empty one. */
    public static List<String> texts(@Nullable String array) {
        if (array == null) return List.of();
        List<String> texts = new ArrayList<>();
        read(array).forEach(each -> texts.add(each.asText()));
        return List.copyOf(texts);
    }

    /** Returns the value of an option; null: it is not set. */
    public static @Nullable JsonNode of(@Nullable String options, String name) {
        return options == null ? null : read(options).get(name);
    }

    /** Reads JSON. */
    public static JsonNode read(String json) {
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("options that are not JSON: " + json, e);
        }
    }
}
