package dev.howdah.console.internal.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.schema.Field;
import dev.howdah.console.internal.api.schema.FieldType;
import dev.howdah.console.internal.api.schema.Shape;
import dev.howdah.health.Cause;
import java.util.List;

/** Why something does not run, as {@code howdah why} says it. */
public final class ApiCauses {
    private static final String UNKNOWN = "unknown";

    private static final Shape CAUSE = Shape.of(
            "Cause",
            Field.of("code", FieldType.TEXT, "the kind of cause, such as paused; there may be more"),
            Field.of("sentence", FieldType.TEXT, "the cause for people"),
            Field.of("detail", FieldType.JSON, "the facts of the sentence"),
            Field.maybe("remedy", FieldType.TEXT, "what to do about it; absent: nothing"));

    public static final Shape SHAPE =
            Shape.of("Causes", Field.many("causes", CAUSE, "those that hold, the most important first; never empty"));

    private ApiCauses() {}

    /** @throws ApiProblemException if they say that there is no such object */
    public static ApiAnswer answer(List<Cause> causes) {
        if (causes.get(0).code().equals(UNKNOWN))
            throw ApiProblemException.notFound(causes.get(0).sentence());
        ObjectNode json = ApiJson.object();
        ArrayNode array = json.putArray("causes");
        for (Cause each : causes) {
            ObjectNode cause = array.addObject();
            cause.put("code", each.code());
            cause.put("sentence", each.sentence());
            cause.set("detail", ApiJson.stored(each.detail()));
            ApiJson.put(cause, "remedy", each.remedy());
        }
        return ApiAnswer.ok(json);
    }
}
