package dev.howdah.testkit.internal.sql;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
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

    /** Reads JSON. */
    public static JsonNode read(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError("the database says of a payload: " + text, e);
        }
    }
}
