package dev.howdah.daemon;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.howdah.job.FatalException;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What stands in the payload of a job that the daemon works: an object whose values are taken as they are written, so that
 * no number loses a digit. A payload that is not right is fatal for its job, since it will never be. Immutable.
 */
final class JobPayload {
    private final String kind;
    private final Map<String, Value> values;

    /** @param json the value as JSON, on one line */
    private record Value(JsonToken token, String json, String text) {}

    private JobPayload(String kind, Map<String, Value> values) {
        this.kind = kind;
        this.values = values;
    }

    /**
     * Reads a payload.
     *
     * @param known the keys there are
     * @throws FatalException if it is no object, or has another key, or one twice
     */
    static JobPayload of(String kind, String json, Set<String> known) {
        Map<String, Value> values = new LinkedHashMap<>();
        try (JsonParser parser = Json.parser(json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT)
                throw new FatalException("the payload of a job of kind " + kind + " is an object with "
                        + String.join(", ", known) + ", not " + shortened(json));
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                if (!known.contains(name))
                    throw new FatalException("unknown key \"" + name + "\" in the payload of a job of kind " + kind
                            + Nearest.hint(name, known) + "; there are: " + String.join(", ", known));
                parser.nextToken();
                if (values.put(name, value(parser)) != null)
                    throw new FatalException("\"" + name + "\" stands twice in the payload");
            }
        } catch (JsonProcessingException e) {
            throw new FatalException("its payload cannot be read: " + e.getOriginalMessage(), e);
        } catch (IOException e) {
            throw new FatalException("its payload cannot be read: " + e.getMessage(), e);
        }
        return new JobPayload(kind, values);
    }

    private static Value value(JsonParser parser) throws IOException {
        JsonToken token = parser.currentToken();
        StringWriter json = new StringWriter();
        String text = token.isScalarValue() ? parser.getText() : "";
        try (JsonGenerator copy = Json.to(json)) {
            copy.copyCurrentStructureExact(parser);
        }
        return new Value(token, json.toString(), token.isScalarValue() ? text : json.toString());
    }

    private static String shortened(String text) {
        return text.length() <= 100 ? text : text.substring(0, 100) + "...";
    }

    /** A text that has to be there. */
    String text(String name) {
        Value value = values.get(name);
        if (value == null
                || value.token() != JsonToken.VALUE_STRING
                || value.text().isBlank())
            throw new FatalException("the payload of a job of kind " + kind + " needs \"" + name + "\", a text, "
                    + (value == null ? "and has none" : "not " + shortened(value.json())));
        return value.text();
    }

    /** A value as JSON; null if it is not there. */
    @Nullable
    String json(String name) {
        Value value = values.get(name);
        return value == null ? null : value.json();
    }

    /** The values of an array, as text; objects and arrays among them are JSON. Empty if it is not there. */
    List<@Nullable String> list(String name) {
        Value array = values.get(name);
        List<@Nullable String> found = new ArrayList<>();
        if (array == null || array.token() == JsonToken.VALUE_NULL) return found;
        if (array.token() != JsonToken.START_ARRAY)
            throw new FatalException("\"" + name + "\" has to be an array, not " + shortened(array.json()));
        try (JsonParser parser = Json.parser(array.json())) {
            parser.nextToken();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                Value value = value(parser);
                found.add(value.token() == JsonToken.VALUE_NULL ? null : value.text());
            }
        } catch (IOException e) {
            throw new FatalException("\"" + name + "\" cannot be read: " + e.getMessage(), e);
        }
        return found;
    }

    /** The texts of an object, by name. Empty if it is not there. */
    Map<String, String> texts(String name) {
        Value object = values.get(name);
        Map<String, String> found = new LinkedHashMap<>();
        if (object == null || object.token() == JsonToken.VALUE_NULL) return found;
        if (object.token() != JsonToken.START_OBJECT)
            throw new FatalException("\"" + name + "\" has to be an object, not " + shortened(object.json()));
        try (JsonParser parser = Json.parser(object.json())) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String key = parser.currentName();
                parser.nextToken();
                Value value = value(parser);
                if (value.token() != JsonToken.VALUE_STRING)
                    throw new FatalException(
                            "\"" + key + "\" in \"" + name + "\" has to be a text, not " + shortened(value.json()));
                found.put(key, value.text());
            }
        } catch (IOException e) {
            throw new FatalException("\"" + name + "\" cannot be read: " + e.getMessage(), e);
        }
        return found;
    }
}
