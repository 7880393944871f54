package dev.howdah.console.internal.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.howdah.internal.text.StorableText;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.shape.FieldType;
import dev.howdah.operations.shape.Shape;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads bodies and checks that they have the shape that their route says. */
final class BodyReader {
    /** What may be half a character: a whole one is written as two of these. */
    private static final Pattern HALF = Pattern.compile("\\\\u[dD][89a-fA-F]");

    private BodyReader() {}

    /** @throws ApiProblemException if it is no JSON object of that shape */
    static ObjectNode read(String text, Shape shape) {
        JsonNode json;
        try {
            json = ApiJson.parse(text.isBlank() ? "{}" : text);
        } catch (JsonProcessingException e) {
            throw new ApiProblemException(400, "bad-request", "the body is no JSON: " + firstLine(e));
        } catch (IllegalArgumentException e) {
            throw new ApiProblemException(400, "bad-request", "the body is no JSON");
        }
        // As generated clients send a body that was left out.
        if (json.isNull()) json = ApiJson.object();
        if (!(json instanceof ObjectNode body))
            throw new ApiProblemException(400, "bad-request", "the body has to be a JSON object");
        check(body, shape, "", "");
        if (HALF.matcher(text).find()) checkCharacters(body, "");
        return body;
    }

    private static void checkCharacters(JsonNode json, String pointer) {
        String objection = json.isTextual() ? StorableText.objection(json.textValue()) : null;
        if (objection != null) throw ApiProblemException.at(pointer, pointer + ": " + objection);
        for (int i = 0; json.isArray() && i < json.size(); i++) checkCharacters(json.get(i), pointer + "/" + i);
        json.fields()
                .forEachRemaining(each -> checkCharacters(each.getValue(), pointer + ApiJson.pointer(each.getKey())));
    }

    /**
     * @param at before names in messages: empty, or where the object is, such as {@code jobs[3].}
     * @param pointer the same as a JSON pointer, such as {@code /jobs/3}
     */
    private static void check(ObjectNode body, Shape shape, String at, String pointer) {
        Map<String, Field> fields = shape.fields().stream().collect(Collectors.toMap(Field::name, each -> each));
        List<String> nulls = new java.util.ArrayList<>();
        body.fields().forEachRemaining(each -> {
            Field field = fields.get(each.getKey());
            if (field == null)
                throw ApiProblemException.at(
                        pointer + ApiJson.pointer(shown(each.getKey())),
                        "there is no field " + at + shown(each.getKey()) + "; there are " + names(shape));
            if (each.getValue().isNull() && !field.type().words().equals("JSON")) nulls.add(each.getKey());
            else if (!fits(each.getValue(), field))
                throw ApiProblemException.at(
                        pointer + ApiJson.pointer(field.name()),
                        at + field.name() + " has to be " + field.type().words() + ", not "
                                + shown(ApiJson.text(each.getValue())));
            else if (hasZero(each.getValue()))
                throw ApiProblemException.at(
                        pointer + ApiJson.pointer(field.name()),
                        at + field.name() + " has the character 0, which PostgreSQL cannot store");
            else if (field.shape() != null && field.type() == FieldType.OBJECT)
                check(
                        (ObjectNode) each.getValue(),
                        field.shape(),
                        at + field.name() + ".",
                        pointer + ApiJson.pointer(field.name()));
            else if (field.shape() != null && field.type() == FieldType.OBJECTS)
                for (int i = 0; i < each.getValue().size(); i++)
                    check(
                            (ObjectNode) each.getValue().get(i),
                            field.shape(),
                            at + field.name() + "[" + i + "].",
                            pointer + ApiJson.pointer(field.name()) + "/" + i);
        });
        body.remove(nulls);
        for (Field each : shape.fields())
            if (each.isRequired() && !body.has(each.name()))
                throw ApiProblemException.at(
                        pointer + ApiJson.pointer(each.name()), at + each.name() + " is missing: " + each.words());
    }

    private static String names(Shape shape) {
        return shape.fields().stream().map(Field::name).collect(Collectors.joining(", "));
    }

    private static boolean fits(JsonNode value, Field field) {
        return switch (field.type()) {
            case TEXT, TIME, DURATION -> value instanceof TextNode;
            case ID -> value.asText().matches("\\d{1,18}") && (value.isTextual() || value.isIntegralNumber());
            case INTEGER -> value.isIntegralNumber() && value.canConvertToInt();
            case NUMBER -> value.isNumber();
            case BOOLEAN -> value.isBoolean();
            case OBJECT -> value.isObject();
            case TEXTS -> isEach(value, true);
            case OBJECTS -> isEach(value, false);
            case JSON -> true;
        };
    }

    /** Whether it is a text, or an array with a text, that has the character 0. */
    private static boolean hasZero(JsonNode value) {
        if (value.isTextual()) return value.textValue().indexOf('\0') >= 0;
        for (JsonNode each : value) if (each.isTextual() && each.textValue().indexOf('\0') >= 0) return true;
        return false;
    }

    private static boolean isEach(JsonNode value, boolean text) {
        if (!value.isArray()) return false;
        for (JsonNode each : value) if (text ? !each.isTextual() : !each.isObject()) return false;
        return true;
    }

    private static String shown(String text) {
        return text.length() <= 80 ? text : text.substring(0, 80) + "…";
    }

    private static String firstLine(JsonProcessingException e) {
        return shown(String.valueOf(e.getOriginalMessage()).lines().findFirst().orElse(""));
    }
}
