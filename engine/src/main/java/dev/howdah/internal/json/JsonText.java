package dev.howdah.internal.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;

/** Texts that are JSON. */
public final class JsonText {
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private JsonText() {}

    /** @throws IllegalArgumentException if the text is no JSON; says why */
    public static void check(String text) {
        read(text);
    }

    /**
     * The text of a field of an object; empty if there is no such field.
     *
     * @throws IllegalArgumentException if the text is no JSON; says why
     */
    public static String field(String object, String name) {
        return read(object).path(name).asText();
    }

    /** A text as JSON. */
    public static String quote(String text) {
        return TextNode.valueOf(text).toString();
    }

    private static JsonNode read(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("has to be JSON: " + e.getOriginalMessage(), e);
        }
    }
}
