package dev.howdah.console.internal.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An answer.
 *
 * @param body null: none
 * @param headers beside those that each answer has
 */
public record ApiAnswer(int status, @Nullable JsonNode body, Map<String, String> headers) {
    public ApiAnswer {
        headers = Map.copyOf(headers);
    }

    public static ApiAnswer ok(JsonNode body) {
        return new ApiAnswer(200, body, Map.of());
    }
}
