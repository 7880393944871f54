package dev.howdah.console.internal.view;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a node takes, in words. */
public final class ServedWords {
    private static final ObjectMapper JSON = new ObjectMapper();

    private ServedWords() {}

    /**
     * Such as {@code queues mail; kinds report, welcome; 10 at a time}.
     *
     * @param json as nodes write it down; what is not known is shown as it is
     */
    public static String of(String json) {
        JsonNode served;
        try {
            served = JSON.readTree(json);
        } catch (JsonProcessingException e) {
            return json;
        }
        if (!served.isObject()) return json;
        List<String> parts = new ArrayList<>();
        for (Map.Entry<String, JsonNode> each : served.properties()) {
            switch (each.getKey()) {
                case "job" -> job(parts, each.getValue());
                case "process" -> process(parts, each.getValue());
                case "version" -> parts.add("version " + each.getValue().asText());
                default -> parts.add(each.getKey() + " " + each.getValue());
            }
        }
        return String.join("; ", parts);
    }

    /** The queues that a node takes jobs from. */
    public static List<String> queues(String json) {
        return names(json, "queues");
    }

    /** The kinds of jobs that a node handles. */
    public static List<String> kinds(String json) {
        return names(json, "kinds");
    }

    /** How many jobs a node runs at the same time; null: it says nothing of it. */
    public static @Nullable Integer slots(String json) {
        JsonNode slots = read(json).path("job").path("slots");
        return slots.isInt() ? Integer.valueOf(slots.asInt()) : null;
    }

    /** The namespaces of processes that a node works on, and how many of each at the same time. */
    public static Map<String, String> namespaces(String json) {
        Map<String, String> namespaces = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> each : read(json).path("process").properties())
            namespaces.put(each.getKey(), each.getValue().asText());
        return namespaces;
    }

    private static List<String> names(String json, String what) {
        List<String> names = new ArrayList<>();
        read(json).path("job").path(what).forEach(each -> names.add(each.asText()));
        return names;
    }

    /** What another version writes down may be something else: nothing is known of it then. */
    private static JsonNode read(String json) {
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException e) {
            return MissingNode.getInstance();
        }
    }

    private static void job(List<String> parts, JsonNode job) {
        names(parts, "queue", job.path("queues"));
        names(parts, "kind", job.path("kinds"));
        if (job.has("slots")) parts.add(job.path("slots").asText() + " at a time");
        if (!job.path("limits").isEmpty()) parts.add("limits " + job.path("limits"));
    }

    private static void names(List<String> parts, String what, JsonNode names) {
        List<String> all = new ArrayList<>();
        names.forEach(each -> all.add(each.asText()));
        if (!all.isEmpty()) parts.add(what + (all.size() == 1 ? " " : "s ") + String.join(", ", all));
    }

    private static void process(List<String> parts, JsonNode namespaces) {
        for (Map.Entry<String, JsonNode> each : namespaces.properties())
            parts.add("namespace " + each.getKey() + ", " + each.getValue().asText() + " at a time");
    }
}
