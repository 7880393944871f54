package dev.howdah.operations.value;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * Any JSON.
 *
 * @param longest the maximum number of characters
 */
public record JsonValue(int longest) implements ValueType<String> {
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    @Override
    public Form form() {
        return Form.JSON;
    }

    @Override
    public String read(String text) {
        if (text.length() > longest)
            throw new IllegalArgumentException("has to have up to " + longest + " characters, not " + text.length());
        try {
            JSON.readTree(text);
            return text.strip();
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("has to be JSON: " + e.getOriginalMessage(), e);
        }
    }

    @Override
    public String words() {
        return "up to " + longest + " characters";
    }
}
