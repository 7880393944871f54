package dev.howdah.daemon;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Bytes in JSON: those that are a document of JSON stand there as that, under their name; others in base64, under their name and
 * {@code Base64}; none at all do not stand there.
 */
final class JsonBytes {
    private static final String ENCODED = "Base64";

    private JsonBytes() {}

    /** The text of JSON that these bytes are; null if they are no such thing. */
    static @Nullable String text(byte[] bytes) {
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

    /** Whether it is one document of JSON. */
    static boolean isJson(String text) {
        try (JsonParser parser = Json.parser(text)) {
            if (parser.nextToken() == null) return false;
            parser.skipChildren();
            parser.finishToken();
            return parser.nextToken() == null;
        } catch (IOException e) {
            return false;
        }
    }

    /** Writes a field, or none. */
    static void write(JsonGenerator json, String name, byte[] bytes) throws IOException {
        if (bytes.length == 0) return;
        String text = text(bytes);
        if (text == null) {
            json.writeStringField(name + ENCODED, Base64.getEncoder().encodeToString(bytes));
            return;
        }
        json.writeFieldName(name);
        json.writeRawValue(text);
    }

    /**
     * Reads a field that was written so.
     *
     * @return null if it is not there
     * @throws IllegalArgumentException if it is there twice, or cannot be read
     */
    static byte @Nullable [] read(JsonObject object, String name) {
        JsonObject.Value plain = object.find(name);
        String encoded = object.text(name + ENCODED);
        if (plain != null && encoded != null)
            throw new IllegalArgumentException("\"" + name + "\" and \"" + name + ENCODED + "\" stand side by side");
        try {
            if (encoded != null) return Base64.getDecoder().decode(encoded);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("\"" + name + ENCODED + "\" is no base64: " + e.getMessage(), e);
        }
        return plain == null ? null : utf8(name, plain.json());
    }

    private static byte[] utf8(String name, String text) {
        try {
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] exactly = new byte[bytes.remaining()];
            bytes.get(exactly);
            return exactly;
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("\"" + name + "\" has half of a character (a lone surrogate)", e);
        }
    }
}
