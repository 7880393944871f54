package dev.howdah.console.internal.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.console.internal.page.ActionResult;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * An answer.
 *
 * @param body null: none
 * @param headers beside those that each answer has
 * @param ending what a change comes to that goes on in the background; null: it is over
 */
public record ApiAnswer(
        int status,
        @Nullable JsonNode body,
        Map<String, String> headers,
        @Nullable CompletionStage<ActionResult.End> ending) {
    public ApiAnswer {
        headers = Map.copyOf(headers);
    }

    public ApiAnswer(int status, @Nullable JsonNode body, Map<String, String> headers) {
        this(status, body, headers, null);
    }

    public static ApiAnswer ok(JsonNode body) {
        return new ApiAnswer(200, body, Map.of());
    }
}
