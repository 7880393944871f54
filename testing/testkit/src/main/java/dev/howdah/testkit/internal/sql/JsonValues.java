package dev.howdah.testkit.internal.sql;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Compares values with JSON from the database, as the default codec writes them. */
public final class JsonValues {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .findAndAddModules()
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .enable(SerializationFeature.WRITE_DATES_WITH_ZONE_ID)
            .build();

    private JsonValues() {}

    /** Returns a value as JSON. */
    public static JsonNode of(@Nullable Object value) {
        return JSON.valueToTree(value);
    }

    /** Returns whether they are equal, in whatever way their numbers are held or written: 1, 1L and 1.0. */
    public static boolean areEqual(JsonNode one, JsonNode other) {
        return one.equals(JsonValues::compare, other);
    }

    /** As areEqual, of lists. */
    public static boolean areEqual(List<JsonNode> some, List<JsonNode> others) {
        return some.size() == others.size()
                && IntStream.range(0, some.size()).allMatch(i -> areEqual(some.get(i), others.get(i)));
    }

    /** 0: they are equal. */
    private static int compare(JsonNode one, JsonNode other) {
        if (one.isNumber() && other.isNumber()) return one.decimalValue().compareTo(other.decimalValue());
        return one.equals(other) ? 0 : 1;
    }

    /** Reads JSON. */
    public static JsonNode read(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError("the database says of a payload: " + text, e);
        }
    }
}
