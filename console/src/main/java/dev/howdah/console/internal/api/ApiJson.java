package dev.howdah.console.internal.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.howdah.console.internal.mask.Masker;
import dev.howdah.operations.list.ListPlace;
import dev.howdah.operations.value.Moments;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads and writes JSON; numbers keep their digits. Safe for use by many threads. */
public final class ApiJson {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private ApiJson() {}

    /** @throws JsonProcessingException if it is no JSON, has a name twice, or is nested by more than a thousand levels */
    public static JsonNode parse(String text) throws JsonProcessingException {
        JsonNode read = MAPPER.readTree(text);
        return read == null || read.isMissingNode() ? JsonNodeFactory.instance.nullNode() : read;
    }

    /** The value of JSON that the database has; a text if it is none. */
    public static JsonNode stored(String text) {
        try {
            return parse(text);
        } catch (JsonProcessingException e) {
            return TextNode.valueOf(text);
        }
    }

    /** The JSON pointer of a field of an object, as RFC 6901 has it. */
    static String pointer(String name) {
        return "/" + name.replace("~", "~0").replace("/", "~1");
    }

    public static String text(JsonNode json) {
        try {
            return MAPPER.writeValueAsString(json);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The JSON of an object with those names. */
    public static ObjectNode of(Map<String, ?> values) {
        return MAPPER.valueToTree(values);
    }

    public static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    /** The pages beside one of a list: next and previous. */
    public static void put(ObjectNode json, ListPlace.Beside beside) {
        put(json, "next", beside.next());
        put(json, "previous", beside.previous());
    }

    /** Leaves the field out if it has no value; times to the microsecond in UTC, ids as texts. */
    public static void put(ObjectNode json, String name, @Nullable Object value) {
        if (value == null) return;
        if (value instanceof JsonNode node) json.set(name, node);
        else if (value instanceof Integer number) json.put(name, number);
        else if (value instanceof Double number) json.put(name, number);
        else if (value instanceof Boolean known) json.put(name, known);
        else if (value instanceof Instant time) json.put(name, Moments.text(time));
        else if (value instanceof List<?> many) {
            ArrayNode array = json.putArray(name);
            for (Object each : many) array.add(String.valueOf(each));
        } else json.put(name, value.toString());
    }

    /**
     * A number of objects.
     *
     * @param most up to which they are counted: a larger number says that there are more
     */
    public static void count(ObjectNode json, String name, long number, long most) {
        count(json, name, Math.min(number, most), number <= most);
    }

    /** A number of objects, with whether there are no more. */
    public static void count(ObjectNode json, String name, long number, boolean isExact) {
        json.putObject(name).put("value", number(number)).put("exact", isExact);
    }

    /** A number of objects; one beyond 2,147,483,647 is cut there. */
    public static int number(long number) {
        return (int) Math.min(number, Integer.MAX_VALUE);
    }

    /** The same without secrets, at any depth. */
    public static JsonNode masked(JsonNode json, Masker masker) {
        if (json.isTextual()) return TextNode.valueOf(masker.text(json.textValue()));
        if (json.isNumber()) {
            String digits = json.asText();
            return masker.text(digits).equals(digits) ? json : TextNode.valueOf(Masker.MASK);
        }
        if (json instanceof ArrayNode array) {
            ArrayNode copy = MAPPER.createArrayNode();
            for (JsonNode each : array) copy.add(masked(each, masker));
            return copy;
        }
        if (!(json instanceof ObjectNode object)) return json;
        ObjectNode copy = MAPPER.createObjectNode();
        for (Iterator<Map.Entry<String, JsonNode>> all = object.fields(); all.hasNext(); ) {
            Map.Entry<String, JsonNode> each = all.next();
            copy.set(
                    each.getKey(),
                    masker.isSecretKey(each.getKey())
                            ? TextNode.valueOf(Masker.MASK)
                            : masked(each.getValue(), masker));
        }
        return copy;
    }
}
