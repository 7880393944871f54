package dev.howdah.internal.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Bytes in a JSON object that says how they were made of a text: {@code {"howdah": "deflate", "data": "..."}}. The order of the fields does not matter:
 * {@code jsonb} changes it.
 *
 * @param how what was done with the text
 * @param with a parameter of that; null: it has none
 */
public record CodedText(String how, @Nullable String with, byte[] data) {
    private static final String MARK = "howdah";
    private static final ObjectMapper JSON = new ObjectMapper(JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build());

    /** The text of the object. */
    public String toJson() {
        String encoded = Base64.getEncoder().encodeToString(data);
        StringBuilder text = new StringBuilder(encoded.length() + 60)
                .append("{\"")
                .append(MARK)
                .append("\":\"")
                .append(how);
        if (with != null) text.append("\",\"with\":\"").append(with);
        return text.append("\",\"data\":\"").append(encoded).append("\"}").toString();
    }

    /** Returns whether a text could be taken for such an object. */
    public static boolean isAmbiguous(String json) {
        return json.contains('"' + MARK + '"');
    }

    /** Reads such an object; null if the text is none, or another one. */
    public static @Nullable CodedText of(String json, String how) {
        if (!isAmbiguous(json)) return null;
        try {
            JsonNode node = JSON.readTree(json);
            if (!node.isObject()
                    || !how.equals(node.path(MARK).asText())
                    || !node.path("data").isTextual()) return null;
            int fields = node.has("with") ? 3 : 2;
            if (node.size() != fields) return null;
            return new CodedText(
                    how,
                    fields == 3 ? node.path("with").asText() : null,
                    Base64.getDecoder().decode(node.path("data").asText()));
        } catch (JsonProcessingException | IllegalArgumentException e) {
            return null;
        }
    }
}
