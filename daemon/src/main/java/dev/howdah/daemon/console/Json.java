package dev.howdah.daemon.console;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.howdah.internal.json.JsonBytes;
import dev.howdah.operations.value.Moments;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON on one line. */
public final class Json {
    private Json() {}

    /** A writer that leaves {@code out} open when it is closed. */
    public static JsonGenerator to(OutputStream out) throws IOException {
        return JsonBytes.FACTORY
                .createGenerator(out)
                .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
                .disable(JsonGenerator.Feature.FLUSH_PASSED_TO_STREAM)
                .setCharacterEscapes(SafeEscapes.INSTANCE);
    }

    /** A writer into a text. */
    public static JsonGenerator to(StringWriter text) throws IOException {
        return JsonBytes.FACTORY.createGenerator(text);
    }

    /** A value that is JSON already. */
    public record Document(String text) {}

    /**
     * The object with those fields; values are null, text, whole numbers, doubles, booleans, instants, documents, or
     * lists and maps of them.
     */
    public static String line(Map<String, ? extends @Nullable Object> fields) {
        return text(fields);
    }

    /** A value on one line; of the types that {@link #line} takes. */
    public static String text(@Nullable Object value) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JsonBytes.FACTORY.createGenerator(text)) {
            json.setCharacterEscapes(SafeEscapes.INSTANCE);
            value(json, value);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    private static void value(JsonGenerator json, @Nullable Object value) throws IOException {
        if (value == null) {
            json.writeNull();
        } else if (value instanceof Document document) {
            copy(document.text(), json);
        } else if (value instanceof Map<?, ?> map) {
            json.writeStartObject();
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                json.writeFieldName(String.valueOf(entry.getKey()));
                value(json, entry.getValue());
            }
            json.writeEndObject();
        } else if (value instanceof List<?> list) {
            json.writeStartArray();
            for (Object each : list) value(json, each);
            json.writeEndArray();
        } else if (value instanceof Double number) {
            json.writeNumber(number);
        } else if (value instanceof BigDecimal number) {
            json.writeNumber(number);
        } else if (value instanceof Number number) {
            json.writeNumber(number.longValue());
        } else if (value instanceof Boolean bool) {
            json.writeBoolean(bool);
        } else if (value instanceof Instant instant) {
            json.writeString(Moments.text(instant));
        } else {
            json.writeString(value.toString());
        }
    }

    /** The fields in the order in which they are given: a name, its value, a name, its value, ... */
    public static Map<String, Object> fields(Object... namesAndValues) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2)
            fields.put(String.valueOf(namesAndValues[i]), namesAndValues[i + 1]);
        return fields;
    }

    /** Reads a document token by token. */
    public static JsonParser parser(String document) throws IOException {
        return JsonBytes.FACTORY.createParser(document);
    }

    /** Copies a document of the server into {@code json}, number by number as it stands, on one line. */
    public static void copy(String document, JsonGenerator json) throws IOException {
        try (JsonParser parser = JsonBytes.FACTORY.createParser(document)) {
            parser.nextToken();
            json.copyCurrentStructureExact(parser);
        }
    }

    /** What is wrong with a document, without what only says where it was read from. */
    public static String complaint(JsonProcessingException e) {
        return e.getOriginalMessage().replaceAll("(?s) \\((for|start marker) .*", "");
    }

    /** What the parser is at, as text, number by number as it stands, on one line; the parser is at its end then. */
    public static String structure(JsonParser parser) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = to(text)) {
            json.copyCurrentStructureExact(parser);
        }
        return text.toString();
    }

    /** The texts and whole numbers in an object, by name; anything else in it is passed over. */
    public static Map<String, String> texts(String object) throws IOException {
        Map<String, String> fields = new LinkedHashMap<>();
        try (JsonParser parser = JsonBytes.FACTORY.createParser(object)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) throw new IOException("not a JSON object");
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                JsonToken token = parser.nextToken();
                if (token == JsonToken.VALUE_STRING || token == JsonToken.VALUE_NUMBER_INT)
                    fields.put(name, parser.getText());
                else parser.skipChildren();
            }
        }
        return fields;
    }
}
