package dev.howdah.daemon.console;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.howdah.internal.json.JsonBytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An object of JSON that a user has written, with the known keys and no others. Values are taken as they are written, so that
 * no number loses a digit; null counts as not there. What is wrong is an {@link IllegalArgumentException}, in one line. Immutable.
 */
public final class JsonObject {
    private static final int SHOWN = 100;

    private final String what;
    private final Map<String, Value> values;

    /**
     * A value.
     *
     * @param json as it is written, on one line
     * @param text of a scalar; of others the same as {@code json}
     */
    public record Value(JsonToken token, String json, String text) {
        public boolean isNull() {
            return token == JsonToken.VALUE_NULL;
        }

        public boolean isText() {
            return token == JsonToken.VALUE_STRING;
        }
    }

    private JsonObject(String what, Map<String, Value> values) {
        this.what = what;
        this.values = values;
    }

    /**
     * Reads a document.
     *
     * @param what it is, for errors
     * @param known the keys there are
     */
    public static JsonObject of(String what, String json, Collection<String> known) {
        try (JsonParser parser = Json.parser(json)) {
            JsonToken first = parser.nextToken();
            JsonObject object = read(what, parser, first, json, known);
            if (parser.nextToken() != null)
                throw new IllegalArgumentException(what + " has something behind its end: "
                        + shortened(json.substring(
                                (int) parser.currentTokenLocation().getCharOffset())));
            return object;
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(what + " cannot be read: " + Json.complaint(e), e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static JsonObject read(
            String what, JsonParser parser, @Nullable JsonToken first, String json, Collection<String> known)
            throws IOException {
        if (first != JsonToken.START_OBJECT)
            throw new IllegalArgumentException(
                    what + " is an object with " + String.join(", ", known) + ", not " + shortened(json));
        Map<String, Value> values = new LinkedHashMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            if (!known.contains(name))
                throw new IllegalArgumentException("unknown key \"" + shortened(name) + "\" in " + what
                        + hint(name, known) + "; there are: " + String.join(", ", known));
            parser.nextToken();
            if (values.put(name, value(parser)) != null)
                throw new IllegalArgumentException("\"" + name + "\" stands twice in " + what);
        }
        return new JsonObject(what, values);
    }

    /** Looking for it costs as much as the name is long. */
    private static String hint(String name, Collection<String> known) {
        return name.length() <= SHOWN ? DidYouMean.hint(name, known) : "";
    }

    private static Value value(JsonParser parser) throws IOException {
        JsonToken token = parser.currentToken();
        String text = token.isScalarValue() ? parser.getText() : "";
        String json = Json.structure(parser);
        return new Value(token, json, token.isScalarValue() ? text : json);
    }

    /** So much of a text as stands in an error. */
    public static String shortened(String text) {
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
    }

    /** The value of that name; null if it is not there. */
    @Nullable
    public Value find(String name) {
        Value value = values.get(name);
        return value == null || value.isNull() ? null : value;
    }

    /** A value as JSON, also null; no value if it is not there. */
    @Nullable
    public String json(String name) {
        Value value = values.get(name);
        return value == null ? null : value.json();
    }

    /** A text; null if it is not there. */
    @Nullable
    public String text(String name) {
        Value value = find(name);
        if (value != null && !value.isText()) throw wrong(name, "a text", value);
        return value == null ? null : value.text();
    }

    /** Bytes, as {@link JsonBytes} writes them; null if they are not there. */
    public byte @Nullable [] bytes(String name) {
        Value plain = find(name);
        String encoded = text(name + JsonBytes.ENCODED);
        if (plain != null && encoded != null)
            throw new IllegalArgumentException(
                    "\"" + name + "\" and \"" + name + JsonBytes.ENCODED + "\" stand side by side");
        try {
            if (encoded != null) return Base64.getDecoder().decode(encoded);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "\"" + name + JsonBytes.ENCODED + "\" is no base64: " + e.getMessage(), e);
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

    /** A text that has to be there, and is not blank. */
    public String needed(String name) {
        Value value = values.get(name);
        if (value == null || !value.isText() || value.text().isBlank())
            throw new IllegalArgumentException(what + " needs \"" + name + "\", a text, "
                    + (value == null ? "and has none" : "not " + shortened(value.json())));
        return value.text();
    }

    /** A whole number within these bounds; null if it is not there. */
    @Nullable
    public Long whole(String name, long least, long most) {
        Value value = find(name);
        if (value == null) return null;
        if (value.token() == JsonToken.VALUE_NUMBER_INT && value.text().matches("-?\\d{1,18}")) {
            long number = Long.parseLong(value.text());
            if (number >= least && number <= most) return number;
        }
        throw wrong(name, "a whole number from " + least + " to " + most, value);
    }

    /** A number within these bounds; null if it is not there. */
    @Nullable
    public Double number(String name, long least, long most) {
        Value value = find(name);
        if (value == null) return null;
        if (value.token().isNumeric()) {
            double number = Double.parseDouble(value.text());
            if (number >= least && number <= most) return number;
        }
        throw wrong(name, "a number from " + least + " to " + most, value);
    }

    /** Returns whether it says true; false if it is not there. */
    public boolean flag(String name) {
        Value value = find(name);
        if (value != null && !value.token().isBoolean()) throw wrong(name, "true or false", value);
        return value != null && value.token() == JsonToken.VALUE_TRUE;
    }

    /** An object; null if it is not there. */
    @Nullable
    public JsonObject object(String name, Collection<String> known) {
        Value value = find(name);
        return value == null ? null : of("\"" + name + "\" in " + what, value.json(), known);
    }

    /** The objects of an array; empty if it is not there. */
    public List<JsonObject> objects(String name, Collection<String> known) {
        List<JsonObject> objects = new ArrayList<>();
        for (Value each : list(name)) objects.add(of(name + "[" + objects.size() + "]", each.json(), known));
        return objects;
    }

    /** The values of an array; empty if it is not there. */
    public List<Value> list(String name) {
        Value array = find(name);
        if (array == null) return List.of();
        if (array.token() != JsonToken.START_ARRAY) throw wrong(name, "an array", array);
        List<Value> found = new ArrayList<>();
        try (JsonParser parser = Json.parser(array.json())) {
            parser.nextToken();
            while (parser.nextToken() != JsonToken.END_ARRAY) found.add(value(parser));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }

    /** The texts of an object, by name; empty if it is not there. */
    public Map<String, String> texts(String name) {
        Value object = find(name);
        if (object == null) return Map.of();
        if (object.token() != JsonToken.START_OBJECT) throw wrong(name, "an object", object);
        Map<String, String> found = new LinkedHashMap<>();
        try (JsonParser parser = Json.parser(object.json())) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String key = parser.currentName();
                parser.nextToken();
                Value value = value(parser);
                if (!value.isText())
                    throw new IllegalArgumentException(
                            "\"" + key + "\" in \"" + name + "\" has to be a text, not " + shortened(value.json()));
                found.put(key, value.text());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }

    private IllegalArgumentException wrong(String name, String wanted, Value value) {
        return new IllegalArgumentException(
                "\"" + name + "\" has to be " + wanted + ", not " + shortened(value.json()) + ", in " + what);
    }
}
