package dev.howdah.daemon;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.howdah.daemon.console.Json;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;

/** The scalars of a document of JSON, by the names that lead to them, with points between. */
record JsonNode(Map<String, String> scalars) {
    static JsonNode of(String json) {
        Map<String, String> scalars = new LinkedHashMap<>();
        Deque<String> path = new ArrayDeque<>();
        try (JsonParser parser = Json.parser(json)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token == JsonToken.FIELD_NAME) path.addLast(parser.currentName());
                else if (token == JsonToken.START_ARRAY) {
                    parser.skipChildren();
                    path.pollLast();
                } else if (token == JsonToken.END_OBJECT) path.pollLast();
                else if (token.isScalarValue()) {
                    scalars.put(String.join(".", path), parser.getText());
                    path.pollLast();
                }
            }
        } catch (IOException e) {
            throw new AssertionError(json, e);
        }
        return new JsonNode(scalars);
    }

    /** Empty if it is not there. */
    String text(String path) {
        return scalars.getOrDefault(path, "");
    }
}
