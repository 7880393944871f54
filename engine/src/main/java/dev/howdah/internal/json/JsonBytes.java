package dev.howdah.internal.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Bytes in JSON: those that are a document of JSON stand there as that, under their name; others in base64, under their name and
 * {@code Base64}; none at all do not stand there.
 */
public final class JsonBytes {
    /** Behind the name of what stands in base64. */
    public static final String ENCODED = "Base64";

    /** For what the database has, or takes: how long a text may be is its affair. */
    public static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxNestingDepth(10_000)
                    .build())
            .build();

    private JsonBytes() {}

    /** The text of JSON that these bytes are; null if they are no such thing. */
    public static @Nullable String text(byte[] bytes) {
        if (bytes.length == 0) return null;
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return isJson(text) ? text : null;
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    /** Returns whether it is one document of JSON. */
    public static boolean isJson(String text) {
        try (JsonParser parser = FACTORY.createParser(text)) {
            if (parser.nextToken() == null) return false;
            parser.skipChildren();
            parser.finishToken();
            return parser.nextToken() == null;
        } catch (IOException e) {
            return false;
        }
    }

    /** Writes a field, or none. */
    public static void write(JsonGenerator json, String name, byte[] bytes) throws IOException {
        if (bytes.length == 0) return;
        String text = text(bytes);
        if (text == null) {
            json.writeStringField(name + ENCODED, Base64.getEncoder().encodeToString(bytes));
            return;
        }
        json.writeFieldName(name);
        json.writeRawValue(text);
    }
}
